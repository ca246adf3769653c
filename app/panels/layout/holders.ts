/** Who holds an element of a tile. */
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
