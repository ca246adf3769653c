/** Records of `npm run mutants`, one JSON object a line for each mutant, and their figures. */
import type { MutantKind } from '../mutants';
import { ENDLESS, SAME, type Judged } from './judge';

/** `error`: the judge itself failed, or did not answer; such a mutant counts for nothing. */
export type MutantVerdict = Judged['verdict'] | 'error';

export interface MutantRecord {
  readonly program: string;
  /** Place in the program's sample, from 0. */
  readonly index: number;
  readonly kind: MutantKind;
  readonly line: number;
  readonly before: string;
  readonly after: string;
  readonly verdict: MutantVerdict;
  readonly reason: string;
  readonly milliseconds: number;
}

/** The sample that records belong to: the first line of a file of them. */
export interface MutantSample {
  readonly seed: number;
  /** Mutants of one program, at most. */
  readonly each: number;
  readonly mutants: number;
}

export type Counts = Record<MutantVerdict, number>;

export interface MutantSummary extends MutantSample, Counts {
  readonly judged: number;
  /** Percent of those that compile and are not equivalent; errors do not count. */
  readonly killedPercent: number;
  /** Survivors of which this run has the same results in the ring. */
  readonly same: number;
  /** Killed because a run took too long: on a machine that is too busy that says nothing. */
  readonly stopped: number;
  readonly kinds: Readonly<Record<string, Counts>>;
  /** All that no check accuses, and errors. */
  readonly open: readonly MutantRecord[];
}

const none = (): Counts => ({
  killed: 0,
  undecided: 0,
  survived: 0,
  equivalent: 0,
  stillborn: 0,
  error: 0,
});

/** Each mutant counts once, however many files have it. */
export function summaryOf(sample: MutantSample, records: readonly MutantRecord[]): MutantSummary {
  const judged = [
    ...new Map(records.map((each) => [`${each.program} ${each.index}`, each])).values(),
  ];
  const total = none();
  const kinds = new Map<string, Counts>();
  for (const { kind, verdict } of judged) {
    const row = kinds.get(kind) ?? none();
    row[verdict]++;
    total[verdict]++;
    kinds.set(kind, row);
  }
  const live = total.killed + total.undecided + total.survived;
  return {
    ...sample,
    judged: judged.length,
    ...total,
    killedPercent: (100 * total.killed) / Math.max(1, live),
    same: judged.filter(({ reason }) => reason === SAME).length,
    stopped: judged.filter(({ reason }) => reason === ENDLESS).length,
    kinds: Object.fromEntries([...kinds].toSorted(([a], [b]) => (a < b ? -1 : 1))),
    open: judged.filter(({ verdict }) => ['undecided', 'survived', 'error'].includes(verdict)),
  };
}

/** @throws Error where files are of different samples: their sum says nothing. */
export function mergedSummary(texts: readonly string[]): MutantSummary {
  const files = texts.map((text) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  );
  const [first, ...others] = files.map(([sample]) => sample as MutantSample);
  if (!first) throw new Error('no file');
  for (const other of others)
    if (other.seed !== first.seed || other.each !== first.each || other.mutants !== first.mutants)
      throw new Error('the files are of different samples');
  return summaryOf(
    first,
    files.flatMap(([, ...records]) => records as MutantRecord[]),
  );
}

export function recordText(record: MutantRecord): string {
  const { verdict, kind, program, line, before, after, reason } = record;
  const what = `${before.replace(/\s+/g, ' ')} → ${after.replace(/\s+/g, ' ')}`;
  return `${verdict}: ${kind}, ${program}:${line}: ${what}${reason ? `: ${reason}` : ''}`;
}

export function summaryText(summary: MutantSummary): string {
  const { killed, undecided, survived, killedPercent, same, equivalent, stillborn } = summary;
  const kinds = Object.entries(summary.kinds).map(([kind, row]) => {
    const counts = Object.entries(row).filter(([, count]) => count > 0);
    return `${kind.padEnd(28)}${counts.map(([name, count]) => `${count} ${name}`).join(', ')}`;
  });
  return [
    ...kinds,
    `${killed} of ${killed + undecided + survived} killed (${killedPercent.toFixed(1)} %), ` +
      `${summary.stopped} of them by the time limit, ` +
      `${undecided} undecided, ${survived} survived, ${same} of them with the same results; ` +
      `${equivalent} equivalent, ${stillborn} do not compile, ${summary.error} not judged; ` +
      `${summary.judged} of ${summary.mutants} mutants`,
  ].join('\n');
}
