/** When a check's run counts as passed. No page. */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { ProgramEvent } from '../events';
import { outOfRange } from '../judge/report';

export type Verdict = Extract<ProgramEvent, { type: 'verdict' }>;

/** Outcome of a check run: a `RunRecord` is one. */
export interface CheckRun {
  readonly verdicts: readonly Verdict[];
  readonly outcome: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Passed means: every check was reached and held, and nothing else went wrong. */
export function passes(run: CheckRun): boolean {
  const { verdicts, outcome } = run;
  const [first] = verdicts;
  return (
    outcome === 'ok' &&
    first !== undefined &&
    verdicts.length === first.total &&
    verdicts.every((verdict) => verdict.passed) &&
    outOfRange(run.diagnostics) === null
  );
}
