/**
 * Dots whose operands come straight from global memory, where a dot asks for them: no workgroup memory, no
 * barrier. To a CPU all memory is the same, and a barrier costs as much as hundreds of multiplications;
 * a thread reads what the cache has, in a loop along K (`5-emit/dot/direct.ts`). So on software adapters,
 * and elsewhere where a tuner asks for it (some GPUs gain nothing from workgroup memory); for tiles that
 * nothing stands between but a load of memory that the kernel does not write: of floats that are summed in
 * f32, of i8 in i32.
 */
import { rootOf, writtenRoots } from '../ir/access';
import { type Func, type Operation, type Value, walk } from '../ir/ir';
import { type Basis, type Layout, threadBases } from '../ir/layout';
import type { AxisAnalysis } from './axis_analysis';
import { type DType, dtypeOf, elementCount, shapeOf } from '../ir/types';
import { CheapValues, isTile } from './layoutRules';
import { accessOrder } from './memoryLayouts';

/** Elements of the result that a thread adds up: loads are least where the block is large and square. */
const ACCUMULATORS = 64;
/** What operands may be, by what they are summed in. */
const OPERANDS: Partial<Record<DType, readonly DType[]>> = {
  f32: ['f32', 'f16', 'bf16'],
  i32: ['i8'],
};
/** Steps of K that are written out: what one vector along it holds. */
export const STEPS = 4;

/** Whether all dots of the function read their operands from global memory. */
export function areDirect(dots: readonly Operation[], func: Func): boolean {
  if (dots.length === 0) return false;
  const parameters = func.body.args;
  const written = writtenRoots(func);
  const cheap = new CheapValues();
  const comesFromMemory = (value: Value): boolean => {
    const load = value.definition;
    if (load?.name !== 'tt.load' || value.uses.size !== 1) return false;
    const root = rootOf(load.operand(0), parameters);
    return root >= 0 && !written.has(root) && load.operands.every((operand) => cheap.has(operand));
  };
  return dots.every((dot) => {
    const shape = shapeOf(dot.result.type);
    const [a, b, acc] = [dot.operand(0), dot.operand(1), dot.operand(2)];
    return (
      shape.length === 2 &&
      shape[1]! >= STEPS &&
      shapeOf(a.type)[1]! >= STEPS &&
      elementCount(dot.result.type) >= ACCUMULATORS &&
      [a, b].every((value) => summable(value, acc)) &&
      comesFromMemory(a) &&
      comesFromMemory(b) &&
      a.definition!.parent === dot.parent &&
      b.definition!.parent === dot.parent
    );
  });
}

function summable(operand: Value, acc: Value): boolean {
  const [from, into] = [dtypeOf(operand.type), dtypeOf(acc.type)];
  return !!from && !!into && OPERANDS[into]?.includes(from) === true;
}

/** Threads for such dots: no fewer than `fewest`, or a thread's code grows. */
export function threadsForDirect(dots: readonly Operation[], fewest: number): number {
  const elements = Math.max(...dots.map((dot) => elementCount(dot.result.type)));
  return Math.max(fewest, elements / ACCUMULATORS);
}

/** Marks them, for the passes after this one. */
export function markDirectDots(func: Func): void {
  walk(func.body, (op) => {
    if (op.name === 'tt.dot') op.attributes = { ...op.attributes, direct: true };
  });
}
export const isDirect = (op: Operation): boolean =>
  op.name === 'tt.dot' && op.attributes['direct'] === true;

/**
 * The layout in which a thread has all of K for its rows (operand 0) or columns (operand 1) of the
 * accumulator: registers first along whichever dimension lies in consecutive memory.
 */
export function directLayout(
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

/** What is computed again for each use on the way to such a dot: its operands, and their addresses. */
export function repeatedFor(dot: Operation): Set<Value> {
  const found = new Set<Value>();
  const open = [dot.operand(0), dot.operand(1)];
  for (let value = open.pop(); value; value = open.pop()) {
    if (!isTile(value) || found.has(value)) continue;
    found.add(value);
    open.push(...(value.definition?.operands ?? []));
  }
  return found;
}
