/**
 * The limit of a launch: its time against the rates that this device was measured to reach
 * (`gpu/calibration.ts`).
 *
 * Guarantee: a verdict follows from the numbers that it carries, by the rules of `verdictOf` alone,
 * tried in their order. There is none where the clock did not resolve the launch, or where the
 * device was not calibrated.
 */
import type { Calibration, LaunchCost, Limit, Timing } from '../events';

export interface Verdict {
  readonly limit: Limit;
  /** Microseconds that it took. */
  readonly time: number;
  /**
   * Microseconds that each takes at the device's best rate: the minimum traffic, the floating-point
   * operations, and all bytes that the programs ask for, as if no cache kept any.
   */
  readonly memory: number;
  readonly arithmetic: number;
  readonly requested: number;
  /** Microseconds of a launch that does nothing; null where it was not measured. */
  readonly empty: number | null;
  /** All threads of the launch; null where they are not known. */
  readonly threads: number | null;
  /** Threads that reach half of the roof of arithmetic; null where that was not measured. */
  readonly halfRateThreads: number | null;
}

/** A launch that takes less than this many empty ones is mostly overhead. */
const OVERHEAD = 2;
/** Share of a roof that counts as reaching it. */
export const REACHED = 0.6;

/** @param programs of the launch. @returns null where nothing can be said. */
export function verdictOf(
  cost: LaunchCost,
  timing: Pick<Timing, 'median' | 'quantum'>,
  calibration: Calibration | null,
  programs: number,
): Verdict | null {
  const { median: time, quantum } = timing;
  if (!calibration || time <= 0 || time < quantum) return null;
  const { bytesPerSecond, f32PerSecond, f16PerSecond, emptyLaunch, halfRateThreads } = calibration;
  const { f32, f16 } = cost.operations;
  const numbers = {
    time,
    memory: ((cost.readBytes + cost.writtenBytes) / bytesPerSecond) * 1e6,
    arithmetic: (f32 / f32PerSecond + f16 / (f16PerSecond ?? f32PerSecond)) * 1e6,
    requested: (cost.requestedBytes / bytesPerSecond) * 1e6,
    // Zero: the clock's step is longer than such a launch, and it was not measured.
    empty: emptyLaunch ? emptyLaunch : null,
    threads: cost.resources ? programs * cost.resources.threads : null,
    halfRateThreads: halfRateThreads ?? null,
  };
  return { ...numbers, limit: limitOf(numbers) };
}

function limitOf(numbers: Omit<Verdict, 'limit'>): Limit {
  const { time, memory, arithmetic, requested, empty, threads, halfRateThreads } = numbers;
  if (empty !== null && time < OVERHEAD * empty) return 'launch overhead';
  if (Math.max(memory, arithmetic) >= REACHED * time)
    return memory >= arithmetic ? 'bandwidth' : 'arithmetic';
  if (threads !== null && halfRateThreads !== null && threads < halfRateThreads) return 'occupancy';
  // Bytes that no cache keeps are moved again: bandwidth limits far above the minimum traffic.
  if (requested >= REACHED * time) return 'bandwidth';
  return 'latency';
}
