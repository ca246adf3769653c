/**
 * The times of a run by kernel, folded from its record: the source of Proton's tree, of the
 * difference of two runs and of what `hippocamp mcp` reports as a profile.
 *
 * Guarantee: a time is one that was measured. Times of the CPU's clock and of the GPU's are never
 * added; a launch without a time counts as a launch alone.
 */
import type { AdapterInfo, ProgramEvent, Timing } from '../events';
import { emptyRecord, fold, groupTiming, type LaunchGroup, type RunRecord } from '../state/record';

/** Launches of one kernel on one grid, from one line, with tensors of the same shapes. */
export interface ProfiledKernel {
  readonly kernel: string;
  readonly grid: readonly number[];
  /** Line of the first launch. */
  readonly file: string;
  readonly line: number;
  /** Repetitions of a benchmark. */
  readonly benchmark: boolean;
  readonly launches: number;
  /** Launches whose time is known, of those that were kept. */
  readonly timed: number;
  /** The clock of the times; null without one. */
  readonly clock: Timing['clock'] | null;
  /** Microseconds: the middle, the least and the largest of the launches' times. */
  readonly median: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Microseconds: the sum over the timed launches. */
  readonly total: number | null;
  /** Microseconds: a time below the clock's step is no measurement. */
  readonly quantum: number | null;
  /** Counted from the IR for one launch; null where they could not be counted. */
  readonly bytes: number | null;
  readonly operations: {
    readonly f64: number;
    readonly f32: number;
    readonly f16: number;
    readonly integer: number;
  } | null;
  /** Resources of one program, by the compiler; null on the interpreter. */
  readonly resources: {
    readonly threads: number;
    readonly registers: number;
    readonly workgroupBytes: number;
  } | null;
}

export interface Profile {
  readonly adapter: AdapterInfo | null;
  /** Time of the whole run. */
  readonly milliseconds: number | null;
  readonly kernels: readonly ProfiledKernel[];
}

/** The record of a run of which all events are at hand. */
export function recordOf(events: readonly ProgramEvent[]): RunRecord {
  const record = emptyRecord(0, 0, '');
  for (const event of events) fold(record, event);
  return record;
}

export function profileOf(record: RunRecord): Profile {
  return {
    adapter: record.adapter,
    milliseconds: record.milliseconds,
    kernels: record.groups.map(kernelOf),
  };
}

function kernelOf(group: LaunchGroup): ProfiledKernel {
  const { first, count, timings } = group;
  const timing = groupTiming(group);
  const { cost } = first;
  return {
    kernel: first.kernel,
    grid: first.grid,
    file: first.site.file,
    line: first.site.line,
    benchmark: first.benchmark,
    launches: count,
    timed: timings.length,
    clock: timing?.clock ?? null,
    median: timing?.median ?? null,
    low: timing?.low ?? null,
    high: timing?.high ?? null,
    total: timing ? timings.reduce((sum, { median }) => sum + median, 0) : null,
    quantum: timing?.quantum ?? null,
    bytes: cost ? cost.readBytes + cost.writtenBytes : null,
    operations: cost?.operations ?? null,
    resources: cost?.resources ?? null,
  };
}
