/**
 * Reductions and scans along rows: the operand comes as `rows` rows of `width` elements, the
 * reduced dimensions having been moved to the end. Floats accumulate in f64 and are rounded once,
 * so a sum is at least as exact as PyTorch's pairwise one; int64 sums are exact and wrap.
 */
import { computeArray, isBig, isFloat, roundTo } from './dtypes';
import type { BigArray, Dtype, NumberArray, Values } from './dtypes';
import { foldRows } from './kernels/reductions';

type Fold = (row: NumberArray, from: number, to: number, extra: number) => number;

const FOLDS: Readonly<Record<string, Fold>> = {
  sum: (x, from, to) => {
    let sum = 0;
    for (let i = from; i < to; i++) sum += x[i]!;
    return sum;
  },
  mean: (x, from, to) => FOLDS['sum']!(x, from, to, 0) / (to - from),
  prod: (x, from, to) => {
    let product = 1;
    for (let i = from; i < to; i++) product *= x[i]!;
    return product;
  },
  amax: (x, from, to) => x[argBest(x, from, to, true)]!,
  amin: (x, from, to) => x[argBest(x, from, to, false)]!,
  any: (x, from, to) => {
    for (let i = from; i < to; i++) if (x[i] !== 0) return 1;
    return 0;
  },
  all: (x, from, to) => {
    for (let i = from; i < to; i++) if (x[i] === 0) return 0;
    return 1;
  },
  count_nonzero: (x, from, to) => {
    let n = 0;
    for (let i = from; i < to; i++) if (x[i] !== 0) n++;
    return n;
  },
  /** `extra` is the correction: the divisor is n − correction. */
  var: (x, from, to, correction) => {
    const mean = FOLDS['mean']!(x, from, to, 0);
    let sum = 0;
    for (let i = from; i < to; i++) sum += (x[i]! - mean) ** 2;
    return sum / Math.max(0, to - from - correction);
  },
  std: (x, from, to, correction) => Math.sqrt(FOLDS['var']!(x, from, to, correction)),
  /** `extra` is p. */
  norm: (x, from, to, p) => {
    if (p === Infinity || p === -Infinity) {
      let best = p > 0 ? 0 : Infinity;
      for (let i = from; i < to; i++) {
        const a = Math.abs(x[i]!);
        if (a !== a) return a;
        best = p > 0 ? Math.max(best, a) : Math.min(best, a);
      }
      return best;
    }
    let sum = 0;
    for (let i = from; i < to; i++) {
      const a = Math.abs(x[i]!);
      sum += p === 2 ? a * a : p === 1 ? a : p === 0 ? (a !== 0 ? 1 : 0) : a ** p;
    }
    return p === 2 ? Math.sqrt(sum) : p === 1 || p === 0 ? sum : sum ** (1 / p);
  },
  logsumexp: (x, from, to) => {
    const max = FOLDS['amax']!(x, from, to, 0);
    if (!Number.isFinite(max)) return max;
    let sum = 0;
    for (let i = from; i < to; i++) sum += Math.exp(x[i]! - max);
    return max + Math.log(sum);
  },
};

/** Index of the first largest (or smallest) element; a NaN wins. */
function argBest(x: NumberArray | BigArray, from: number, to: number, largest: boolean): number {
  let best = from;
  for (let i = from; i < to; i++) {
    const value = x[i]!;
    if (value !== value) return i;
    if (largest ? value > x[best]! : value < x[best]!) best = i;
  }
  return best;
}

function bigFold(name: string, x: BigArray, from: number, to: number): bigint {
  switch (name) {
    case 'sum': {
      let sum = 0n;
      for (let i = from; i < to; i++) sum += x[i]!;
      return sum;
    }
    case 'prod': {
      let product = 1n;
      for (let i = from; i < to; i++) product = BigInt.asIntN(64, product * x[i]!);
      return product;
    }
    case 'amax':
      return x[argBest(x, from, to, true)]!;
    case 'amin':
      return x[argBest(x, from, to, false)]!;
    case 'any':
      for (let i = from; i < to; i++) if (x[i] !== 0n) return 1n;
      return 0n;
    case 'all':
      for (let i = from; i < to; i++) if (x[i] === 0n) return 0n;
      return 1n;
    case 'count_nonzero': {
      let n = 0n;
      for (let i = from; i < to; i++) if (x[i] !== 0n) n++;
      return n;
    }
    default:
      throw new Error(`"${name}" not implemented for 64-bit integers`);
  }
}

/** @param dtype what `x` holds and, but for indices and truths, what comes out. */
export function reduce(
  name: string,
  x: Values,
  rows: number,
  width: number,
  dtype: Dtype,
  extra: number,
): Values {
  if (name === 'argmax' || name === 'argmin') return indices(x, rows, width, name === 'argmax');
  const folded = foldRows(name === 'mean' ? 'sum' : name, x, rows, width, dtype);
  if (folded) {
    if (name === 'mean') for (let r = 0; r < rows; r++) (folded as Float64Array)[r]! /= width;
    return isBig(folded) || folded.constructor === x.constructor ? folded : narrowed(folded, dtype);
  }
  const out = computeArray(dtype, rows);
  if (isBig(x)) {
    const to = out as BigArray;
    for (let r = 0; r < rows; r++) to[r] = bigFold(name, x, r * width, (r + 1) * width);
    return out;
  }
  const fold = FOLDS[name];
  if (!fold) throw new Error(`"${name}" not implemented`);
  const to = out as NumberArray;
  for (let r = 0; r < rows; r++) to[r] = fold(x, r * width, (r + 1) * width, extra);
  roundTo(dtype, out);
  return out;
}

/** Rounds what was computed in f64. */
function narrowed(values: Values, dtype: Dtype): Values {
  const out = computeArray(dtype, values.length) as NumberArray;
  out.set(values as NumberArray);
  roundTo(dtype, out);
  return out;
}

function indices(x: Values, rows: number, width: number, largest: boolean): BigInt64Array {
  const out = new BigInt64Array(rows);
  for (let r = 0; r < rows; r++)
    out[r] = BigInt(argBest(x, r * width, (r + 1) * width, largest) - r * width);
  return out;
}

/** Running results along each row: 'cumsum', 'cumprod', 'cummax', 'cummin', 'logcumsumexp'. */
export function scan(name: string, x: Values, rows: number, width: number, dtype: Dtype): Values {
  const out = computeArray(dtype, rows * width);
  if (isBig(x)) {
    const to = out as BigArray;
    for (let r = 0; r < rows; r++) {
      let state = name === 'cumprod' ? 1n : 0n;
      for (let i = r * width; i < (r + 1) * width; i++) {
        if (name === 'cumsum') state += x[i]!;
        else if (name === 'cumprod') state = BigInt.asIntN(64, state * x[i]!);
        else if (i === r * width || (name === 'cummax' ? x[i]! >= state : x[i]! <= state))
          state = x[i]!;
        to[i] = state;
      }
    }
    return out;
  }
  const to = out as NumberArray;
  for (let r = 0; r < rows; r++) {
    let state = name === 'cumprod' ? 1 : name === 'logcumsumexp' ? -Infinity : 0;
    for (let i = r * width; i < (r + 1) * width; i++) {
      const value = x[i]!;
      if (name === 'cumsum') state += value;
      else if (name === 'cumprod') state *= value;
      else if (name === 'logcumsumexp') {
        const max = Math.max(state, value);
        state =
          Math.abs(max) === Infinity
            ? max
            : max + Math.log(Math.exp(state - max) + Math.exp(value - max));
      } else if (
        i === r * width ||
        value !== value ||
        (name === 'cummax' ? value >= state : value <= state)
      )
        state = value;
      to[i] = state;
    }
  }
  roundTo(dtype, out);
  return out;
}

/** 'softmax' or 'log_softmax' of each row. */
export function softmax(
  name: string,
  x: Values,
  rows: number,
  width: number,
  dtype: Dtype,
): Values {
  if (!isFloat(dtype)) throw new Error(`"${name}" not implemented for '${dtype}'`);
  const from = x as NumberArray;
  const out = computeArray(dtype, rows * width) as NumberArray;
  const row = new Float64Array(width);
  for (let r = 0; r < rows; r++) {
    const base = r * width;
    const max = width ? FOLDS['amax']!(from, base, base + width, 0) : 0;
    let sum = 0;
    for (let i = 0; i < width; i++) {
      const shifted = from[base + i]! - max;
      const e = Math.exp(shifted);
      sum += e;
      row[i] = name === 'softmax' ? e : shifted;
    }
    if (name === 'softmax') for (let i = 0; i < width; i++) out[base + i] = row[i]! / sum;
    else {
      const log = Math.log(sum);
      for (let i = 0; i < width; i++) out[base + i] = row[i]! - log;
    }
  }
  roundTo(dtype, out);
  return out;
}

/** Each row sorted (stable; NaN is the largest). @returns the values and where they came from. */
export function sort(
  x: Values,
  rows: number,
  width: number,
  descending: boolean,
): { values: Values; indices: BigInt64Array } {
  const values = x.slice() as Float32Array;
  const from = x as Float32Array;
  const where = new BigInt64Array(rows * width);
  const compare = (a: number, b: number): number => {
    if (a !== a) return b !== b ? 0 : 1;
    if (b !== b) return -1;
    return a < b ? -1 : a > b ? 1 : 0;
  };
  for (let r = 0; r < rows; r++) {
    const base = r * width;
    const order = Array.from({ length: width }, (_, i) => i);
    order.sort((i, j) =>
      descending
        ? compare(from[base + j]!, from[base + i]!) || i - j
        : compare(from[base + i]!, from[base + j]!) || i - j,
    );
    for (let i = 0; i < width; i++) {
      values[base + i] = from[base + order[i]!]!;
      where[base + i] = BigInt(order[i]!);
    }
  }
  return { values, indices: where };
}
