/**
 * The threads of a kernel with dots where the program gives `num_warps` itself: as many as Triton
 * has on CUDA, 32 a warp, as far as the target and the dot can have them. Without it they are the
 * strategy's own, which is faster where measured (`dots/`).
 */
import { WARP_LANES } from '../ir/authoredLayout';
import type { Operation } from '../ir/ir';
import { elementCount } from '../ir/types';
import type { DotDefaults, DotFacts } from './dots/strategy';

/**
 * Sums of one dot that a thread has at most: each is a register and a line of WGSL a step of K, so
 * that a driver compiles more of them for minutes.
 */
const MOST_SUMS = 256;

export function ceilPowerOfTwo(n: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, n)));
}

export function meaningOf(numWarps: number): string {
  return `num_warps=${numWarps} means ${WARP_LANES * numWarps}`;
}

/** @param numWarps null where the program gives none */
export function withWarps(
  { mostThreads, ...defaults }: DotDefaults,
  numWarps: number | null,
  dots: readonly Operation[],
  facts: Pick<DotFacts, 'machine' | 'subgroup' | 'least' | 'most'>,
): DotDefaults {
  if (numWarps === null) return defaults;
  const { threads: own, reasons } = defaults;
  const { threads, limit } = threadsFor(numWarps, { ...defaults, mostThreads }, dots, facts);
  const why = `${meaningOf(numWarps)}${limit === null ? ' threads' : `; ${limit}`}`;
  const next = threads === own ? (reasons?.threads?.next ?? null) : `${own}, the default`;
  return { ...defaults, threads, reasons: { ...reasons, threads: { why, next } } };
}

/** @returns `limit`: what stands against the number that the program gives; null where it holds */
function threadsFor(
  numWarps: number,
  { threads: own, mostThreads }: DotDefaults,
  dots: readonly Operation[],
  { machine, subgroup, least, most }: Pick<DotFacts, 'machine' | 'subgroup' | 'least' | 'most'>,
): { readonly threads: number; readonly limit: string | null } {
  const wanted = ceilPowerOfTwo(numWarps) * WARP_LANES;
  if (machine.costlyBarriers && wanted !== own)
    return { threads: own, limit: 'where barriers are costly (costlyBarriers), the dot decides' };
  const sums = Math.max(...dots.map(({ result }) => elementCount(result.type)));
  const fewest = ceilPowerOfTwo(sums / MOST_SUMS);
  if (most < wanted || most < fewest)
    return { threads: most, limit: `the target has ${most} at most (maxInvocations)` };
  if (mostThreads !== undefined && mostThreads < wanted)
    return {
      threads: Math.max(least, mostThreads),
      limit: 'more have no room in workgroup memory for a result on its way out',
    };
  if (wanted < least)
    return { threads: least, limit: `a workgroup has whole subgroups of ${subgroup}` };
  if (wanted < fewest)
    return { threads: fewest, limit: `of a dot’s ${sums} sums a thread has at most ${MOST_SUMS}` };
  return { threads: wanted, limit: wanted === WARP_LANES * numWarps ? null : 'a power of two' };
}
