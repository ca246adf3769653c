/**
 * Summary of a tensor at a glance: extremes, mean and spread of its finite elements, how many are
 * NaN, infinite, zero or subnormal, and a histogram. One pass finds the extremes, a second the
 * rest, in f64; nothing is sampled.
 */
import { isFloat, type Dtype } from '../numerics/dtypes';
import { forEachChunk, type Elements } from './elements';

const BINS = 64;

export interface Histogram {
  /** Edges of the first and the last bin. */
  readonly low: number;
  readonly high: number;
  /** Bins of equal width. The last bin has its upper edge too. Finite elements only. */
  readonly counts: readonly number[];
  /** Each bin is one whole number: `low` of the first, `low + 1` of the second. */
  readonly discrete: boolean;
}

export interface Statistics {
  readonly count: number;
  readonly nan: number;
  readonly positiveInfinity: number;
  readonly negativeInfinity: number;
  /** Both zeros. */
  readonly zeros: number;
  readonly negativeZeros: number;
  readonly subnormal: number;
  /** Over the finite elements; null where there are none. */
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** With n − 1, as `torch.std`; null below two elements. */
  readonly std: number | null;
  /** Null without a finite element. */
  readonly histogram: Histogram | null;
}

const SMALLEST_NORMAL: Partial<Record<Dtype, number>> = {
  float64: 2 ** -1022,
  float32: 2 ** -126,
  bfloat16: 2 ** -126,
  float16: 2 ** -14,
  float8_e5m2: 2 ** -14,
  float8_e4m3fn: 2 ** -6,
};

export function statistics(elements: Elements): Statistics {
  const normal = SMALLEST_NORMAL[elements.dtype] ?? 0;
  let [nan, positiveInfinity, negativeInfinity, zeros, negativeZeros, subnormal] = [
    0, 0, 0, 0, 0, 0,
  ];
  let [min, max, sum, finite] = [Infinity, -Infinity, 0, 0];
  forEachChunk(elements, (values) => {
    // A sum of sums loses less than one long sum.
    let part = 0;
    for (let i = 0; i < values.length; i++) {
      const x = Number(values[i]!);
      if (x !== x) nan++;
      else if (x === Infinity) positiveInfinity++;
      else if (x === -Infinity) negativeInfinity++;
      else {
        finite++;
        part += x;
        if (x < min) min = x;
        if (x > max) max = x;
        if (x === 0) {
          zeros++;
          if (Object.is(x, -0)) negativeZeros++;
        } else if (x < normal && -x < normal) subnormal++;
      }
    }
    sum += part;
  });
  const counts = { nan, positiveInfinity, negativeInfinity, zeros, negativeZeros, subnormal };
  const count = elements.raw.length;
  if (finite === 0)
    return { count, ...counts, min: null, max: null, mean: null, std: null, histogram: null };
  const mean = clamp(sum / finite, min, max);
  const { squares, histogram } = spread(elements, mean, min, max);
  const std = finite > 1 ? Math.sqrt(squares / (finite - 1)) : null;
  return { count, ...counts, min, max, mean, std, histogram };
}

function clamp(x: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, x));
}

function spread(
  elements: Elements,
  mean: number,
  min: number,
  max: number,
): { squares: number; histogram: Histogram } {
  const discrete = !isFloat(elements.dtype) && max - min < BINS;
  const bins = discrete ? max - min + 1 : min === max ? 1 : BINS;
  const counts = new Float64Array(bins);
  const at = binner(min, max, bins, discrete);
  let squares = 0;
  forEachChunk(elements, (values) => {
    let part = 0;
    for (let i = 0; i < values.length; i++) {
      const x = Number(values[i]!);
      if (!(x - x === 0)) continue;
      const d = x - mean;
      part += d * d;
      counts[at(x)]!++;
    }
    squares += part;
  });
  return { squares, histogram: { low: min, high: max, counts: Array.from(counts), discrete } };
}

/** The bin of a value between `min` and `max`, both inside. */
export function binner(
  min: number,
  max: number,
  bins: number,
  discrete: boolean,
): (x: number) => number {
  if (discrete) return (x) => x - min;
  // Halves, so that the span of all f64 numbers does not overflow.
  const span = max / 2 - min / 2;
  if (span === 0) return () => 0;
  return (x) => Math.min(bins - 1, Math.floor(((x / 2 - min / 2) / span) * bins));
}
