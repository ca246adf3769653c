/**
 * Dots on subgroup matrices (MMA). Only where Triton's precision stays: products of f16 and of
 * 8-bit floats (which f16 holds exactly) summed in f32, and of i8 in i32. Operands stay narrow in
 * workgroup memory, in the order in which threads hold them: matrices can be loaded from either.
 * Each subgroup has a block of the sum.
 */
import type { Operation, Value } from '../../ir/ir';
import { ceilPowerOfTwo, registerRun } from '../../ir/layoutAlgebra';
import {
  bitWidth,
  dtypeOf,
  elementCount,
  F16,
  F32,
  I32,
  I8,
  type ScalarType,
  shapeOf,
} from '../../ir/types';
import type { SubgroupMatrix, Target } from '../../target';
import type { ChoiceReasons, Choices } from '../choices';
import { layoutOf } from '../layoutRules';
import { matrixResultLayout } from '../memoryLayouts';
import type { DotFacts, DotPlan, DotStrategy, Refusal, Staging } from './strategy';

export interface MatrixDot {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  /** Element types of operands in workgroup memory. */
  readonly staged: ScalarType;
}

/** The subgroup matrices for a dot of tiles; undefined where there are none for it. */
export function matrixOf(dot: Operation, target: Target): MatrixDot | undefined {
  const found = matrixFor(dot, target);
  return 'refused' in found ? undefined : found;
}

function matrixFor(dot: Operation, target: Target): MatrixDot | Refusal {
  const [a, b] = [dot.operand(0), dot.operand(1)];
  const [left, right] = [dtypeOf(a.type), dtypeOf(b.type)];
  const shape = shapeOf(dot.result.type);
  if (target.subgroupMatrices.length === 0) return { refused: 'the target has no matrices' };
  if (target.subgroupSize === 'none') return { refused: 'the target’s subgroups have no one size' };
  if (target.sharedMemoryInStorage) return { refused: 'shared memory lies in storage' };
  if (shape.length !== 2) return { refused: 'the dot has a batch' };
  const isHalf = (dtype: string | undefined): boolean =>
    dtype === 'f16' || dtype === 'f8E4M3FN' || dtype === 'f8E5M2';
  const halves = isHalf(left) && isHalf(right) && target.f16;
  const bytes = left === 'i8' && right === 'i8' && dtypeOf(dot.result.type) === 'i32';
  if (!halves && !bytes)
    return {
      refused: `matrices keep Triton’s precision for f16, f8 and i8 alone, not ${left} × ${right}`,
    };
  const [m, n, k] = [shape[0]!, shape[1]!, shapeOf(a.type)[1]!];
  const fits = (one: SubgroupMatrix): boolean =>
    one.component === (halves ? 'f16' : 'i8') &&
    one.result === (halves ? 'f32' : 'i32') &&
    m % one.M === 0 &&
    n % one.N === 0 &&
    k % one.K === 0;
  const size = (one: SubgroupMatrix): number => one.M * one.N * one.K;
  const [best] = target.subgroupMatrices.filter(fits).sort((x, y) => size(y) - size(x));
  if (!best) return { refused: `no matrix of the target divides a tile of ${m}×${n}×${k}` };
  return { M: best.M, N: best.N, K: best.K, staged: halves ? F16 : I8 };
}

const SKINNY_ROWS = 16;
/** Sums of one dot that a thread has at most: each is a register, of which it has as many. */
const MOST_SUMS = 256;

export const matrices: DotStrategy = {
  defaults(dots, facts, wanted) {
    const { target, subgroup, least, most, alsoRead } = facts;
    if (wanted.matrices === false) return { refused: 'matrices are switched off' };
    for (const dot of dots) {
      const found = matrixFor(dot, target);
      if ('refused' in found) return found;
    }
    const room = Math.min(...dots.map((dot) => subgroupsWithRoom(dot, target)));
    const needs = subgroupsForMatrices(dots, alsoRead);
    const wide = subgroup * Math.min(room, needs.subgroups);
    const threads = Math.min(most, Math.max(least, wide));
    const own = dots.every(isSkinny) ? skinny(dots) : square(alsoRead);
    const reasons = reasonsFor(dots, facts, threads, needs, room);
    const sums = Math.max(...dots.map(({ result }) => elementCount(result.type)));
    const fewestThreads = {
      threads: ceilPowerOfTwo(sums / MOST_SUMS),
      why: `of a dot’s ${sums} sums a thread has at most ${MOST_SUMS}`,
    };
    return { ...own, threads, mostThreads: subgroup * room, fewestThreads, reasons };
  },
  select(target, dot, choices) {
    const size = target.subgroupSize === 'none' ? 1 : target.subgroupSize;
    if (!choices.matrices) return { refused: 'matrices are switched off' };
    if (choices.threads % size !== 0)
      return { refused: `${choices.threads} threads are no whole subgroups of ${size}` };
    const found = matrixFor(dot, target);
    if ('refused' in found) return found;
    const { M, N, K } = found;
    const block = blockOf(shapeOf(dot.result.type), [M, N], choices.threads / size, choices);
    return planFor(dot, [M, N, K], block);
  },
  read(dot) {
    const { matrix, block } = dot.attributes;
    return planFor(dot, matrix as readonly number[], block as readonly number[]);
  },
};

/** The whole of K: half the memory, and few instructions between two barriers. */
function square(alsoRead: boolean): Partial<Choices> {
  return {
    kSlice: 64,
    // Matrices leave registers free, and gain a fifth.
    prefetchRegisters: 64,
    // Measured on an H200: 332 in place of 283 TFLOP/s for a matmul of halves, 311 in place of 264,
    // none slower.
    overlapStoresWithMma: true,
    // Measured on an H200: 133 in place of 122 TFLOP/s for flash attention in f16, 91 in place of
    // 76 for its gradients.
    squareBlocks: alsoRead,
  };
}
/**
 * Small-M results use each operand once and leave a multiprocessor waiting for memory: a second
 * workgroup beside the first is worth more than barriers (H200: two where each takes 24 KB; 168 µs
 * of paged decoding, 280 with 32 KB).
 */
function skinny(dots: readonly Operation[]): Partial<Choices> {
  return {
    kSlice: 128,
    prefetchRegisters: 128,
    overlapStoresWithMma: true,
    nonAliasedScratch: false,
    mergeBoundsGuards: true,
    clusterLoads: true,
    // Measured on an H200, paged decoding in halves: 144 µs; unrolled by 2 142, with late
    // reductions 141, with indirect prefetch 138.
    loopUnroll: 2,
    delayReductions: true,
    indirectPrefetch: true,
    // Memory that aliases nothing costs the second workgroup, too.
    warpSlabs: dots.length === 1,
    hoistedRegisters: 16,
    lanesAlongRow: 8,
  };
}

function reasonsFor(
  dots: readonly Operation[],
  { subgroup, least, most }: DotFacts,
  threads: number,
  needs: SubgroupNeeds,
  room: number,
): ChoiceReasons {
  const wide = subgroup * Math.min(room, needs.subgroups);
  const elements = Math.max(...dots.map((dot) => elementCount(dot.result.type)));
  const subgroups = threads / subgroup;
  const parts = `${elements / subgroups} of the result’s ${elements} elements a subgroup`;
  const limit =
    needs.subgroups > room
      ? `; more have no room in workgroup memory for a result on its way out`
      : wide > most
        ? `; the target allows ${most} threads (maxInvocations)`
        : wide < least
          ? `; a workgroup has ${least} threads at the least`
          : '';
  return {
    threads: {
      why: `${parts}: ${needs.why}${limit}`,
      next:
        subgroups > 1
          ? `${threads / 2}: ${(2 * elements) / subgroups} elements a subgroup, in its registers`
          : null,
    },
    prefetchRegisters: { why: 'matrices leave registers free', next: null },
  };
}

function planFor(dot: Operation, matrix: readonly number[], block: readonly number[]): DotPlan {
  const shape = shapeOf(dot.result.type);
  return {
    why: `the target has matrices of ${matrix.join('×')} for these element types`,
    attributes: { strategy: 'matrices', matrix, block },
    staging: stagingOf(dot, matrix, block),
    resultLayout: ({ threads, choices }) =>
      matrixResultLayout(shape, threads, choices, block[1] ?? shape[1]!),
    loadLayouts: () => new Map(),
  };
}

function stagingOf(dot: Operation, matrix: readonly number[], block: readonly number[]): Staging {
  const bytes = dtypeOf(dot.operand(0).type) === 'i8';
  const shape = shapeOf(dot.result.type);
  const [M = 1, N = 1, K = 1] = matrix;
  return {
    element: bytes ? I8 : F16,
    fastest: [fasterDimension(dot.operand(0), 1), fasterDimension(dot.operand(1), bytes ? 0 : 1)],
    leastK: K,
    packed: true,
    fragments: {
      kind: 'fragments',
      shape,
      element: bytes ? I32 : F32,
      block: [block[0] ?? 1, block[1] ?? 1],
      matrix: [M, N],
    },
    blocksAlong: (side) => shape[side]! / block[side]!,
  };
}

/** The dimension along which threads hold longer runs; `otherwise` where none is longer. */
function fasterDimension(value: Value, otherwise: 0 | 1): 0 | 1 {
  const layout = layoutOf(value);
  if (!layout) return otherwise;
  const [rows, columns] = [registerRun(layout, 0), registerRun(layout, 1)];
  return rows === columns ? otherwise : rows > columns ? 0 : 1;
}

/** Halves a tile until each subgroup has its part, or a part is one matrix. */
function blockOf(
  shape: readonly number[],
  [M, N]: readonly [number, number],
  subgroups: number,
  { rowsInSubgroup, squareBlocks }: Choices,
): [number, number] {
  let [rows, columns] = [shape[0]!, shape[1]!];
  const inRows = rowsInSubgroup && !squareBlocks;
  for (let parts = 1; parts < subgroups; parts *= 2) {
    const byRows = rows > M && (inRows || rows >= columns || columns === N);
    if (byRows) rows /= 2;
    else if (columns > N) columns /= 2;
    else break;
  }
  return [rows, columns];
}

/**
 * As measured on an H100: a subgroup holds 64×64 of a result, or 64×32 where that takes no more
 * than eight of them; 16×64 where the result is also needed outside of matrices.
 */
function subgroupsForMatrices(dots: readonly Operation[], alsoRead: boolean): SubgroupNeeds {
  const elements = Math.max(...dots.map((dot) => elementCount(dot.result.type)));
  // Small tiles are spread over four subgroups, as far as there is a matrix for each.
  const spread = Math.max(1, Math.min(4, elements / 256));
  const least = dots.every(isSkinny) ? Math.max(spread, subgroupsForOperands(dots)) : spread;
  const small = `a small tile is spread over ${least} subgroups`;
  const [each, why] = alsoRead
    ? [elements / 1024, '1024 of a result that is also read outside of matrices']
    : elements / 2048 <= 8
      ? [elements / 2048, '2048 of a result while that takes no more than eight subgroups']
      : [Math.max(8, elements / 4096), '4096 of a large result, or eight subgroups'];
  return least > each
    ? { subgroups: least, why: dots.every(isSkinny) && least > spread ? OPERANDS : small }
    : { subgroups: each, why };
}
/** Words of an operand, not the result, decide. */
const OPERANDS = 'a skinny result’s operands are shared out, 16 words a thread';

interface SubgroupNeeds {
  readonly subgroups: number;
  readonly why: string;
}

/**
 * Number of subgroups that can bring back one matrix each, with its padding, at a time:
 * enough for a larger dot.
 */
function subgroupsWithRoom(dot: Operation, target: Target): number {
  const { M, N } = matrixOf(dot, target)!;
  return 2 ** Math.floor(Math.log2(target.maxWorkgroupBytes / (4 * M * (N + 1))));
}

/** A result with the fewest rows that a matrix has, as of decoding: its operands are what costs. */
function isSkinny(dot: Operation): boolean {
  return shapeOf(dot.result.type)[0]! <= SKINNY_ROWS;
}
/**
 * As many subgroups, up to eight, as leave a thread 16 words of an operand on its way to memory.
 */
function subgroupsForOperands(dots: readonly Operation[]): number {
  const words = Math.max(
    ...dots.map(({ operands: [, right] }) => {
      const bits = bitWidth(dtypeOf(right!.type) ?? 'f16');
      return (elementCount(right!.type) * bits) / 32;
    }),
  );
  return Math.min(8, words / 512);
}
