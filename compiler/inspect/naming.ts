/**
 * A layout as Triton would write it: always `#ttg.linear` with its bases, and `#ttg.blocked` where
 * it is one. Triton's `warp` is our subgroup; without subgroups, all threads are warps of one lane.
 */
import { type Blocked, blockedBases } from '../ir/authoredLayout';
import type { Basis, Layout } from '../ir/layout';
import { isPowerOfTwo, layoutKey } from '../ir/layoutAlgebra';

export { blockedName, linearName } from '../ir/authoredLayout';

/** The blocked layout that this is; null where there is none. */
export function blockedOf(layout: Layout, shape: readonly number[]): Blocked | null {
  if (shape.length === 0 || shape.length > 4 || !shape.every(isPowerOfTwo)) return null;
  const key = layoutKey(layout);
  for (const order of permutations(shape.map((_, d) => d).reverse())) {
    // Copies, zero vectors, count as threads beyond the end of the slowest dimension.
    const slowest = order.at(-1)!;
    const count = (bases: readonly Basis[], dim: number): number =>
      2 ** bases.filter((b) => b[dim] !== 0 || (dim === slowest && b.every((c) => c === 0))).length;
    const threads = [...layout.lane, ...layout.subgroup];
    const lowest = (dim: number): number =>
      Math.min(shape[dim]!, ...threads.filter((b) => b[dim] !== 0).map((b) => b[dim]!));
    for (const sizePerThread of [
      shape.map((_, dim) => lowest(dim)),
      shape.map((_, dim) => (threads.some((b) => b[dim] !== 0) ? lowest(dim) : 1)),
    ]) {
      const blocked: Blocked = {
        sizePerThread,
        threadsPerWarp: shape.map((_, dim) => count(layout.lane, dim)),
        warpsPerCTA: shape.map((_, dim) => count(layout.subgroup, dim)),
        order,
      };
      if (layoutKey(blockedBases(shape, blocked)) === key) return blocked;
    }
  }
  return null;
}

function permutations(items: readonly number[]): number[][] {
  if (items.length <= 1) return [[...items]];
  return items.flatMap((first) =>
    permutations(items.filter((each) => each !== first)).map((rest) => [first, ...rest]),
  );
}
