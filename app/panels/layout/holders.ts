/** Who holds an element of a tile, and how a tile of any rank is laid out on a page. */
import type { Layout } from '../../../compiler/ir/layout';
import { freeThreadMask, locate } from '../../../compiler/ir/layoutAlgebra';

export interface Holder {
  readonly register: number;
  readonly lane: number;
  readonly subgroup: number;
  /** Threads that hold the element, the first of which this is. */
  readonly copies: number;
}

/** The first of the threads that hold the element at these coordinates. */
export function holderOf(layout: Layout, at: readonly number[]): Holder {
  const { register, thread } = locate(layout, at);
  const lanes = 2 ** layout.lane.length;
  let copies = 1;
  for (let mask = freeThreadMask(layout); mask !== 0; mask &= mask - 1) copies *= 2;
  return { register, lane: thread % lanes, subgroup: Math.floor(thread / lanes), copies };
}

/** The columns of a vector's drawing. */
const VECTOR_COLUMNS = 32;

export interface Sheet {
  readonly rows: number;
  readonly columns: number;
  /** Sizes of the dimensions that are picked from, not drawn. */
  readonly leading: readonly number[];
}
export function sheetOf(shape: readonly number[]): Sheet {
  if (shape.length === 0) return { rows: 1, columns: 1, leading: [] };
  if (shape.length === 1) {
    const columns = Math.min(VECTOR_COLUMNS, shape[0]!);
    return { rows: Math.ceil(shape[0]! / columns), columns, leading: [] };
  }
  return { rows: shape.at(-2)!, columns: shape.at(-1)!, leading: shape.slice(0, -2) };
}
/** The coordinates of a drawn cell. */
export function coordinatesOf(
  shape: readonly number[],
  slice: readonly number[],
  row: number,
  column: number,
): number[] {
  if (shape.length === 0) return [];
  if (shape.length === 1) return [row * sheetOf(shape).columns + column];
  return [...shape.slice(0, -2).map((_, d) => slice[d] ?? 0), row, column];
}
