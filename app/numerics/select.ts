/**
 * Picking elements by index: gathering, scattering and advanced indexing. All take index tensors as
 * int64 and check every index against its dimension, negative ones counting from the end.
 */
import type { Values } from './dtypes';

type Any = Float32Array;

function resolve(index: bigint, size: number, axis: number): number {
  const i = Number(index);
  if (i < -size || i >= size)
    throw new Error(
      `IndexError: index ${i} is out of bounds for dimension ${axis} with size ${size}`,
    );
  return i < 0 ? i + size : i;
}

/**
 * Advanced indexing of the leading dimensions: `lists` hold one index a selected element and
 * dimension; `inner` elements follow each. @returns where each selected run starts.
 */
export function positions(
  lists: readonly BigInt64Array[],
  sizes: readonly number[],
  axes: readonly number[],
  inner: number,
): Float64Array {
  const n = lists.reduce((most, list) => Math.max(most, list.length), 0);
  const count = lists.some((list) => list.length === 0) ? 0 : n;
  const out = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let at = 0;
    for (let d = 0; d < lists.length; d++) {
      const list = lists[d]!;
      at = at * sizes[d]! + resolve(list[list.length === 1 ? 0 : i]!, sizes[d]!, axes[d]!);
    }
    out[i] = at * inner;
  }
  return out;
}

export function take(source: Values, starts: Float64Array, inner: number, out: Values): void {
  const from = source as Any;
  const to = out as Any;
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!;
    for (let j = 0; j < inner; j++) to[i * inner + j] = from[start + j]!;
  }
}

/** @param accumulate adds instead of overwriting. */
export function put(
  target: Values,
  starts: Float64Array,
  inner: number,
  values: Values,
  accumulate: boolean,
): void {
  const to = target as Any;
  const from = values as Any;
  const step = values.length === 1 ? 0 : 1;
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!;
    for (let j = 0; j < inner; j++) {
      const value = from[(i * inner + j) * step]!;
      if (accumulate) to[start + j]! += value;
      else to[start + j] = value;
    }
  }
}

/** `torch.gather` along the last but `inner` dimensions: see `positionsAlong`. */
export function positionsAlong(
  index: BigInt64Array,
  indexSizes: readonly number[],
  sourceSizes: readonly number[],
  axis: number,
): Float64Array {
  const out = new Float64Array(index.length);
  const rank = indexSizes.length;
  const at = indexSizes.map(() => 0);
  for (let i = 0; i < index.length; i++) {
    let position = 0;
    for (let d = 0; d < rank; d++) {
      const coordinate = d === axis ? resolve(index[i]!, sourceSizes[d]!, axis) : at[d]!;
      position = position * sourceSizes[d]! + coordinate;
    }
    out[i] = position;
    for (let d = rank - 1; d >= 0; d--) {
      if (++at[d]! < indexSizes[d]!) break;
      at[d] = 0;
    }
  }
  return out;
}

/** Row-major coordinates of what is not zero: [count, rank]. */
export function nonzero(x: Values, sizes: readonly number[]): BigInt64Array {
  const found: number[] = [];
  for (let i = 0; i < x.length; i++) if (Number(x[i]!) !== 0) found.push(i);
  const rank = sizes.length;
  const out = new BigInt64Array(found.length * rank);
  found.forEach((position, row) => {
    let rest = position;
    for (let d = rank - 1; d >= 0; d--) {
      out[row * rank + d] = BigInt(rest % sizes[d]!);
      rest = Math.floor(rest / sizes[d]!);
    }
  });
  return out;
}
