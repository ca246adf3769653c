/**
 * Shape operations as lists of source indices, made once a launch: element i of the result is
 * element `indices[i]` of the operand, in row-major order.
 */
import { rowMajorStrides } from './types';

/** For each element of `shape`, the sum of its coordinates times `strides`, plus `start`. */
function stridedIndices(
  shape: readonly number[],
  strides: readonly number[],
  start = 0,
): Int32Array {
  const count = shape.reduce((a, b) => a * b, 1);
  const indices = new Int32Array(count);
  indices[0] = start;
  // The block filled so far is repeated along each dimension, the last one first.
  let filled = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    for (let k = 1; k < shape[d]!; k++) {
      const shift = k * strides[d]!;
      for (let i = 0; i < filled; i++) indices[k * filled + i] = indices[i]! + shift;
    }
    filled *= shape[d]!;
  }
  return indices;
}

export function broadcastIndices(from: readonly number[], to: readonly number[]): Int32Array {
  const strides = rowMajorStrides(from).map((stride, d) => (from[d] === 1 ? 0 : stride));
  return stridedIndices(to, strides);
}
/**
 * A broadcast of neighbouring dimensions as [outer, times, inner]: element (o, t, i) of the result
 * is element (o, i) of the operand. Undefined where two dimensions apart are repeated.
 */
export function broadcastRun(
  from: readonly number[],
  to: readonly number[],
): [number, number, number] | undefined {
  const repeated = to.map((size, d) => size !== 1 && from[d] === 1);
  const first = repeated.indexOf(true);
  const last = repeated.lastIndexOf(true);
  if (first < 0) return undefined;
  const plain = to.some((size, d) => d > first && d < last && size !== 1 && !repeated[d]);
  if (plain) return undefined;
  const product = (list: readonly number[]) => list.reduce((a, b) => a * b, 1);
  return [
    product(to.slice(0, first)),
    product(to.slice(first, last + 1)),
    product(to.slice(last + 1)),
  ];
}
/** Dimension i of the result is dimension `order[i]` of the operand. */
export function transposeIndices(from: readonly number[], order: readonly number[]): Int32Array {
  const strides = rowMajorStrides(from);
  return stridedIndices(
    order.map((d) => from[d]!),
    order.map((d) => strides[d]!),
  );
}
/** The part of `from` that begins at `origin` and has the shape `part`. */
export function sliceIndices(
  from: readonly number[],
  origin: readonly number[],
  part: readonly number[],
): Int32Array {
  const strides = rowMajorStrides(from);
  const start = strides.reduce((sum, stride, d) => sum + stride * (origin[d] ?? 0), 0);
  return stridedIndices(part, strides, start);
}

/** A shape as [outer, size of the axis, inner]. */
export function splitAxis(shape: readonly number[], axis: number): [number, number, number] {
  const product = (list: readonly number[]) => list.reduce((a, b) => a * b, 1);
  return [product(shape.slice(0, axis)), shape[axis]!, product(shape.slice(axis + 1))];
}
