/**
 * What Check runs: the visitor's program and the lesson's hidden checks as one program. No page.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { ProgramEvent, ProgramFiles } from '../events';

export interface Harness {
  /** `harness/lesson.py` */
  readonly lesson: string;
  /** `harness/run_checks.py` */
  readonly entry: string;
}

export const CHECK_ENTRY = 'run_checks.py';

/** @param name the program's file name, which its diagnostics carry. */
export function checkFiles(
  harness: Harness,
  checks: string,
  name: string,
  program: string,
): ProgramFiles {
  return {
    [name]: program,
    'lesson_harness.py': harness.lesson,
    'lesson_checks.py': checks,
    [CHECK_ENTRY]: harness.entry.replaceAll('PROGRAM', JSON.stringify(name)),
  };
}

export type Verdict = Extract<ProgramEvent, { type: 'verdict' }>;

/** Outcome of a check run: a `RunRecord` is one. */
export interface CheckRun {
  readonly verdicts: readonly Verdict[];
  readonly outcome: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Loads and stores outside of every tensor, which need not change a result to be wrong. */
const OUT_OF_RANGE = ['HC8001', 'HC8004'];

export function outOfRange(run: CheckRun): Diagnostic | null {
  return run.diagnostics.find((found) => OUT_OF_RANGE.includes(found.code)) ?? null;
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
    outOfRange(run) === null
  );
}
