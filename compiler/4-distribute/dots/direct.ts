/**
 * Dots whose operands come straight from global memory: no workgroup memory, no barrier. To a CPU
 * all memory is the same, and a barrier costs as much as hundreds of multiplications; a thread
 * reads what the cache has, in a loop along K (`5-threads/dot/direct.ts`). The strategy is for
 * machines with `flatMemory`, and where a tuner sets it (some GPUs gain nothing from workgroup
 * memory).
 * It takes tiles that are loaded from memory which the kernel does not write: floats that are
 * summed in f32, i8 in i32.
 */
import { WrittenMemory } from '../../ir/access';
import type { Func, Operation, Value } from '../../ir/ir';
import { type Basis, type Layout, threadBases } from '../../ir/layout';
import type { AxisAnalysis } from '../axis_analysis';
import type { ChoiceReasons } from '../choices';
import { type DType, dtypeOf, elementCount, shapeOf } from '../../ir/types';
import { CheapValues } from '../layoutRules';
import { accessOrder } from '../memoryLayouts';
import { fma, registerBlocks } from './fma';
import { type DotPlan, type DotStrategy, VECTOR_LANES } from './strategy';

/**
 * Elements of the result that a thread adds up: loads are least where the block is large and
 * square.
 */
const ACCUMULATORS = 64;
/** Element types that operands may have, by the type of the sum. */
const OPERANDS: Partial<Record<DType, readonly DType[]>> = {
  f32: ['f32', 'f16', 'bf16'],
  i32: ['i8'],
};
/** Steps of K that are written out: what one vector along it holds. */
export const STEPS = 4;

/** Why not all dots of the function read their operands from global memory; null where they do. */
function obstacleTo(dots: readonly Operation[], func: Func): string | null {
  if (dots.length === 0) return 'there is no dot';
  const written = new WrittenMemory(func);
  const cheap = new CheapValues();
  const comesFromMemory = (value: Value): boolean => {
    const load = value.definition;
    if (load?.name !== 'tt.load' || !value.hasOneUse) return false;
    const pointer = load.operand(0);
    return !written.has(pointer) && load.operands.every((operand) => cheap.has(operand));
  };
  for (const dot of dots) {
    const shape = shapeOf(dot.result.type);
    const [a, b, acc] = [dot.operand(0), dot.operand(1), dot.operand(2)];
    const large =
      shape.length === 2 &&
      shape[1]! >= STEPS &&
      shapeOf(a.type)[1]! >= STEPS &&
      elementCount(dot.result.type) >= ACCUMULATORS;
    if (!large) return 'a tile is too small, or has a batch';
    if (![a, b].every((value) => summable(value, acc)))
      return 'the element types have no sum for it';
    const loaded = [a, b].every(
      (value) => comesFromMemory(value) && value.definition!.parent === dot.parent,
    );
    if (!loaded) return 'an operand is no plain load of memory that the kernel only reads';
  }
  return null;
}

function summable(operand: Value, acc: Value): boolean {
  const [from, into] = [dtypeOf(operand.type), dtypeOf(acc.type)];
  return !!from && !!into && OPERANDS[into]?.includes(from) === true;
}

/** Threads for such dots: no fewer than `fewest`, or a thread's code grows. */
function threadsForDirect(dots: readonly Operation[], fewest: number): number {
  const elements = Math.max(...dots.map((dot) => elementCount(dot.result.type)));
  return Math.max(fewest, elements / ACCUMULATORS);
}

/** `choices.direct` holds only where nothing stands in its way. */
export const direct: DotStrategy = {
  defaults(dots, facts, wanted) {
    if (!(wanted.direct ?? facts.machine.flatMemory))
      return { refused: 'workgroup memory is nearer than global memory here (flatMemory)' };
    const obstacle = obstacleTo(dots, facts.func);
    if (obstacle !== null) return { refused: obstacle };
    const fewest = Math.max(VECTOR_LANES, facts.subgroup);
    const threads = Math.min(facts.most, threadsForDirect(dots, fewest));
    const reasons: ChoiceReasons = {
      threads: {
        why: `${ACCUMULATORS} sums a thread, and ${fewest} threads at the least`,
        next: `${threads * 2}: fewer sums for each that is read`,
      },
    };
    const general = fma.defaults(dots, facts, wanted);
    return { ...general, threads, direct: true, reasons: { ...general.reasons, ...reasons } };
  },
  select: (_, dot, choices, reasons) =>
    choices.direct ? planFor(dot) : { refused: reasons.direct?.why ?? 'it is switched off' },
  read: planFor,
};

function planFor(dot: Operation): DotPlan {
  return {
    why: 'operands are loads of memory that the kernel only reads, as near as workgroup memory',
    attributes: { strategy: 'direct', rematerializedOperands: true },
    staging: undefined,
    resultLayout: (context) => registerBlocks(dot, context),
    loadLayouts: (result, axes) =>
      new Map(
        ([0, 1] as const).map((side) => {
          const load = dot.operand(side).definition!;
          return [load, directLayout(load, side, result, axes)];
        }),
      ),
  };
}

/**
 * The layout in which a thread has all of K for its rows (operand 0) or columns (operand 1) of the
 * accumulator: registers first along whichever dimension lies in consecutive memory.
 */
function directLayout(
  load: Operation,
  side: 0 | 1,
  accumulator: Layout,
  axes: AxisAnalysis,
): Layout {
  const shape = shapeOf(load.result.type);
  const summed = 1 - side;
  const along = (dim: number, size: number): Basis => shape.map((_, d) => (d === dim ? size : 0));
  const own = accumulator.register.flatMap((basis) =>
    basis[side] ? [along(side, basis[side])] : [],
  );
  const k = Array.from({ length: Math.log2(shape[summed]!) }, (_, i) => along(summed, 2 ** i));
  const steps = Math.log2(STEPS);
  const first = accessOrder(load, axes)[0] === summed ? k.slice(0, steps) : own;
  const second = first === own ? k.slice(0, steps) : own;
  const threads = threadBases(accumulator).map((basis) => along(side, basis[side] ?? 0));
  const lanes = accumulator.lane.length;
  return {
    register: [...first, ...second, ...k.slice(steps)],
    lane: threads.slice(0, lanes),
    subgroup: threads.slice(lanes),
  };
}
