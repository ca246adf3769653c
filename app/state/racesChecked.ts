/**
 * Comparisons behind whose launches races were looked for, in the run in view. A comparison that
 * holds speaks of one order of programs and lanes: wherever its verdict stands, so does whether
 * races were looked for.
 */
import { storeOfProgram } from './ofProgram';
import type { ComparisonEvent, RunRecord } from './record';

export interface RacesChecked {
  /** Another run begins with none. */
  readonly run: number;
  /** Comparisons. */
  readonly ids: ReadonlySet<number>;
}

export const useRacesChecked = storeOfProgram<RacesChecked>({ run: -1, ids: new Set() });

export function racesWereChecked({ run }: RunRecord, { id }: ComparisonEvent): void {
  const known = useRacesChecked.getState();
  useRacesChecked.setState({ run, ids: new Set([...(known.run === run ? known.ids : []), id]) });
}

/** Whether a launch may have written what is compared, and nobody looked for its races. */
export function mayRace(
  checked: RacesChecked,
  { run, producers }: Pick<RunRecord, 'run' | 'producers'>,
  { id, count }: Pick<ComparisonEvent, 'id' | 'count'>,
): boolean {
  const of = producers.get(id);
  if (count === 0 || !of || of.actual.length + of.expected.length === 0) return false;
  return checked.run !== run || !checked.ids.has(id);
}
