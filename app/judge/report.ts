/**
 * The report of a check: made of the events of the harness's worker, and of nothing that the
 * solution's worker sends but its errors. The report is data: it is what `--json` prints.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { AdapterInfo, ProgramEvent } from '../events';

export interface CheckedOne {
  readonly name: string;
  readonly passed: boolean;
  readonly message: string | null;
}

/** A time of the harness's clock, of launches on the harness's own memory. */
export interface MeasuredTime extends Omit<Extract<ProgramEvent, { type: 'measured' }>, 'type'> {
  /** Milliseconds that these bytes need at the measured bandwidth; null where it is not known. */
  readonly floor: number | null;
  /** Why the time does not count; null where it does. */
  readonly refused: string | null;
}

export interface JudgeReport {
  /** Raised when a field changes its meaning or goes. */
  readonly version: 1;
  readonly file: string;
  /** Name of the problem. */
  readonly against: string;
  /** Null where the harness did not start. */
  readonly adapter: AdapterInfo | null;
  /** The inputs were drawn from it. */
  readonly seed: number;
  /** `undecided`: the harness did not come to its end, or checked nothing. */
  readonly outcome: 'accepted' | 'refused' | 'undecided';
  /** In the order in which they ran; the first that fails is the last. */
  readonly checks: readonly CheckedOne[];
  readonly notReached: readonly string[];
  readonly times: readonly MeasuredTime[];
  /** Errors of either side, and accesses out of range. */
  readonly diagnostics: readonly Diagnostic[];
  /** The text by which this can be checked again (`result.ts`); null where nothing was decided. */
  readonly result: string | null;
}

/** Loads and stores outside of every tensor, which need not change a result to be wrong. */
const OUT_OF_RANGE = ['HC8001', 'HC8004'];

/** The first access out of range. */
export function outOfRange(diagnostics: readonly Diagnostic[]): Diagnostic | null {
  return diagnostics.find(({ code }) => OUT_OF_RANGE.includes(code)) ?? null;
}

type Verdict = Extract<ProgramEvent, { type: 'verdict' }>;

/**
 * @param harness events of the harness's worker
 * @param errors of the solution's worker
 */
export function judgeReport(
  facts: Pick<JudgeReport, 'file' | 'against' | 'seed'>,
  harness: readonly ProgramEvent[],
  errors: readonly Diagnostic[],
): JudgeReport {
  const verdicts = harness.filter((event) => event.type === 'verdict');
  const found = harness.flatMap((event) => (event.type === 'diagnostic' ? [event.diagnostic] : []));
  const outside = found.filter(({ code }) => OUT_OF_RANGE.includes(code));
  const failures = found.filter(({ severity }) => severity === 'error');
  const finished = harness.findLast((event) => event.type === 'finished')?.outcome ?? 'error';
  return {
    version: 1,
    ...facts,
    adapter: harness.find((event) => event.type === 'started')?.adapter ?? null,
    outcome: outcomeOf(verdicts, outside.length > 0, finished),
    checks: verdicts.map(({ name, passed, message }) => ({ name, passed, message })),
    notReached: verdicts.findLast(({ passed }) => !passed)?.unreached ?? [],
    times: timesOf(harness),
    diagnostics: [...new Set([...outside, ...failures, ...errors])],
    result: null,
  };
}

/**
 * The one decision of a check, on the command line, in the page and in the lessons.
 * @param outside something was accessed out of range
 */
export function outcomeOf(
  verdicts: readonly Pick<Verdict, 'passed' | 'total'>[],
  outside: boolean,
  finished: string | null,
): JudgeReport['outcome'] {
  const [first] = verdicts;
  if (verdicts.some(({ passed }) => !passed)) return 'refused';
  if (!first || finished !== 'ok' || verdicts.length !== first.total) return 'undecided';
  return outside ? 'refused' : 'accepted';
}

function timesOf(events: readonly ProgramEvent[]): MeasuredTime[] {
  const calibration = events.findLast((event) => event.type === 'calibration')?.calibration;
  return events.flatMap((event) => {
    if (event.type !== 'measured') return [];
    const { type: _, ...time } = event;
    const floor = calibration ? (time.bytes / calibration.bytesPerSecond) * 1e3 : null;
    return [{ ...time, floor, refused: refusedTime(time, floor) }];
  });
}

/** Why a time is none of this problem's kernels; null where it may be. */
export function refusedTime(
  { clock, milliseconds }: Pick<MeasuredTime, 'clock' | 'milliseconds'>,
  floor: number | null,
): string | null {
  if (clock === 'cpu') return 'it is of the CPU’s clock: this adapter has no other';
  if (floor === null) return 'the bandwidth of this adapter was not measured: there is no floor';
  if (milliseconds >= floor) return null;
  return (
    `it is below the ${floor.toPrecision(3)} ms that memory needs for the inputs and results: ` +
    'they came from a cache, or were not moved'
  );
}

/** The exit code: 0 accepted, 1 refused, 2 undecided. */
export function exitCode({ outcome }: JudgeReport): 0 | 1 | 2 {
  return outcome === 'accepted' ? 0 : outcome === 'refused' ? 1 : 2;
}

/** The report for a terminal. */
export function reportText(report: JudgeReport): string {
  const lines = report.checks.map(
    ({ name, passed, message }) => `${passed ? '✓' : '✗'} ${name}${message ? `: ${message}` : ''}`,
  );
  for (const name of report.notReached) lines.push(`· ${name} (not reached)`);
  for (const { severity, message, location } of report.diagnostics)
    lines.push(`${location.file}:${location.line}: ${severity}: ${message}`);
  for (const { name, milliseconds, floor, refused } of report.times) {
    const least = floor === null ? '' : `, at least ${floor.toPrecision(3)} ms by memory`;
    const why = refused === null ? '' : `; does not count: ${refused}`;
    lines.push(`${name}: ${milliseconds.toPrecision(3)} ms${least}${why}`);
  }
  lines.push(`${report.outcome} (seed ${report.seed}, ${report.adapter?.name ?? 'not started'})`);
  if (report.result !== null) lines.push('', report.result);
  return `${lines.join('\n')}\n`;
}
