/**
 * A layout as Triton would write it: always `#ttg.linear` with its bases, and `#ttg.blocked` where
 * it is one. Triton's `warp` is our subgroup; without subgroups, all threads are warps of one lane.
 */
import type { Basis, Layout } from '../ir/layout';
import { isPowerOfTwo, layoutKey, log2 } from '../ir/layoutAlgebra';

const list = (bases: readonly Basis[]): string =>
  `[${bases.map((basis) => `[${basis.join(', ')}]`).join(', ')}]`;

export function linearName({ register, lane, subgroup }: Layout): string {
  return (
    `#ttg.linear<{register = ${list(register)}, lane = ${list(lane)}, ` +
    `warp = ${list(subgroup)}, block = []}>`
  );
}

interface Blocked {
  readonly sizePerThread: readonly number[];
  readonly threadsPerWarp: readonly number[];
  readonly warpsPerCTA: readonly number[];
  readonly order: readonly number[];
}

export function blockedName({
  sizePerThread,
  threadsPerWarp,
  warpsPerCTA,
  order,
}: Blocked): string {
  const part = (name: string, values: readonly number[]): string =>
    `${name} = [${values.join(', ')}]`;
  return (
    `#ttg.blocked<{${part('sizePerThread', sizePerThread)}, ` +
    `${part('threadsPerWarp', threadsPerWarp)}, ${part('warpsPerCTA', warpsPerCTA)}, ` +
    `${part('order', order)}}>`
  );
}

/** What Triton's blocked layout of these parameters is on a tile: larger wraps, smaller repeats. */
function blockedBases(shape: readonly number[], blocked: Blocked): Layout {
  const low = shape.map(() => 0);
  const high = shape.map(log2);
  const deal = (sizes: readonly number[], keepZero: boolean): Basis[] => {
    const out: Basis[] = [];
    for (const dim of blocked.order)
      for (let i = 0; i < log2(sizes[dim]!); i++) {
        if (low[dim]! < high[dim]!) out.push(unit(shape.length, dim, low[dim]!++));
        else if (keepZero) out.push(shape.map(() => 0));
      }
    return out;
  };
  const register = deal(blocked.sizePerThread, false);
  const lane = deal(blocked.threadsPerWarp, true);
  const subgroup = deal(blocked.warpsPerCTA, true);
  const rest = deal(
    shape.map((size, d) => size >> low[d]!),
    false,
  );
  return { register: [...register, ...rest], lane, subgroup };
}
const unit = (rank: number, dim: number, bit: number): Basis =>
  Array.from({ length: rank }, (_, d) => (d === dim ? 2 ** bit : 0));

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
