/**
 * Modules that PyTorch's Inductor wrote, from a folder outside the repository: each runs whole. A
 * module with a NAME.json beside it (`scripts/inductor/write.py`) has to return what PyTorch
 * returned; another has to end without an error, and a kernel alone to compile. A folder in the
 * folder is a source of its own.
 */
import { readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { moduleNames, playModule, startModules, type Played } from '../scripts/inductor/play';
import { sampled, type Options } from './options';
import { OUTCOMES, type Judged } from './protocol';
import { countsOf, type CaseResult } from './report';

interface Source {
  readonly name: string;
  readonly folder: string;
  readonly modules: readonly string[];
}

/** The folder and those in it that have modules. */
export function sourcesOf(folder: string): Source[] {
  const inside = readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isDirectory());
  return [folder, ...inside.sort()]
    .map((path) => ({ name: basename(path), folder: path, modules: moduleNames(path) }))
    .filter(({ modules }) => modules.length > 0);
}

/** @returns a result for each module; `report` groups them by source. */
export async function runInductor(folder: string, options: Options): Promise<CaseResult[]> {
  const runner = await startModules();
  const results: CaseResult[] = [];
  for (const source of sourcesOf(folder)) {
    const wanted = source.modules.filter(
      (name) => options.words.length === 0 || options.words.some((word) => name.includes(word)),
    );
    for (const name of sampled(wanted, options.sample)) {
      const start = performance.now();
      const played = await playModule(runner, source.folder, name, options.adapter);
      const seconds = (performance.now() - start) / 1000;
      const judged = { ...judge(played), seconds };
      results.push({ file: source.name, name, interpreter: false, judged });
      if (results.length % 25 === 0) process.stderr.write(`${results.length}: ${name}\n`);
    }
  }
  return results;
}

/** Messages of features that are missing here, and of limits of one machine. */
const REFUSALS =
  /NotImplementedError|not available in Hippocamp|invalid device ordinal|OutOfMemoryError/;

/** A missing feature or a limit says so; any other error is a failure of ours. */
export function judge({ verdict, message }: Pick<Played, 'verdict' | 'message'>): Judged {
  if (verdict === 'agrees') return { outcome: 'passed' };
  if (verdict === 'differs') return { outcome: 'failed', kind: 'values', line: message };
  const refused = REFUSALS.test(message);
  return { outcome: refused ? 'refused' : 'failed', kind: 'error', line: message };
}

/** A line for each source, and one for each case that did not pass. */
export function sourceTable(
  results: readonly CaseResult[],
  sourceOf = ({ file }: CaseResult): string => file,
): string {
  const lines = results
    .filter(({ judged }) => judged.outcome !== 'passed')
    .map(
      ({ file, name, judged }) =>
        `${judged.outcome} ${file}/${name}: ${judged.reason ?? judged.line}`,
    );
  for (const source of [...new Set(results.map(sourceOf))])
    lines.push(
      counted(
        source,
        results.filter((each) => sourceOf(each) === source),
      ),
    );
  return lines.join('\n');
}

function counted(label: string, results: readonly CaseResult[]): string {
  const counts = countsOf(results);
  const said = OUTCOMES.filter((outcome) => outcome !== 'skipped' || counts.skipped > 0);
  return `${label}: ${said.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ')}`;
}
