/**
 * Picking elements by index: gathering, scattering and advanced indexing. All take index tensors as
 * int64 and check every index against its dimension, negative ones counting from the end.
 */
import type { Values } from './dtypes';
import { pick } from './moves';

type Any = Float32Array;

/**
 * Adds to each place the position that an index list gives it: `places[i]` becomes
 * `places[i] · scale + index · stride`.
 */
function resolve(
  list: BigInt64Array,
  first: number,
  count: number,
  size: number,
  axis: number,
  visit: Resolved,
): void {
  // Words are read, not BigInts: an index fits one or is out of bounds.
  const words = new Int32Array(list.buffer, list.byteOffset, list.length * 2);
  const { places, scale, stride } = visit;
  const step = list.length === 1 ? 0 : 2;
  for (let i = first; i < first + count; i++) {
    const low = words[i * step]!;
    if (low >> 31 !== words[i * step + 1] || low < -size || low >= size)
      throw new Error(
        `IndexError: index ${list[(i * step) / 2]} is out of bounds for dimension ${axis} with size ${size}`,
      );
    places[i] = places[i]! * scale + (low < 0 ? low + size : low) * stride;
  }
}
interface Resolved {
  readonly places: Float64Array;
  readonly scale: number;
  readonly stride: number;
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
  const places = new Float64Array(count);
  lists.forEach((list, d) => {
    const last = d === lists.length - 1;
    const stride = last ? inner : 1;
    resolve(list, 0, count, sizes[d]!, axes[d]!, {
      places,
      scale: last ? sizes[d]! * inner : sizes[d]!,
      stride,
    });
  });
  return places;
}

export function take(source: Values, starts: Float64Array, inner: number, out: Values): void {
  pick(source, starts, inner, out);
}

/** @param accumulate adds instead of overwriting. */
export function put(
  target: Values,
  starts: Float64Array,
  inner: number,
  values: Values,
  accumulate: boolean,
): void {
  const step = values.length === 1 ? 0 : 1;
  // A loop for each type of array, which stays compiled for it.
  if (inner === 1 && accumulate) {
    if (target instanceof Float32Array && values instanceof Float32Array) {
      for (let i = 0; i < starts.length; i++) target[starts[i]!]! += values[i * step]!;
      return;
    }
    if (target instanceof Float64Array && values instanceof Float64Array) {
      for (let i = 0; i < starts.length; i++) target[starts[i]!]! += values[i * step]!;
      return;
    }
    if (target instanceof Int32Array && values instanceof Int32Array) {
      for (let i = 0; i < starts.length; i++) target[starts[i]!]! += values[i * step]!;
      return;
    }
    if (target instanceof BigInt64Array && values instanceof BigInt64Array)
      return addLongs(target, starts, values, step);
  }
  const to = target as Any;
  const from = values as Any;
  for (let i = 0; i < starts.length; i++) {
    const start = starts[i]!;
    for (let j = 0; j < inner; j++) {
      const value = from[(i * inner + j) * step]!;
      if (accumulate) to[start + j]! += value;
      else to[start + j] = value;
    }
  }
}

/** Adds in two words, with the carry. */
function addLongs(
  target: BigInt64Array,
  starts: Float64Array,
  values: BigInt64Array,
  step: number,
): void {
  const to = new Uint32Array(target.buffer, target.byteOffset, target.length * 2);
  const from = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  for (let i = 0; i < starts.length; i++) {
    const at = 2 * starts[i]!;
    const low = to[at]! + from[2 * i * step]!;
    to[at] = low;
    to[at + 1] = to[at + 1]! + from[2 * i * step + 1]! + (low > 0xffffffff ? 1 : 0);
  }
}

/** Places in `source` of `torch.gather` along an axis, for an index of the same rank. */
export function positionsAlong(
  index: BigInt64Array,
  indexSizes: readonly number[],
  sourceSizes: readonly number[],
  axis: number,
): Float64Array {
  const places = new Float64Array(index.length);
  const rank = indexSizes.length;
  if (rank === 0) {
    resolve(index, 0, index.length, 1, axis, { places, scale: 0, stride: 1 });
    return places;
  }
  const strides = sourceSizes.map((_, d) =>
    sourceSizes.slice(d + 1).reduce((all, size) => all * size, 1),
  );
  const last = rank - 1;
  const width = indexSizes[last]!;
  const at = indexSizes.map(() => 0);
  const visit = { places, scale: 1, stride: strides[axis]! };
  // Row by row: the place of the row, then, off the axis, of the column.
  for (let first = 0; first < index.length; first += width) {
    let row = 0;
    for (let d = 0; d < last; d++) if (d !== axis) row += at[d]! * strides[d]!;
    const step = axis === last ? 0 : 1;
    for (let i = 0; i < width; i++) places[first + i] = row + i * step;
    resolve(index, first, width, sourceSizes[axis]!, axis, visit);
    for (let d = last - 1; d >= 0; d--) {
      if (++at[d]! < indexSizes[d]!) break;
      at[d] = 0;
    }
  }
  return places;
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
