/**
 * The difference of two runs: for each kernel the time of a launch before and after.
 *
 * Guarantee: a ratio is of two measured times of one clock, on one adapter; else it is null and
 * `reason` states why.
 */
import type { Profile, ProfiledKernel } from './profile';

export interface Side {
  readonly launches: number;
  /** Microseconds of a launch: the middle over the kernel's timed rows, by their launches. */
  readonly time: number | null;
  /** Microseconds of all timed launches. */
  readonly total: number | null;
  readonly timed: number;
  readonly clock: 'gpu' | 'cpu' | null;
  /** In the order of the launches. */
  readonly grids: readonly (readonly number[])[];
}

export interface KernelDifference {
  readonly kernel: string;
  readonly benchmark: boolean;
  /** Null where the kernel was not launched. */
  readonly before: Side | null;
  readonly after: Side | null;
  /** The time after over the time before: below 1 is faster. */
  readonly ratio: number | null;
  /** Why there is no ratio, or what to keep in mind about it; null without either. */
  readonly reason: string | null;
}

export interface RunDifference {
  readonly version: 1;
  readonly before: { readonly adapter: string | null; readonly milliseconds: number | null };
  readonly after: { readonly adapter: string | null; readonly milliseconds: number | null };
  readonly kernels: readonly KernelDifference[];
}

export function difference(before: Profile, after: Profile): RunDifference {
  const end = ({ adapter, milliseconds }: Profile): RunDifference['before'] => ({
    adapter: adapter?.name ?? null,
    milliseconds,
  });
  const same = before.adapter?.name === after.adapter?.name;
  const keys = new Map<string, { kernel: string; benchmark: boolean }>();
  for (const { kernel, benchmark } of [...before.kernels, ...after.kernels])
    keys.set(`${benchmark} ${kernel}`, { kernel, benchmark });
  const kernels = [...keys.values()].map(({ kernel, benchmark }) => {
    const [a, b] = [sideOf(before, kernel, benchmark), sideOf(after, kernel, benchmark)];
    return { kernel, benchmark, before: a, after: b, ...compared(a, b, same) };
  });
  return { version: 1, before: end(before), after: end(after), kernels };
}

function sideOf({ kernels }: Profile, kernel: string, benchmark: boolean): Side | null {
  const rows = kernels.filter((row) => row.kernel === kernel && row.benchmark === benchmark);
  if (rows.length === 0) return null;
  const timed = rows.filter(({ total }) => total !== null);
  const clocks = new Set(timed.map(({ clock }) => clock));
  const sum = (of: (row: ProfiledKernel) => number): number =>
    timed.reduce((all, row) => all + of(row), 0);
  const measured = timed.length > 0 && clocks.size === 1;
  return {
    launches: rows.reduce((all, { launches }) => all + launches, 0),
    time: measured ? middle(timed) : null,
    total: measured ? sum(({ total }) => total ?? 0) : null,
    timed: sum((row) => row.timed),
    clock: measured ? (timed[0]?.clock ?? null) : null,
    grids: rows.map(({ grid }) => grid),
  };
}

/** The middle of the rows' medians, each counted for its timed launches. */
function middle(rows: readonly ProfiledKernel[]): number | null {
  const sorted = rows.toSorted((a, b) => (a.median ?? 0) - (b.median ?? 0));
  const half = rows.reduce((all, { timed }) => all + timed, 0) / 2;
  let seen = 0;
  for (const row of sorted) {
    seen += row.timed;
    if (seen >= half) return row.median;
  }
  return null;
}

function compared(
  before: Side | null,
  after: Side | null,
  sameAdapter: boolean,
): Pick<KernelDifference, 'ratio' | 'reason'> {
  const none = (reason: string): Pick<KernelDifference, 'ratio' | 'reason'> => ({
    ratio: null,
    reason,
  });
  if (!before) return none('launched only after');
  if (!after) return none('launched only before');
  if (!sameAdapter) return none('the runs had different adapters');
  if (before.time === null || after.time === null)
    return none('a run has no time of it, or times of two clocks');
  if (before.clock !== after.clock) return none('the times are of different clocks');
  if (!(before.time > 0)) return none('the time before is below the resolution of the clock');
  const grids = JSON.stringify(before.grids) === JSON.stringify(after.grids);
  return {
    ratio: after.time / before.time,
    reason: grids ? null : 'the grids differ: the work of a launch may, too',
  };
}

/** The difference for a terminal: a line for each kernel. */
export function differenceText({ before, after, kernels }: RunDifference): string {
  const name = ({ adapter }: RunDifference['before']): string => adapter ?? 'no adapter';
  const lines = [
    before.adapter === after.adapter
      ? `on ${name(before)}`
      : `before on ${name(before)}, after on ${name(after)}`,
  ];
  for (const { kernel, benchmark, before: a, after: b, ratio, reason } of kernels) {
    const change = ratio === null ? '' : `, × ${Number(ratio.toPrecision(3))}`;
    const times = `${timeText(a)} → ${timeText(b)}${change}`;
    lines.push(
      `  ${kernel}${benchmark ? ' (benchmark)' : ''}  ${times}${reason ? ` (${reason})` : ''}`,
    );
  }
  if (kernels.length === 0) lines.push('  no launches in either run');
  return `${lines.join('\n')}\n`;
}

function timeText(side: Side | null): string {
  if (!side) return '–';
  if (side.time === null) return 'no time';
  return `${Number(side.time.toPrecision(3))} µs ${side.clock === 'gpu' ? 'GPU' : 'CPU'}`;
}
