/**
 * The threads of a kernel with dots where the program gives `num_warps` itself: as many as Triton
 * has on CUDA, 32 a warp, as far as the target and the dot can have them. Without it they are the
 * strategy's own, which is faster where measured (`dots/`).
 */
import { WARP_LANES } from '../ir/authoredLayout';
import { ceilPowerOfTwo } from '../ir/layoutAlgebra';
import type { DotDefaults, DotFacts } from './dots/strategy';

export function meaningOf(numWarps: number): string {
  return `num_warps=${numWarps} means ${WARP_LANES * numWarps}`;
}

/** @param numWarps null where the program gives none */
export function withWarps(
  { mostThreads, fewestThreads, ...defaults }: DotDefaults,
  numWarps: number | null,
  facts: Pick<DotFacts, 'machine' | 'subgroup' | 'least' | 'most'>,
): DotDefaults {
  if (numWarps === null) return defaults;
  const { threads: own, reasons } = defaults;
  const { threads, limit } = threadsFor(
    numWarps,
    { threads: own, mostThreads, fewestThreads },
    facts,
  );
  const why = `${meaningOf(numWarps)}${limit === null ? ' threads' : `; ${limit}`}`;
  const next = threads === own ? (reasons?.threads?.next ?? null) : `${own}, the default`;
  return { ...defaults, threads, reasons: { ...reasons, threads: { why, next } } };
}

/** @returns `limit`: what stands against the number that the program gives; null where it holds */
function threadsFor(
  numWarps: number,
  { threads: own, mostThreads, fewestThreads }: DotDefaults,
  { machine, subgroup, least, most }: Pick<DotFacts, 'machine' | 'subgroup' | 'least' | 'most'>,
): { readonly threads: number; readonly limit: string | null } {
  const wanted = ceilPowerOfTwo(numWarps) * WARP_LANES;
  if (machine.costlyBarriers && wanted !== own)
    return { threads: own, limit: 'where barriers are costly (costlyBarriers), the dot decides' };
  // The default of the dot has registers enough.
  const fewest = Math.min(own, fewestThreads?.threads ?? 1);
  if (most < wanted)
    return { threads: most, limit: `the target has ${most} at most (maxInvocations)` };
  if (mostThreads !== undefined && mostThreads < wanted)
    return {
      threads: Math.max(least, mostThreads),
      limit: 'more have no room in workgroup memory for a result on its way out',
    };
  if (wanted < least)
    return { threads: least, limit: `a workgroup has whole subgroups of ${subgroup}` };
  if (wanted < fewest) return { threads: fewest, limit: fewestThreads!.why };
  return { threads: wanted, limit: wanted === WARP_LANES * numWarps ? null : 'a power of two' };
}
