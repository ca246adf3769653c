/**
 * The knobs of distribution in one record, and their default values from the target and the shapes
 * in the kernel. A tuner may set any of them; no choice changes a result. The defaults follow
 * measurements on an H200: 8×8 a thread in 2×2 blocks, K in slices of 8, about 128 registers a
 * thread.
 */
import { WARP_LANES } from '../ir/authoredLayout';
import { type Func, type Operation, walk } from '../ir/ir';
import { elementCount } from '../ir/types';
import type { Reason } from '../schedule';
import { machineOf, type Target } from '../target';
import { type DotDefaults, type DotFacts, dotDefaults } from './dots/index';
import { VECTOR_LANES } from './dots/strategy';
import { hasAuthoredLayouts } from './layoutRules';
import { isIndependent, largestNamed, onlyReduces } from './loopForm';
import { ceilPowerOfTwo } from '../ir/layoutAlgebra';
import { meaningOf, withWarps } from './statedWarps';

export interface Choices {
  /** Threads of the workgroup: a power of two, a multiple of the subgroup size. */
  readonly threads: number;
  /** Programs that share a workgroup, one lane each (`CompiledKernel.programs`). */
  readonly programs: number;
  /** Words of K that threads cover side by side where a tile is transposed on its way to a dot. */
  readonly transposedRun: number;
  /** The K slice: the most of K that a dot stages in workgroup memory at a time. */
  readonly kSlice: number;
  /** A K slice grows beyond `kSlice` while it takes no more than this. */
  readonly smallSliceBytes: number;
  /** Fragments return to registers through scratch that aliases nothing: fewer barriers. */
  readonly nonAliasedScratch: boolean;
  /** Steps of K that a dot unrolls. */
  readonly unroll: number;
  /** Single or double buffering of K slices in workgroup memory. */
  readonly buffers: 1 | 2;
  /** Registers a thread may spend on loads that are prefetched by one iteration; 0: no prefetch. */
  readonly prefetchRegisters: number;
  /** All loads that are prefetched at one place share one bounds guard. */
  readonly mergeBoundsGuards: boolean;
  /** Shared-memory stores of the next tile overlap the MMA of the last steps along K. */
  readonly overlapStoresWithMma: boolean;
  /** Prefetched loads are predicated on the existence of a next iteration, not in a branch. */
  readonly predicatedPrefetch: boolean;
  /** Tiles that a loop uses without staging them are prefetched, too. */
  readonly prefetchUnstaged: boolean;
  /**
   * Clusters all prefetched loads at the first of their places. They have more time to arrive;
   * tiles that are staged later take their registers twice.
   */
  readonly clusterLoads: boolean;
  /**
   * Unrolls an innermost loop with prefetched loads and an unknown count by 2 (modulo variable
   * expansion): the carried registers are not copied.
   */
  readonly loopUnroll: 1 | 2;
  /** Reductions that only the next iteration uses stand behind the loop's last dot. */
  readonly delayReductions: boolean;
  /** Tables that addresses of prefetched loads depend on are prefetched by two iterations. */
  readonly indirectPrefetch: boolean;
  /**
   * A tile that is staged in K slices is loaded in slices, each beside the dot of the one before.
   */
  readonly splitLoads: boolean;
  /** Lanes go along rows of an accumulator first, so that row reductions stay in a subgroup. */
  readonly rowsInSubgroup: boolean;
  /**
   * Interleaves the lane order along N and M of an accumulator: neighbours then read the same vec4
   * of one staged operand, half the transactions for both.
   */
  readonly interleavedLanes: boolean;
  /** Sinks what only the epilogue uses behind the loops; each store then reports its own range. */
  readonly sinkIntoEpilogue: boolean;
  /** Dots of narrow numbers run on subgroup matrices where the target has them. */
  readonly matrices: boolean;
  /** Operands of subgroup matrices lie in per-warp slabs, by the subgroups that read them. */
  readonly warpSlabs: boolean;
  /** Dots read their operands from global memory, in a loop along K. */
  readonly direct: boolean;
  /** Tiles with more registers a thread than this are in loop form; undefined: the default. */
  readonly scalarizedRegisters: number | undefined;
  /** The most lanes along a row of a tile on its way to a dot; 0: as many as it has vectors. */
  readonly lanesAlongRow: number;
  /** A loop-invariant left operand of subgroup matrices stays in fragments throughout the loop. */
  readonly hoistOperands: boolean;
  /** While it takes no more registers than this. */
  readonly hoistedRegisters: number;
  /**
   * Blocks of subgroups whose results are also read outside of matrices are square, not rows. They
   * read less of the right operand, and their rows return to lanes of several subgroups.
   */
  readonly squareBlocks: boolean;
}

/** Why a choice is what it is; of those that have one value always, nothing. */
export type ChoiceReasons = Partial<Record<keyof Choices, Reason>>;

const LEAST_THREADS = 32;
/** Two such workgroups of threads with 255 registers fit on a multiprocessor. */
const SMALL_WORKGROUP = 128;
/**
 * Threads for tiles with names: layer norm over a carried tile of 1024 is 3 times as fast with 32
 * as with 128.
 */
const NAMED_THREADS = 64;
/**
 * Named registers of a tile that spare a reduction its barriers: paged decoding over blocks of 32
 * keys runs 2.7 times as fast with 4 threads as with 128, and compiles in 0.6 s instead of 0.4.
 */
const MOST_FOR_ONE_SUBGROUP = 32;
/**
 * If all of its tiles have no more, none is walked in a loop: what a loop indexes lies in arrays,
 * as slow as memory.
 */
const MOST_WITH_NAMES = 64;
/**
 * Tiles that are walked by a thread each, as many of them at a time as a CPU's vectors have lanes:
 * a program's code is more than a core keeps decoded, and so runs once for them all (SwiftShader:
 * softmax over 1024 12 %, layer norm 13, vector add 5; lavapipe, which compiles the communication
 * of lanes for 20 s: 2.5 times). Sums of longer ones would lose digits; shorter ones have names.
 */
const isShort = (elements: number): boolean => elements > 4 * MOST_WITH_NAMES && elements <= 4096;
/** Elements of an ordinary tile a thread should hold: at least, at most. */
const FEWEST_ELEMENTS = 4;
const MOST_ELEMENTS = 16;

function floorPowerOfTwo(n: number): number {
  return 2 ** Math.floor(Math.log2(n));
}

/** The launch's part in the choices. */
export interface ChoiceInputs {
  readonly target: Target;
  readonly numWarps: number;
  readonly statedWarps?: boolean;
  readonly wanted?: Partial<Choices>;
  readonly manyPrograms?: boolean;
}

/** The default choices, each with the reason of the rule that decided. */
export function reasonedChoices(
  func: Func,
  { target, numWarps, statedWarps = false, wanted = {}, manyPrograms = false }: ChoiceInputs,
): { readonly choices: Choices; readonly reasons: ChoiceReasons } {
  const dots: Operation[] = [];
  let largest = 1;
  let reducesDot = false;
  walk(func.body, (op) => {
    if (op.name === 'tt.dot') dots.push(op);
    if (op.name === 'tt.reduce' && dots.length > 0) reducesDot = true;
    for (const result of op.results) largest = Math.max(largest, elementCount(result.type));
  });
  const machine = machineOf(target);
  const most = floorPowerOfTwo(target.maxInvocations);
  const subgroup = target.subgroupSize === 'none' ? 1 : target.subgroupSize;
  const least = Math.min(most, Math.max(LEAST_THREADS, subgroup));
  const facts = { func, target, machine, subgroup, least, most, reducesDot };
  // A dot's result leaves its fragments where rows of it are reduced, or another dot depends on it.
  const alsoRead = reducesDot || dots.length > 1;
  const { reasons = {}, ...chosen } = hasAuthoredLayouts(func)
    ? authoredDefaults(numWarps, facts)
    : dots.length > 0
      ? withWarps(
          dotDefaults(dots, { ...facts, alsoRead }, wanted),
          statedWarps ? numWarps : null,
          facts,
        )
      : elementwiseDefaults(largest, numWarps, manyPrograms, facts);
  const own = machine.compilesSlowly ? { ...reasons, ...SLOW_COMPILERS } : reasons;
  return { choices: complete(chosen, facts, alsoRead, wanted), reasons: own };
}

/** The reasons of `complete` where the driver's compiler is slow. */
const SLOW_COMPILERS: ChoiceReasons = {
  kSlice: {
    why: 'a pair of barriers costs the driver’s compiler time (compilesSlowly)',
    next: null,
  },
  unroll: { why: 'each operation costs the driver’s compiler time (compilesSlowly)', next: null },
};

/** The choices that a kernel's own defaults leave open. */
function complete(
  chosen: DotDefaults,
  { machine, reducesDot }: Omit<DotFacts, 'alsoRead'>,
  alsoRead: boolean,
  wanted: Partial<Choices>,
): Choices {
  return {
    programs: 1,
    kSlice: 8,
    // No two threads of 32 then store to one bank.
    transposedRun: machine.banks === 0 ? 1024 : 8,
    smallSliceBytes: 8192,
    // A second workgroup beside the first is worth more than barriers where results are read in
    // every iteration by four subgroups (H200: 135 in place of 91 TFLOP/s for flash attention by
    // 64×64).
    nonAliasedScratch: !(alsoRead && chosen.threads <= SMALL_WORKGROUP),
    unroll: 8,
    buffers: 1,
    // With many workgroups beside each other it costs more registers than it hides latency.
    prefetchRegisters: 0,
    mergeBoundsGuards: false,
    overlapStoresWithMma: false,
    predicatedPrefetch: false,
    prefetchUnstaged: false,
    clusterLoads: false,
    loopUnroll: 1,
    delayReductions: false,
    indirectPrefetch: false,
    splitLoads: false,
    rowsInSubgroup: reducesDot,
    // Measured on an H200: a tenth for flash attention, 2 to 17 % for matmuls.
    interleavedLanes: machine.banks > 0,
    sinkIntoEpilogue: false,
    matrices: wanted.matrices ?? true,
    warpSlabs: true,
    direct: false,
    scalarizedRegisters: undefined,
    // Measured: flash attention in f16 gains a fifth, by two barriers in five and the memory that
    // it frees.
    hoistOperands: true,
    squareBlocks: false,
    hoistedRegisters: alsoRead ? 32 : 16,
    lanesAlongRow: 0,
    ...chosen,
    // The whole of K at once, in a loop that stays rolled: a pair of barriers and every
    // multiply-add costs a slow compiler milliseconds.
    ...(machine.compilesSlowly ? { kSlice: 1024, unroll: 2 } : {}),
  };
}

/** The threads that the author's layouts count on, as far as the target has them. */
function authoredDefaults(
  numWarps: number,
  { machine, most }: Pick<DotFacts, 'machine' | 'most'>,
): DotDefaults {
  const counted = ceilPowerOfTwo(numWarps) * WARP_LANES;
  const threads = Math.min(most, counted);
  const why =
    threads < counted
      ? `the author’s layouts count on ${counted} threads; the target has ${most} (maxInvocations)`
      : `the author’s layouts count on ${WARP_LANES} lanes in each of ${counted / WARP_LANES} warps`;
  return {
    threads,
    scalarizedRegisters: machine.compilesSlowly ? MOST_ELEMENTS : undefined,
    reasons: { threads: { why, next: null } },
  };
}

/**
 * Threads of a kernel without dots. Where barriers are costly: one subgroup, which has its tiles in
 * loop form, and more only where registers are scalarized.
 */
function elementwiseDefaults(
  largest: number,
  numWarps: number,
  manyPrograms: boolean,
  { func, machine, subgroup, least, most }: Omit<DotFacts, 'alsoRead'>,
): DotDefaults {
  const { costlyBarriers } = machine;
  const spread = costlyBarriers ? largestNamed(func) : largest;
  const fewest = costlyBarriers ? Math.min(most, Math.max(VECTOR_LANES, subgroup)) : least;
  const widest = Math.min(ceilPowerOfTwo(numWarps * 32), costlyBarriers ? NAMED_THREADS : most);
  const base = Math.min(most, Math.max(least, widest));
  let threads = base;
  while (threads < most && spread / threads > MOST_ELEMENTS) threads *= 2;
  while (threads > fewest && spread / threads < FEWEST_ELEMENTS) threads /= 2;
  const scalarizedRegisters = machine.compilesSlowly ? MOST_ELEMENTS : undefined;
  const inLoops = costlyBarriers && spread <= MOST_ELEMENTS;
  const reason = threadReason(threads, { numWarps, base, spread, costlyBarriers });
  if (manyPrograms && inLoops && isShort(largest) && isIndependent(func))
    return {
      ...{ threads: 1, programs: fewest, scalarizedRegisters },
      reasons: {
        threads: {
          why:
            `${meaningOf(numWarps)}; the grid has many programs, which are independent, and a core ` +
            `keeps little code (smallCodeCache): ${fewest} programs share a workgroup, a thread each`,
          next: `${threads} threads for each program`,
        },
      },
    };
  if (!costlyBarriers || spread / fewest > MOST_FOR_ONE_SUBGROUP || !onlyReduces(func))
    return { threads, programs: 1, scalarizedRegisters, reasons: { threads: reason } };
  const few = largest / fewest <= MOST_WITH_NAMES;
  return {
    threads: fewest,
    programs: 1,
    scalarizedRegisters: few ? MOST_WITH_NAMES : scalarizedRegisters,
    reasons: {
      threads: {
        why: `${meaningOf(numWarps)}; barriers are costly (costlyBarriers), and one subgroup needs none`,
        next: fewest === threads ? null : `${threads} threads, with barriers`,
      },
    },
  };
}

/** Numbers of the rule for threads of a kernel without dots. */
interface ThreadRule {
  readonly numWarps: number;
  /** Threads before the tile's elements count. */
  readonly base: number;
  readonly spread: number;
  readonly costlyBarriers: boolean;
}

/** Why so many threads. */
function threadReason(threads: number, rule: ThreadRule): Reason {
  const { numWarps, base, spread, costlyBarriers } = rule;
  const tile = costlyBarriers
    ? `${spread} elements of tiles without a loop form`
    : `${spread} elements of the largest tile`;
  const each = (count: number): string =>
    spread < count ? 'not one element for each' : `${spread / count} elements each`;
  const wish = meaningOf(numWarps);
  if (threads > base)
    return {
      why: `${wish}; of ${tile} a thread holds at most ${MOST_ELEMENTS}`,
      next: `${threads / 2}: ${each(threads / 2)}`,
    };
  if (threads < base && costlyBarriers)
    return {
      why:
        `${wish}; barriers are costly (costlyBarriers), and ` +
        (spread === 0 ? 'every tile is walked in a loop' : `there are few of ${tile}`),
      next: `${threads * 2}, with barriers`,
    };
  if (threads < base)
    return {
      why: `${wish}; of ${tile} a thread has at least ${FEWEST_ELEMENTS}`,
      next: `${threads * 2}: ${each(threads * 2)}`,
    };
  const limit =
    base > 32 * numWarps
      ? '; a workgroup has a whole subgroup and 32 threads at the least'
      : base === 32 * numWarps
        ? ''
        : costlyBarriers
          ? `; ${NAMED_THREADS} are enough where barriers are costly (costlyBarriers)`
          : '; more the target does not allow (maxInvocations)';
  return {
    why: `${wish}${limit}: ${each(threads)} of ${tile}`,
    next: threads > 1 ? `${threads / 2}: ${each(threads / 2)}` : null,
  };
}
