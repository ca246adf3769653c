/**
 * Times with their spread, and what two of them say about each other. A time below the clock's step
 * is not compared: it says less than its step, not nothing. Microseconds.
 */
import type { Timing } from '../../events';
import type { LaunchGroup } from '../../state/record';

export interface Spread {
  readonly clock: Timing['clock'];
  readonly quantum: number;
  readonly median: number;
  /** Ends of the middle half (`quartiles`), or of the middle four fifths (`deciles`). */
  readonly low: number;
  readonly high: number;
  readonly of: 'quartiles' | 'deciles' | 'one';
  /** Samples. */
  readonly n: number;
}

function quantile(sorted: readonly number[], fraction: number): number {
  const at = (sorted.length - 1) * fraction;
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!];
  return low + (high - low) * (at % 1);
}

/** Spread of a row's launches; null before the first time has come. */
export function spreadOf({ timings }: Pick<LaunchGroup, 'timings'>): Spread | null {
  const [first] = timings;
  if (!first) return null;
  const { clock, quantum } = first;
  const n = timings.reduce((sum, timing) => sum + timing.samples, 0);
  if (timings.length === 1) {
    const { median, low, high } = first;
    return { clock, quantum, median, low, high, of: n > 1 ? 'deciles' : 'one', n };
  }
  const medians = timings.map((timing) => timing.median).sort((a, b) => a - b);
  return {
    clock,
    quantum,
    median: quantile(medians, 0.5),
    low: quantile(medians, 0.25),
    high: quantile(medians, 0.75),
    of: 'quartiles',
    n,
  };
}

export function isBelow({ median, quantum }: Spread): boolean {
  return quantum > 0 && median < quantum;
}

export type Change =
  | { readonly kind: 'faster' | 'slower'; readonly ratio: number }
  /** The spreads overlap: what lies between is noise. */
  | { readonly kind: 'same'; readonly ratio: number }
  | { readonly kind: 'unknown'; readonly reason: string };

/** How `now` stands to `before`. The ratio is of the times: 0.5 takes half as long. */
export function changeOf(before: Spread, now: Spread): Change {
  if (before.clock !== now.clock) return { kind: 'unknown', reason: 'different clocks' };
  if (isBelow(before) || isBelow(now))
    return { kind: 'unknown', reason: 'below the clock’s resolution' };
  const ratio = now.median / before.median;
  // A clock reports a time to within its step, however often it is asked.
  const [a, b] = [widened(before), widened(now)];
  if (a.low <= b.high && b.low <= a.high) return { kind: 'same', ratio };
  return { kind: ratio < 1 ? 'faster' : 'slower', ratio };
}
/** One sample has no spread: some tenth is taken for it. */
const ONE_SAMPLE = 0.05;
function widened({ low, high, median, quantum, n }: Spread): { low: number; high: number } {
  const margin = Math.max(quantum / 2, n < 3 ? median * ONE_SAMPLE : 0);
  return { low: Math.min(low, median - margin), high: Math.max(high, median + margin) };
}
