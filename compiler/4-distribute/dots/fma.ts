/**
 * Dots on multiply-adds of threads, which take any dot: operands are staged in workgroup memory as
 * 32 bits (or f64), the left one with M fastest and the right one with N fastest; each thread has a
 * register block.
 */
import type { Block, Operation, Value } from '../../ir/ir';
import {
  bitWidth,
  dtypeOf,
  elementCount,
  elementOf,
  F32,
  I32,
  isInteger,
  shapeOf,
} from '../../ir/types';
import type { Layout } from '../../ir/layout';
import { ceilPowerOfTwo } from '../../ir/layoutAlgebra';
import type { Reason } from '../../schedule';
import type { ChoiceReasons } from '../choices';
import { accumulatorLayout, rowThreadBits } from '../memoryLayouts';
import type {
  DotDefaults,
  DotFacts,
  DotPlan,
  GeneralStrategy,
  LayoutContext,
  Staging,
} from './strategy';

const REGISTERS_A_THREAD = 128;
/**
 * Words that a thread may hold where a program states its threads: a GPU gives a thread 256
 * registers or fewer. 192 and 208 words cost an H100 up to 14 %, 320 and 352 the greater part
 * (f16 attention 7 in place of 23 TFLOP/s, a matmul 6 in place of 38).
 */
const MOST_WORDS = 256;
const ACCUMULATORS_A_THREAD = 64;

export const fma: GeneralStrategy = {
  defaults,
  select: (_, dot) => planFor(dot),
  read: planFor,
};

function planFor(dot: Operation): DotPlan {
  return {
    why: 'multiply-adds of staged operands take every dot',
    attributes: {},
    staging: stagingOf(dot),
    resultLayout: (context) => registerBlocks(dot, context),
    loadLayouts: () => new Map(),
  };
}

function stagingOf(dot: Operation): Staging {
  const operand = elementOf(dot.operand(0).type);
  const dtype = dtypeOf(dot.operand(0).type) ?? 'f32';
  const wide = bitWidth(dtype) === 64 && operand.kind === 'scalar' ? operand : F32;
  const rank = shapeOf(dot.operand(0).type).length;
  return {
    element: isInteger(dtype) && dtype !== 'i64' ? I32 : wide,
    fastest: [rank - 2, rank - 1],
    leastK: 1,
    packed: false,
    fragments: undefined,
    blocksAlong: () => 1,
  };
}

/** A register block for each thread; dots with as many rows have as many threads along them. */
export function registerBlocks(
  dot: Operation,
  { threads, choices, rowThreads }: LayoutContext,
): Layout {
  const shape = shapeOf(dot.result.type);
  const rows = shape.at(-2)!;
  const layout = accumulatorLayout(shape, threads, choices, rowThreads.get(rows));
  if (!rowThreads.has(rows)) rowThreads.set(rows, rowThreadBits(layout, shape.length));
  return layout;
}

/**
 * A matmul of f32 has defaults of its own: 3 to 40 % on an H200, for eight tiles
 * (docs/measurements.md).
 */
function defaults(
  dots: readonly Operation[],
  { target, machine, reducesDot, least, most }: DotFacts,
): DotDefaults {
  const threads = Math.min(most, Math.max(least, threadsForDots(dots)));
  const reasons = { threads: threadReason(dots, threads, least, most) };
  const own = { threads, fewestThreads: fewestThreads(dots) };
  if (machine.flatMemory)
    return { ...own, reasons: { ...reasons, ...unprefetched('memory is flat (flatMemory)') } };
  if (reducesDot || dots.length > 1 || !dots.every(isOfFloats)) return { ...own, reasons };
  if (target.readsZeroOutside !== true) {
    const why = 'reads past a tensor need a branch here (readsZeroOutside)';
    return { ...own, sinkIntoEpilogue: true, reasons: { ...reasons, ...unprefetched(why) } };
  }
  return {
    ...own,
    reasons: {
      ...reasons,
      prefetchRegisters: {
        why: 'reads past a tensor give 0 here (readsZeroOutside): a prefetch needs no branch',
        next: null,
      },
    },
    sinkIntoEpilogue: true,
    kSlice: 16,
    smallSliceBytes: 0,
    unroll: 16,
    // Without a branch prefetch pays: 4096³ 46 in place of 44 TFLOP/s, 1024³ 31 in place of 36.
    prefetchRegisters: 64,
    predicatedPrefetch: true,
  };
}

function fewestThreads(dots: readonly Operation[]): DotDefaults['fewestThreads'] {
  const { words } = needsOf(dots);
  const why = `operands and sums take ${words} words, of which a thread has at most ${MOST_WORDS}`;
  return { threads: ceilPowerOfTwo(words / MOST_WORDS), why };
}

function unprefetched(why: string): ChoiceReasons {
  return { prefetchRegisters: { why, next: null } };
}

function isOfFloats({ operands: [left, right] }: Operation): boolean {
  return dtypeOf(left!.type) === 'f32' && dtypeOf(right!.type) === 'f32';
}

interface ThreadNeeds {
  readonly accumulators: number;
  readonly words: number;
  /** For words, for accumulators, and so that a small tile has enough. */
  readonly threads: readonly [number, number, number];
}

/** Enough threads for accumulators and for everything that the dots of one loop hold together. */
function threadsForDots(dots: readonly Operation[]): number {
  return Math.max(...needsOf(dots).threads);
}

function threadReason(
  dots: readonly Operation[],
  threads: number,
  least: number,
  most: number,
): Reason {
  const { accumulators, words, threads: needs } = needsOf(dots);
  const needed = Math.max(...needs);
  const half = `${threads / 2}: ${(2 * accumulators) / threads} sums each`;
  const next = threads > 1 ? half : null;
  if (needed > most) return { why: `more than the target’s ${most} (maxInvocations)`, next };
  if (needed < least) return { why: `a workgroup has ${least} threads at the least`, next };
  const [forWords, forSums] = needs;
  if (needed === forSums) return { why: `${ACCUMULATORS_A_THREAD} sums a thread`, next };
  if (needed === forWords)
    return {
      why: `operands and sums take ${words} words, of which a thread has ${REGISTERS_A_THREAD}`,
      next,
    };
  return { why: `a small tile of ${accumulators} sums is spread over more threads`, next };
}

function needsOf(dots: readonly Operation[]): ThreadNeeds {
  const together = new Map<Block | undefined, Operation[]>();
  for (const dot of dots) together.set(dot.parent, [...(together.get(dot.parent) ?? []), dot]);
  const words = Math.max(...[...together.values()].map(wordsOfDots));
  const accumulators = Math.max(...dots.map((dot) => elementCount(dot.result.type)));
  const batch = shapeOf(dots[0]!.result.type).length > 2 ? 4 : 1;
  return {
    accumulators,
    words,
    threads: [
      ceilPowerOfTwo(words / REGISTERS_A_THREAD),
      ceilPowerOfTwo((accumulators * batch) / ACCUMULATORS_A_THREAD),
      // A small tile still gets threads enough to keep a multiprocessor busy: 4×4 or 2×2 a thread.
      Math.min(64, ceilPowerOfTwo(accumulators / 4)),
    ],
  };
}

/**
 * Words of registers for the accumulators and operands of these dots; narrow numbers take a word.
 */
function wordsOfDots(dots: readonly Operation[]): number {
  const operands = new Set(dots.flatMap((dot) => [dot.operand(0), dot.operand(1)]));
  const results = dots.map((dot) => dot.result);
  const wordsOf = (value: Value): number =>
    elementCount(value.type) * Math.max(1, bitWidth(dtypeOf(value.type) ?? 'f32') / 32);
  return [...operands, ...results].reduce((sum, value) => sum + wordsOf(value), 0);
}
