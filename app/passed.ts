/**
 * Whether a run passed, in one definition for the command line's exit code, the tools, the page's
 * badge and what the page exports. A program that ended by itself may have reported errors: a store
 * out of range is left out, and the program goes on.
 */
import type { Diagnostic } from '../compiler/diagnostics';
import type { AdapterInfo, ProgramEvent } from './events';

/** The part of a run's record (`state/record.ts`) that decides; `judged` takes it from events. */
export interface Judged {
  readonly outcome: 'ok' | 'error' | 'stopped' | null;
  readonly comparisons: readonly { readonly passed: boolean }[];
  /**
   * Errors that were reported, those that ended the program among them. A kernel that does not
   * compile is none by itself: its launch raises an exception, which the program may catch, as an
   * autotuner does.
   */
  readonly errors: number;
  readonly verifications: readonly { readonly verdict: string }[];
  readonly checks: readonly { readonly passes: readonly { readonly verdict: string }[] }[];
}

/**
 * The program ended by itself, reported no error, every comparison held, and neither `--verify` nor
 * `--check` found a difference. Warnings, such as a load out of range, do not count.
 */
export function passed(run: Judged): boolean {
  return (
    run.outcome === 'ok' &&
    run.errors === 0 &&
    run.comparisons.every((each) => each.passed) &&
    run.verifications.every((each) => each.verdict !== 'different') &&
    run.checks.every((each) => each.passes.every((pass) => pass.verdict !== 'different'))
  );
}

export function judged(events: readonly ProgramEvent[]): Judged {
  const finished = events.findLast((event) => event.type === 'finished');
  return {
    outcome: finished?.outcome ?? null,
    comparisons: events.filter((event) => event.type === 'comparison'),
    errors: errorsOf(events).length,
    verifications: events.filter((event) => event.type === 'verification'),
    checks: events.filter((event) => event.type === 'check'),
  };
}

/** Whether the event counts for `Judged.errors`. */
export function isError(event: ProgramEvent): boolean {
  return event.type === 'diagnostic' && event.diagnostic.severity === 'error';
}

export function errorsOf(events: readonly ProgramEvent[]): Diagnostic[] {
  return events.flatMap((event) =>
    event.type === 'diagnostic' && isError(event) ? [event.diagnostic] : [],
  );
}

/** The adapter that ran the kernels; null where the run did not start. */
export function adapterOf(events: readonly ProgramEvent[]): AdapterInfo | null {
  return events.find((event) => event.type === 'started')?.adapter ?? null;
}
