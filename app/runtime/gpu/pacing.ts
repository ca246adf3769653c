/**
 * How much a software adapter is given at a time. What was submitted cannot be taken back, and
 * until it is done a browser draws nothing, also after Stop; so a launch that takes longer is cut
 * into slices of its programs, each submitted when the one before is done.
 *
 * Guarantee: what is submitted takes about `MOST_QUEUED` as far as it can be foreseen: by the
 * launch's cost, and by what earlier launches of its kernel took. A single program is never cut.
 */
import { kernelOf, type EngineLaunch, type Unit } from '../engine';
import { sliceSize, type Slice } from './dispatches';

/** Nanoseconds of a slice, and of everything that is on its way. */
const LONGEST_SLICE = 200e6;
const MOST_QUEUED = 400e6;
/**
 * Estimate for an operation, or four bytes moved, of a kernel that was never measured: it takes
 * less.
 */
const PESSIMISTIC = 10;
/** Below this a clock's step and what any launch costs are most of the time. */
const SHORT = 1e6;
const SHORTEST = 1e5;
/** Workgroups of the first slice, where nothing is known. */
const FIRST_WORKGROUPS = 16;
/**
 * A slice has at most so many times the programs of the one before: programs need not cost the
 * same.
 */
const MOST_GROWTH = 8;

export class Pacing {
  /** Nanoseconds of one unit of work. */
  private readonly rates = new WeakMap<Unit, number>();
  private readonly expected = new Map<EngineLaunch, number>();
  private queued = 0;

  /** Nanoseconds that a launch takes; Infinity where that cannot be said. */
  expect(launch: EngineLaunch): number {
    const rate = this.rates.get(launch.unit);
    if (rate !== undefined) return rate * workOf(launch);
    return launch.cost && launch.cost.uncertain === null ? PESSIMISTIC * workOf(launch) : Infinity;
  }

  /** Whether a launch can be submitted at once, and as a whole. */
  fits(nanoseconds: number): boolean {
    return nanoseconds <= LONGEST_SLICE && this.queued + nanoseconds <= MOST_QUEUED;
  }
  /** Whether it has to be cut, however little is on its way. */
  isLong(nanoseconds: number): boolean {
    return nanoseconds > LONGEST_SLICE;
  }

  /** The launch is on its way. */
  add(launch: EngineLaunch, nanoseconds: number): void {
    this.expected.set(launch, nanoseconds);
    this.queued += nanoseconds;
  }

  /** The launch is done, and took so long; null where the GPU reported none. */
  took(launch: EngineLaunch, nanoseconds: number | null): void {
    this.queued -= this.expected.get(launch) ?? 0;
    this.expected.delete(launch);
    if (nanoseconds === null) return;
    const rate = Math.max(SHORTEST, nanoseconds) / workOf(launch);
    const certain = launch.cost?.uncertain === null;
    this.rates.set(
      launch.unit,
      nanoseconds < SHORT && certain ? Math.min(rate, PESSIMISTIC) : rate,
    );
  }

  /** Nothing is on its way. */
  idle(): void {
    this.expected.clear();
    this.queued = 0;
  }

  /** Programs of the first slice. */
  firstSlice(launch: EngineLaunch, nanoseconds: number): number {
    const least = FIRST_WORKGROUPS * (launch.unit.kernel?.programs ?? 1);
    if (!this.rates.has(launch.unit)) return least;
    return Math.max(1, Math.floor((programsOf(launch) * LONGEST_SLICE) / nanoseconds));
  }

  /** Programs of the slice after one of so many, which took so long. */
  nextSlice(programs: number, nanoseconds: number): number {
    return Math.max(1, Math.floor(programs * Math.min(MOST_GROWTH, LONGEST_SLICE / nanoseconds)));
  }
}

export interface SliceSteps {
  isLost(): boolean;
  /** Undefined: all of the launch. */
  encode(slice: Slice | undefined): void;
  /** Resolves when what is encoded is done. */
  submit(): Promise<void>;
}

/**
 * Encodes a launch when nothing is on its way, and submits each slice but the last. @returns
 * whether there are several.
 * @param limit workgroups in a dimension.
 */
export async function encodeInSlices(
  pacing: Pacing,
  launch: EngineLaunch,
  limit: number,
  { isLost, encode, submit }: SliceSteps,
): Promise<boolean> {
  pacing.idle();
  const expected = pacing.expect(launch);
  const total = programsOf(launch);
  let size = pacing.isLong(expected) ? pacing.firstSlice(launch, expected) : total;
  let first = 0;
  while (!isLost() && total - first > size) {
    const whole = sliceSize(kernelOf(launch.unit), size, limit);
    if (first + whole >= total) break;
    const begin = performance.now();
    encode({ first, end: first + whole });
    await submit();
    first += whole;
    size = pacing.nextSlice(whole, (performance.now() - begin) * 1e6);
  }
  pacing.add(launch, Math.min(expected, LONGEST_SLICE));
  encode(first > 0 ? { first, end: total } : undefined);
  return first > 0;
}

export function programsOf({ grid }: EngineLaunch): number {
  return grid[0] * grid[1] * grid[2];
}

/** Operations and words moved; of a launch that was not counted, its programs. */
function workOf(launch: EngineLaunch): number {
  const { cost } = launch;
  if (!cost) return programsOf(launch);
  const { f64, f32, f16, integer } = cost.operations;
  return Math.max(1, f64 + f32 + f16 + integer + cost.requestedBytes / 4);
}
