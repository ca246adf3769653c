/** Outcome of a run: a table by function, and the JSON of every case that did not pass. */
import type { CaseRef } from './pool';
import { OUTCOMES, type Judged, type Outcome } from './protocol';

export interface CaseResult extends CaseRef {
  readonly judged: Judged;
  readonly interpreter: boolean;
}
export type Counts = Record<Outcome, number>;

export function functionOf(name: string): string {
  return name.split('[')[0] ?? name;
}

export function countsOf(results: readonly CaseResult[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, refused: 0, skipped: 0 };
  for (const { judged } of results) counts[judged.outcome]++;
  return counts;
}

function row(label: string, counts: Counts, seconds: number, note = ''): string {
  const numbers = OUTCOMES.map((each) => String(counts[each] || '·').padStart(8));
  return `${label.padEnd(52)}${numbers.join('')}${seconds.toFixed(1).padStart(9)}  ${note}`.trimEnd();
}

/** The first thing that keeps a function from passing whole. */
function complaint(results: readonly CaseResult[]): string {
  const worst =
    results.find(({ judged }) => judged.outcome === 'failed') ??
    results.find(({ judged }) => judged.outcome === 'refused') ??
    results.find(({ judged }) => judged.outcome === 'skipped');
  if (!worst) return '';
  const { kind, line, reason } = worst.judged;
  return (reason ?? [kind, line].filter(Boolean).join(': ')).slice(0, 110);
}

export function table(results: readonly CaseResult[]): string {
  const groups = new Map<string, CaseResult[]>();
  for (const each of results) {
    const key = `${each.file} ${functionOf(each.name)}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  const head = `${''.padEnd(52)}${OUTCOMES.map((each) => each.padStart(8)).join('')}  seconds`;
  const lines: string[] = [];
  let file = '';
  for (const [key, group] of groups) {
    const first = group[0];
    if (!first) continue;
    if (first.file !== file) lines.push('', (file = first.file), head);
    lines.push(row(`  ${key.split(' ')[1]}`, countsOf(group), seconds(group), complaint(group)));
  }
  const marked = results.filter((each) => each.interpreter);
  lines.push('', head, row('all', countsOf(results), seconds(results)));
  lines.push(row('marked for the interpreter', countsOf(marked), seconds(marked)));
  lines.push(`${passRate(marked)} of the marked cases that ran pass`);
  return lines.join('\n').trimStart();
}

function passRate(results: readonly CaseResult[]): string {
  const counts = countsOf(results);
  const ran = counts.passed + counts.failed + counts.refused;
  return ran === 0 ? 'none' : `${((100 * counts.passed) / ran).toFixed(2)} %`;
}

function seconds(results: readonly CaseResult[]): number {
  return results.reduce((sum, { judged }) => sum + (judged.seconds ?? 0), 0);
}

/** For `--json`: the counts, and each case that failed or was refused with its first line. */
export function summary(results: readonly CaseResult[]): object {
  const skipped: Record<string, number> = {};
  for (const { judged } of results) {
    if (judged.outcome !== 'skipped') continue;
    const reason = judged.reason ?? '';
    skipped[reason] = (skipped[reason] ?? 0) + 1;
  }
  return {
    counts: countsOf(results),
    interpreter: countsOf(results.filter((each) => each.interpreter)),
    skipped,
    notPassed: results
      .filter(({ judged }) => judged.outcome === 'failed' || judged.outcome === 'refused')
      .map(({ file, name, interpreter, judged }) => ({ file, name, interpreter, ...judged })),
  };
}
