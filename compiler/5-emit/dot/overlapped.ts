/**
 * A dot on subgroup matrices that overlaps the stores of the next tile (`4-distribute/overlap_stores.ts`): the
 * matrices of its last step along K are read with the others, and multiplied later. Some columns behind the
 * stores, so that matrix units work while what is stored is on its way; the rest behind the barrier, while the
 * first matrices of the next tile are read. These are read where an iteration ends, and before the loop, so that the
 * barrier in front of the dot stands there, too.
 *
 *     barrier; read first
 *     for { multiply first, read held; barrier; store; multiply held; barrier; read first; multiply rest }
 *
 * What the last iteration reads nobody uses.
 */
import type { Operation } from '../../ir/ir';
import type { Emission } from '../emission';
import {
  fragmentsOf,
  inBlock,
  leftOperand,
  matrixGrid,
  matrixTypes,
  rightOperand,
} from './fragments';
import { memdescOf } from './local';

/** Variables for matrices of a step along K, of the left operand and of the right one. */
export interface Step {
  readonly left: readonly string[];
  readonly right: readonly string[];
}
/** What a dot holds of its first step, and of its last; they are one where there is but one step. */
export interface Held {
  readonly first: Step | undefined;
  readonly last: Step;
}

/** Before the loop: declares what the dot holds, and reads its first step. */
export function beginOverlap(e: Emission, op: Operation): void {
  const [rows, columns] = matrixGrid(fragmentsOf(op.result));
  const types = matrixTypes(op);
  const step = (name: string): Step => ({
    left: range(rows).map(() => e.variable(`${name}_a`, types.left)),
    right: range(columns).map(() => e.variable(`${name}_b`, types.right)),
  });
  e.held.set(op, {
    first: depthOf(op) > stepOf(op) ? step('first') : undefined,
    last: step('held'),
  });
  const before = barrierBefore(op);
  if (before) e.moved.add(before);
  nextTile(e, op, () => undefined);
}

export function emitOverlappedDot(e: Emission, op: Operation): void {
  const type = fragmentsOf(op.result);
  const [N, K, depth] = [type.matrix[1], stepOf(op), depthOf(op)];
  const [, columns] = matrixGrid(type);
  const { first, last } = e.held.get(op)!;
  const left = leftOperand(e, op);
  const right = rightOperand(e, op);
  inBlock(e, type, ({ row, column }) => {
    const [x, y] = [left.at(row), right.at(column, 1, type.block[1])];
    if (first && depth > 2 * K) multiply(e, op, first, 0, columns);
    for (let k = K; k < depth - K; k += K)
      e.writer.block('', () => {
        const as = left.read(x, k);
        for (let j = 0; j < columns; j++) {
          const line = e.let('b', right.load(y, [k, j * N]));
          multiply(e, op, { left: as, right: [line] }, j, j + 1, j);
        }
      });
    last.right.forEach((name, j) =>
      e.writer.line(`${name} = ${right.load(y, [depth - K, j * N])};`),
    );
    left.load(x, depth - K).forEach((text, i) => e.writer.line(`${last.left[i]} = ${text};`));
    if (first && depth === 2 * K) multiply(e, op, first, 0, columns);
  });
  e.setRegisters(op.result, e.registers(op.operand(2)));
}

/** At the end of an iteration: multiplies what the dot holds, half of it while the next tile's first step is read. */
export function endOverlap(e: Emission, op: Operation): void {
  const { last } = e.held.get(op)!;
  const columns = last.right.length;
  // Of four columns none to all: 327, 334, 346, 319, 305 TFLOP/s for halves at 4096³ on an H200.
  const beside = Math.ceil(columns / 2);
  inBlock(e, fragmentsOf(op.result), () => multiply(e, op, last, 0, beside));
  nextTile(e, op, () => multiply(e, op, last, beside, columns));
}

/** The barrier behind which a tile is in workgroup memory, and its first step; `meanwhile`: what has no part in either. */
function nextTile(e: Emission, op: Operation, meanwhile: () => void): void {
  const type = fragmentsOf(op.result);
  const { first } = e.held.get(op)!;
  const left = leftOperand(e, op);
  const right = rightOperand(e, op);
  if (barrierBefore(op)) e.barrier();
  inBlock(e, type, ({ row, column }) => {
    if (first) {
      const [x, y] = [left.at(row), right.at(column, 1, type.block[1])];
      first.right.forEach((name, j) =>
        e.writer.line(`${name} = ${right.load(y, [0, j * type.matrix[1]])};`),
      );
      left.load(x, 0).forEach((text, i) => e.writer.line(`${first.left[i]} = ${text};`));
    }
    meanwhile();
  });
}

function barrierBefore(op: Operation): Operation | undefined {
  let before = op.previous;
  while (before && before.name !== 'gpu.barrier') before = before.previous;
  return before;
}
const depthOf = (op: Operation): number => memdescOf(op.operand(0)).shape[1]!;
const stepOf = (op: Operation): number =>
  (op.attributes['matrix'] as readonly [number, number, number])[2];

/** Adds the products of a step, columns `from` to `to`, to the sums that the loop carries. `first`: that of `right`. */
function multiply(
  e: Emission,
  op: Operation,
  step: Step,
  from: number,
  to: number,
  first = 0,
): void {
  const [, columns] = matrixGrid(fragmentsOf(op.result));
  const sums = e.registers(op.operand(2));
  for (let j = from; j < to; j++)
    step.left.forEach((a, i) => {
      const sum = sums[i * columns + j]!;
      const b = step.right[j - first]!;
      e.writer.line(`${sum} = subgroupMatrixMultiplyAccumulate(${a}, ${b}, ${sum});`);
    });
}
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
