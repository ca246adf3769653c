/**
 * The knobs of distribution in one record, and their default values from the target and the shapes in
 * the kernel. A tuner may set any of them; no choice changes a result. The defaults follow measurements
 * on an H200: 8×8 a thread in 2×2 blocks, K in pieces of 8, about 128 registers a thread.
 */
import type { Block, Func, Operation, Value } from '../ir/ir';
import { walk } from '../ir/ir';
import { bitWidth, dtypeOf, elementCount, shapeOf } from '../ir/types';
import { isSoftware, type Target } from '../target';
import { areDirect, threadsForDirect } from './directDots';
import { matrixOf } from './matrixDots';
import { isApart, largestNamed, onlyReduces } from './rollable';

export interface Choices {
  /** Threads of the workgroup: a power of two, a multiple of the subgroup size. */
  readonly threads: number;
  /** Programs that share a workgroup, each of a single thread (`CompiledKernel.programs`). */
  readonly programs: number;
  /** Words of K that threads cover side by side where a tile is transposed on its way to a dot. */
  readonly transposedRun: number;
  /** The most of K that a dot stages in workgroup memory at a time. */
  readonly kPiece: number;
  /** A piece grows beyond `kPiece` while it takes no more than this. */
  readonly smallPieceBytes: number;
  /** What brings matrices back to registers has memory of its own, where there is room: fewer barriers. */
  readonly scratchApart: boolean;
  /** Steps of K that a dot unrolls. */
  readonly unroll: number;
  /** Workgroup memory for one piece or two (stores of one beside reads of the other). */
  readonly buffers: 1 | 2;
  /** Tiles are loaded one iteration ahead while they take at most this many words a thread; 0: never. */
  readonly prefetchWords: number;
  /** All loads that are issued ahead at one place have one test for masks and bounds, and branches only where it fails. */
  readonly loadsTogether: boolean;
  /** Matrices of a tile's last step along K are multiplied while the next tile is stored, and its loads have one test. */
  readonly overlapStores: boolean;
  /** Loads that are issued ahead stand in no branch that asks for a next iteration: their masks ask. */
  readonly maskedAhead: boolean;
  /** Tiles that a loop works on itself, staging them for nothing, are loaded one iteration ahead, too. */
  readonly readAhead: boolean;
  /**
   * Loads for the next iteration are all issued where the first of them is, with more time to arrive; tiles that are
   * staged later take their registers twice.
   */
  readonly issueAtOnce: boolean;
  /**
   * An innermost loop with loads ahead whose count is not known is written out for two iterations: what they hand on
   * need not be moved.
   */
  readonly turns: 1 | 2;
  /** Reductions that only the next iteration needs stand behind the loop's last dot. */
  readonly reduceLate: boolean;
  /** Tables that addresses of loads ahead come out of are read an iteration earlier still. */
  readonly tablesAhead: boolean;
  /** A tile that is staged in pieces is loaded in pieces, each while the one before it is worked on. */
  readonly splitLoads: boolean;
  /** Of a subgroup, 2 to this many threads lie side by side along an accumulator's columns. */
  readonly nearColumns: number;
  /** Threads of a subgroup go along rows of an accumulator first, so that row reductions stay in it. */
  readonly rowsInSubgroup: boolean;
  /**
   * Threads of a subgroup go along columns and rows of an accumulator by turns, so that neighbours read the
   * same vec4 of one staged operand: half the trips for both.
   */
  readonly wovenLanes: boolean;
  /** What only the end of a kernel needs is computed there, and each store reports what it left out. */
  readonly leanEnd: boolean;
  /** Dots of narrow numbers run on subgroup matrices where the target has them. */
  readonly matrices: boolean;
  /** Operands of matrices lie in arrays of their own, by the subgroups that read them. */
  readonly parts: boolean;
  /** Dots read their operands from global memory, in a loop along K. */
  readonly direct: boolean;
  /** Tiles with more registers a thread than this are walked in loops; undefined: the emitter's own. */
  readonly named: number | undefined;
  /** Threads side by side along a row of a tile on its way to a dot, at most; 0: as many as it has vectors. */
  readonly rowLanes: number;
  /** A left operand of matrices that a loop does not change stays in them throughout. */
  readonly hoistOperands: boolean;
  /** While it takes no more registers than this. */
  readonly hoistedWords: number;
  /**
   * Subgroups' blocks of results that are also read outside of matrices are as square as can be, not rows: they read
   * less of the right operand, and their rows come back to more threads than their own.
   */
  readonly squareBlocks: boolean;
}

const REGISTERS_A_THREAD = 128;
const ACCUMULATORS_A_THREAD = 64;
const LEAST_THREADS = 32;
const THIN_ROWS = 16;
/** Of threads with 255 registers, two such workgroups fit on a multiprocessor. */
const SMALL_WORKGROUP = 128;
/** On a CPU lanes are a vector of four or eight numbers, and what goes beyond costs a switch a barrier. */
const SOFTWARE_LANES = 4;
/** Of tiles with names: layer norm over a carried tile of 1024 runs 3 times as fast with 32 as with 128. */
const SOFTWARE_THREADS = 64;
/**
 * Named registers of a tile that spare a reduction its barriers: paged decoding over blocks of 32 keys runs
 * 2.7 times as fast with 4 threads as with 128, and compiles in 0.6 s instead of 0.4.
 */
const MOST_FOR_ONE_SUBGROUP = 32;
/** If all of its tiles have no more, none is walked in a loop: what a loop indexes lies in arrays, as slow as memory. */
const MOST_WITH_NAMES = 64;
/**
 * Tiles that are walked by a thread each, as many of them at a time as a CPU's vectors have lanes: a program's code is
 * more than a core keeps decoded, and so runs once for them all (SwiftShader: softmax over 1024 12 %, layer norm 13,
 * vector add 5; lavapipe, which compiles what lanes tell each other for 20 s: 2.5 times). Sums of longer ones would lose
 * digits; shorter ones have names.
 */
const isShort = (elements: number): boolean => elements > 4 * MOST_WITH_NAMES && elements <= 4096;
/** Elements of an ordinary tile a thread should hold: at least, at most. */
const FEWEST_ELEMENTS = 4;
const MOST_ELEMENTS = 16;

function floorPowerOfTwo(n: number): number {
  return 2 ** Math.floor(Math.log2(n));
}
function ceilPowerOfTwo(n: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, n)));
}

export function defaultChoices(
  func: Func,
  target: Target,
  numWarps: number,
  wanted: Partial<Choices> = {},
  manyPrograms = false,
): Choices {
  const dots: Operation[] = [];
  let largest = 1;
  let reducesDot = false;
  walk(func.body, (op) => {
    if (op.name === 'tt.dot') dots.push(op);
    if (op.name === 'tt.reduce' && dots.length > 0) reducesDot = true;
    for (const result of op.results) largest = Math.max(largest, elementCount(result.type));
  });
  const software = isSoftware(target.name);
  const most = floorPowerOfTwo(target.maxInvocations);
  const subgroup = target.subgroupSize === 'none' ? 1 : target.subgroupSize;
  const least = Math.min(most, Math.max(LEAST_THREADS, subgroup));
  const clamp = (n: number): number => Math.min(most, Math.max(least, n));

  let threads: number;
  let programs = 1;
  let named = software && dots.length === 0 ? MOST_ELEMENTS : undefined;
  const matrices = wanted.matrices ?? true;
  const onMatrices = dots.length > 0 && matrices && dots.every((dot) => matrixOf(dot, target));
  const direct = (wanted.direct ?? software) && !onMatrices && areDirect(dots, func);
  const thin = onMatrices && dots.every(isThin);
  // A dot's result comes out of matrices where rows of it are reduced, or another dot waits for what becomes of it.
  const alsoRead = reducesDot || dots.length > 1;
  // A matmul of f32. Measured on an H200 for eight tiles, of which none is slower: 3 to 40 % (docs/measurements.md).
  const plain = !software && !reducesDot && dots.length === 1 && dots.every(isOfFloats);
  const ahead = plain && target.readsZeroOutside === true;
  if (onMatrices) {
    const room = Math.min(...dots.map((dot) => subgroupsWithRoom(dot, target)));
    threads = clamp(subgroup * Math.min(room, subgroupsForMatrices(dots, alsoRead)));
  } else if (direct) {
    threads = Math.min(most, threadsForDirect(dots, Math.max(SOFTWARE_LANES, subgroup)));
  } else if (dots.length > 0) {
    threads = clamp(threadsForDots(dots));
  } else {
    // On a CPU a barrier switches every subgroup, and code costs by the line: one subgroup, which walks
    // its tiles in loops, and more only where registers need names.
    const spread = software ? largestNamed(func) : largest;
    const fewest = software ? Math.min(most, Math.max(SOFTWARE_LANES, subgroup)) : least;
    threads = clamp(Math.min(ceilPowerOfTwo(numWarps * 32), software ? SOFTWARE_THREADS : most));
    while (threads < most && spread / threads > MOST_ELEMENTS) threads *= 2;
    while (threads > fewest && spread / threads < FEWEST_ELEMENTS) threads /= 2;
    const walked = software && spread <= MOST_ELEMENTS;
    if (manyPrograms && walked && isShort(largest) && isApart(func)) {
      [threads, programs] = [1, fewest];
    } else if (software && spread / fewest <= MOST_FOR_ONE_SUBGROUP && onlyReduces(func)) {
      threads = fewest;
      if (largest / threads <= MOST_WITH_NAMES) named = MOST_WITH_NAMES;
    }
  }
  return {
    threads,
    programs,
    // Software drivers compile slowly (a pair of barriers and every multiply-add costs milliseconds),
    // and to them all memory is the same: the whole of K at once, in a loop that stays rolled.
    // Matrices take the whole of K too: half the memory, and few instructions between two barriers.
    // Thin results use each operand once: all that is staged is on its way, and half the barriers count.
    kPiece: software ? 1024 : onMatrices ? (thin ? 128 : 64) : ahead ? 16 : 8,
    // No two threads of 32 then store to one bank; a CPU has none.
    transposedRun: software ? 1024 : 8,
    smallPieceBytes: ahead ? 0 : 8192,
    // Thin results leave a multiprocessor waiting for memory: a second workgroup beside the first is worth more than
    // barriers (H200: two where each takes 24 KB; 168 µs of paged decoding, 280 with 32 KB).
    // So it is where results are read in every turn by four subgroups, whose registers leave room for a second four (H200:
    // 135 in place of 91 TFLOP/s for flash attention by 64×64).
    scratchApart: !thin && !(alsoRead && threads <= SMALL_WORKGROUP),
    unroll: software ? 2 : ahead ? 16 : 8,
    buffers: 1,
    // Measured: with many workgroups beside each other it costs more registers than it hides; matrices
    // leave registers free, and gain a fifth; so does what needs no branch.
    prefetchWords: onMatrices ? (thin ? 128 : 64) : ahead ? 64 : 0,
    loadsTogether: thin,
    // Measured on an H200: 332 in place of 283 TFLOP/s for a matmul of halves, 311 in place of 264, none slower.
    overlapStores: onMatrices,
    // Measured on an H200: f32 matmul 4096³ 46 in place of 44, with its best choices; 1024³ 31 in place of 36.
    maskedAhead: ahead,
    readAhead: false,
    issueAtOnce: thin,
    // Measured on an H200, paged decoding in halves: 144 µs, of two turns 142, with late reductions 141, with tables 138.
    turns: thin ? 2 : 1,
    reduceLate: thin,
    tablesAhead: thin,
    splitLoads: false,
    nearColumns: 3,
    rowsInSubgroup: reducesDot,
    // Measured on an H200: a tenth for flash attention, 2 to 17 % for matmuls. A CPU has no banks.
    wovenLanes: !software,
    leanEnd: plain,
    matrices,
    // What shares no memory with others costs the second workgroup, too.
    parts: !thin || dots.length === 1,
    direct,
    named,
    // Measured: flash attention in f16 gains a fifth, by two barriers in five and the memory that it frees.
    hoistOperands: true,
    // Measured on an H200: 133 in place of 122 TFLOP/s for flash attention in f16, 91 in place of 76 for its gradients.
    squareBlocks: alsoRead && onMatrices && !thin,
    hoistedWords: alsoRead && !thin ? 32 : 16,
    rowLanes: thin ? 8 : 0,
  };
}

function isOfFloats({ operands: [left, right] }: Operation): boolean {
  return dtypeOf(left!.type) === 'f32' && dtypeOf(right!.type) === 'f32';
}

/**
 * As measured on an H100: a subgroup holds 64×64 of a result, or 64×32 where that takes no more than eight
 * of them; 16×64 where the result is also needed outside of matrices.
 */
function subgroupsForMatrices(dots: readonly Operation[], alsoRead: boolean): number {
  const elements = Math.max(...dots.map((dot) => elementCount(dot.result.type)));
  // Small tiles are spread over four subgroups, as far as there is a matrix for each.
  const spread = Math.max(1, Math.min(4, elements / 256));
  const least = dots.every(isThin) ? Math.max(spread, subgroupsForOperands(dots)) : spread;
  if (alsoRead) return Math.max(least, elements / 1024);
  return Math.max(least, elements / 4096, Math.min(8, elements / 2048));
}

/** Of how many subgroups one matrix each, with its padding, can come back at a time: a dot of more would do without. */
function subgroupsWithRoom(dot: Operation, target: Target): number {
  const { M, N } = matrixOf(dot, target)!;
  return floorPowerOfTwo(target.maxWorkgroupBytes / (4 * M * (N + 1)));
}

/** A result with the fewest rows that a matrix has, as of decoding: its operands are what costs. */
function isThin(dot: Operation): boolean {
  return shapeOf(dot.result.type)[0]! <= THIN_ROWS;
}
/** As many subgroups, up to eight, as leave a thread 16 words of an operand on its way to memory. */
function subgroupsForOperands(dots: readonly Operation[]): number {
  const words = Math.max(
    ...dots.map(({ operands: [, right] }) => {
      const bits = bitWidth(dtypeOf(right!.type) ?? 'f16');
      return (elementCount(right!.type) * bits) / 32;
    }),
  );
  return Math.min(8, words / 512);
}

/** Enough threads for accumulators and for everything that the dots of one loop hold together. */
function threadsForDots(dots: readonly Operation[]): number {
  const together = new Map<Block | undefined, Operation[]>();
  for (const dot of dots) together.set(dot.parent, [...(together.get(dot.parent) ?? []), dot]);
  const words = Math.max(...[...together.values()].map(wordsOfDots));
  const accumulators = Math.max(...dots.map((dot) => elementCount(dot.result.type)));
  const batch = shapeOf(dots[0]!.result.type).length > 2 ? 4 : 1;
  return Math.max(
    ceilPowerOfTwo(words / REGISTERS_A_THREAD),
    ceilPowerOfTwo((accumulators * batch) / ACCUMULATORS_A_THREAD),
    // A small tile still gets threads enough to keep a multiprocessor busy: 4×4 or 2×2 a thread.
    Math.min(64, ceilPowerOfTwo(accumulators / 4)),
  );
}

/** Words of registers for the accumulators and operands of these dots; narrow numbers take a word. */
function wordsOfDots(dots: readonly Operation[]): number {
  const operands = new Set(dots.flatMap((dot) => [dot.operand(0), dot.operand(1)]));
  const results = dots.map((dot) => dot.result);
  const wordsOf = (value: Value): number =>
    elementCount(value.type) * Math.max(1, bitWidth(dtypeOf(value.type) ?? 'f32') / 32);
  return [...operands, ...results].reduce((sum, value) => sum + wordsOf(value), 0);
}
