/**
 * A dot on subgroup matrices that overlaps the stores of the next tile
 * (`4-distribute/overlap_stores_with_mma.ts`): the matrices of its last step along K are read with
 * the others and multiplied later. Some columns are multiplied behind the stores, so that matrix
 * units work while the stored values are on their way; the rest behind the barrier, while the first
 * matrices of the next tile are read. Those are read at the end of an iteration and before the
 * loop, so that the barrier in front of the dot stands there, too.
 *
 *     barrier; read first
 *     for { multiply first, read last; barrier; store;
 *           multiply last; barrier; read first; multiply rest }
 *
 * Nothing uses what the last iteration reads.
 */
import type { Operation } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import { numberAttribute } from '../context';
import type { Lowering } from '../context';
import { fragmentsOf, inBlock, matrixGrid, zeroMatrix } from './blocks';
import { memdescOf } from './local';
import type { CarriedFragments, Step } from './lowering';
import { leftOperand, matrixSize, matrixTypes, multiplyMatrices, rightOperand } from './operands';

/** Whether `overlap_stores_with_mma` has put the stores of the next tile behind the dot. */
export const isOverlapped = (dot: Operation): boolean => columnsBeside(dot) !== undefined;
const columnsBeside = (dot: Operation): number | undefined =>
  numberAttribute(dot, 'overlapColumns');

const flat = ({ left, right }: Step): ThreadValue[] => [...left, ...right];

/** The fragments of a dot's first and last steps, in a row: what a loop carries. */
function overlappedValues(t: Lowering, op: Operation): ThreadValue[] {
  const { first, last } = t.dots.overlapped(op);
  return [...(first ? flat(first) : []), ...flat(last)];
}
/** Sets the fragments of a dot from a row, as `overlappedValues` gives them. */
function setOverlapped(t: Lowering, op: Operation, values: readonly ThreadValue[]): void {
  const [rows, columns] = matrixGrid(fragmentsOf(op.result));
  const step = (from: number): Step => ({
    left: values.slice(from, from + rows),
    right: values.slice(from + rows, from + rows + columns),
  });
  const two = values.length > rows + columns;
  const steps = two
    ? { first: step(0), last: step(rows + columns) }
    : { first: undefined, last: step(0) };
  t.dots.setOverlapped(op, steps);
}

/** Before the loop: loads the first step. */
export function enterOverlappedLoop(t: Lowering, op: Operation): CarriedFragments {
  const [rows, columns] = matrixGrid(fragmentsOf(op.result));
  const types = matrixTypes(op);
  const zeros = (name: string): Step => ({
    left: range(rows).map(() => t.let(`${name}_a`, zeroMatrix(t, types.left))),
    right: range(columns).map(() => t.let(`${name}_b`, zeroMatrix(t, types.right))),
  });
  const first = depthOf(op) > stepOf(op) ? zeros('first') : undefined;
  t.dots.setOverlapped(op, { first, last: zeros('last') });
  nextTile(t, op, (sums) => sums, []);
  return {
    values: () => overlappedValues(t, op),
    set: (values) => setOverlapped(t, op, values),
    endIteration: () => endIteration(t, op),
  };
}

export function lowerOverlapped(t: Lowering, op: Operation): void {
  const type = fragmentsOf(op.result);
  const [N, K, depth] = [type.matrix[1], stepOf(op), depthOf(op)];
  const [, columns] = matrixGrid(type);
  const { first, last } = t.dots.overlapped(op);
  const left = leftOperand(t, op.operand(0), fragmentsOf(op.result), matrixTypes(op).left);
  const right = rightOperand(t, op);
  const start = t.registers(op.operand(2));
  const values = inBlock(
    t,
    type,
    ({ row, column }) => {
      let sums = start;
      const [x, y] = [left.at(row), right.at(column, 1, type.block[1])];
      if (first && depth > 2 * K) sums = multiply(t, op, sums, first, 0, columns);
      for (let k = K; k < depth - K; k += K) {
        const as = left.read(x, k);
        for (let j = 0; j < columns; j++) {
          const line = t.let('b', right.load(y, [k, j * N]));
          sums = multiply(t, op, sums, { left: as, right: [line] }, j, j + 1, j);
        }
      }
      const lastStep = {
        right: range(columns).map((j) => t.let('last_b', right.load(y, [depth - K, j * N]))),
        left: left.read(x, depth - K),
      };
      if (first && depth === 2 * K) sums = multiply(t, op, sums, first, 0, columns);
      return [...sums, ...flat(lastStep)];
    },
    () => [...start, ...flat(last)],
  );
  t.setRegisters(op.result, values.slice(0, start.length));
  const rest = values.slice(start.length);
  setOverlapped(t, op, [...(first ? flat(first) : []), ...rest]);
}

/**
 * At the end of an iteration: multiplies the matrices of the last step, `overlapColumns` of their
 * columns behind the stores, the rest while the next tile's first step is read.
 */
function endIteration(t: Lowering, op: Operation): void {
  const { last } = t.dots.overlapped(op);
  const columns = last.right.length;
  const beside = columnsBeside(op)!;
  const start = t.registers(op.result);
  const sums = inBlock(
    t,
    fragmentsOf(op.result),
    () => multiply(t, op, start, last, 0, beside),
    () => start,
  );
  const end = nextTile(t, op, (now) => multiply(t, op, now, last, beside, columns), sums);
  t.setRegisters(op.result, end);
}

/**
 * The barrier behind which a tile is in workgroup memory, and its first step; `meanwhile` changes
 * the sums and takes no part in either.
 */
function nextTile(
  t: Lowering,
  op: Operation,
  meanwhile: (sums: readonly ThreadValue[]) => readonly ThreadValue[],
  sums: readonly ThreadValue[],
): readonly ThreadValue[] {
  const type = fragmentsOf(op.result);
  const { first, last } = t.dots.overlapped(op);
  const left = leftOperand(t, op.operand(0), fragmentsOf(op.result), matrixTypes(op).left);
  const right = rightOperand(t, op);
  if (hasRotatedBarrier(op)) t.shared.barrier();
  const values = inBlock(
    t,
    type,
    ({ row, column }) => {
      if (!first) return meanwhile(sums);
      const [x, y] = [left.at(row), right.at(column, 1, type.block[1])];
      const lines = first.right.map((_, j) =>
        t.let('first_b', right.load(y, [0, j * type.matrix[1]])),
      );
      const step = { right: lines, left: left.read(x, 0) };
      return [...meanwhile(sums), ...flat(step)];
    },
    () => [...sums, ...(first ? flat(first) : [])],
  );
  if (first) setOverlapped(t, op, [...values.slice(sums.length), ...flat(last)]);
  return values.slice(0, sums.length);
}

/** Whether the barrier in front of the dot stands at the end of iterations, and before the loop. */
function hasRotatedBarrier(op: Operation): boolean {
  return op.parent!.ops.some(
    ({ name, attributes }) => name === 'gpu.barrier' && attributes['rotated'] === true,
  );
}
const depthOf = (op: Operation): number => memdescOf(op.operand(0)).shape[1]!;
const stepOf = (op: Operation): number => matrixSize(op)[2];

/**
 * Adds the products of a step, columns `from` to `to`, to sums. `first`: the first column of
 * `right`.
 */
function multiply(
  t: Lowering,
  op: Operation,
  sums: readonly ThreadValue[],
  step: Step,
  from: number,
  to: number,
  first = 0,
): readonly ThreadValue[] {
  const [, columns] = matrixGrid(fragmentsOf(op.result));
  const out = [...sums];
  for (let j = from; j < to; j++)
    step.left.forEach((a, i) => {
      const at = i * columns + j;
      out[at] = multiplyMatrices(t, a, step.right[j - first]!, out[at]!);
    });
  return out;
}
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
