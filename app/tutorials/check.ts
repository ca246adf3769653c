/** When a check's run counts as passed. No page. */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { ProgramEvent } from '../events';
import { outcomeOf, outOfRange } from '../judge/report';

export type Verdict = Extract<ProgramEvent, { type: 'verdict' }>;

/** Outcome of a check run: a `RunRecord` is one. */
export interface CheckRun {
  readonly verdicts: readonly Verdict[];
  readonly outcome: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Passed means: the judge accepts. */
export function passes({ verdicts, outcome, diagnostics }: CheckRun): boolean {
  return outcomeOf(verdicts, outOfRange(diagnostics) !== null, outcome) === 'accepted';
}
