/**
 * A dot on subgroup matrices that overlaps the stores of the next tile (`4-distribute/overlap_stores.ts`): the
 * matrices of its last step along K are read with the others, and multiplied later. Some columns behind the
 * stores, at the loop's end, so that matrix units work while what is stored is on its way; the rest in the next
 * iteration, behind the barrier, while the first matrices of the next tile are read; in the end, behind the loop.
 *
 *     barrier; read first; multiply rest of held; read held; multiply others; barrier; store; multiply held
 *
 * In the first iteration held matrices are zero, so that they add nothing.
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

/** Declares, before the loop, what the dot holds. */
export function beginOverlap(e: Emission, op: Operation): void {
  const [rows, columns] = matrixGrid(fragmentsOf(op.result));
  const types = matrixTypes(op);
  const held = {
    left: range(rows).map(() => e.variable('held_a', types.left)),
    right: range(columns).map(() => e.variable('held_b', types.right)),
  };
  e.held.set(op, held);
}

export function emitOverlappedDot(e: Emission, op: Operation): void {
  const type = fragmentsOf(op.result);
  const [, N, K] = op.attributes['matrix'] as readonly [number, number, number];
  const depth = memdescOf(op.operand(0)).shape[1]!;
  const [, columns] = matrixGrid(type);
  const held = e.held.get(op)!;
  const left = leftOperand(e, op);
  const right = rightOperand(e, op);
  inBlock(e, type, ({ row, column }) => {
    const [x, y] = [left.at(row), right.at(column, 1, type.block[1])];
    const holdRight = (j: number): void =>
      e.writer.line(`${held.right[j]} = ${right.load(y, [depth - K, j * N])};`);
    const holdLeft = (): void =>
      left.load(x, depth - K).forEach((text, i) => e.writer.line(`${held.left[i]} = ${text};`));
    if (depth === K) {
      multiplyRest(e, op);
      holdLeft();
      range(columns).forEach(holdRight);
      return;
    }
    e.writer.block('', () => {
      const as = left.read(x, 0);
      const bs = range(columns).map((j) => e.let('b', right.load(y, [0, j * N])));
      multiplyRest(e, op);
      for (const j of range(columns)) {
        // The last columns' multiplications hide that the left matrices are read.
        if (depth === 2 * K && j === columns - 1) holdLeft();
        multiply(e, op, as, [bs[j]!], j);
        if (depth === 2 * K) holdRight(j);
      }
    });
    for (let k = K; k < depth - K; k += K)
      e.writer.block('', () => {
        const as = left.read(x, k);
        const hold = k === depth - 2 * K;
        for (const j of range(columns)) {
          const line = e.let('b', right.load(y, [k, j * N]));
          if (hold && j === columns - 1) holdLeft();
          multiply(e, op, as, [line], j);
          if (hold) holdRight(j);
        }
      });
  });
  e.setRegisters(op.result, e.registers(op.operand(2)));
}

/** Multiplies what a dot holds: most of it beside the stores behind the dot, the rest later. */
export function emitHeld(e: Emission, op: Operation, part: 'beside stores' | 'rest'): void {
  inBlock(e, fragmentsOf(op.result), () => {
    const { left, right } = e.held.get(op)!;
    if (part === 'rest') multiplyRest(e, op);
    else multiply(e, op, left, right.slice(0, columnsBeside(right.length)), 0);
  });
}
function multiplyRest(e: Emission, op: Operation): void {
  const { left, right } = e.held.get(op)!;
  const from = columnsBeside(right.length);
  multiply(e, op, left, right.slice(from), from);
}
/** Columns of matrices that are multiplied beside the stores. */
const columnsBeside = (columns: number): number => Math.ceil(columns / 4);

/** Adds the products of matrices, columns from `first` on, to the sums that the loop carries. */
function multiply(
  e: Emission,
  op: Operation,
  left: readonly string[],
  right: readonly string[],
  first: number,
): void {
  const [, columns] = matrixGrid(fragmentsOf(op.result));
  const sums = e.registers(op.operand(2));
  right.forEach((b, j) => {
    left.forEach((a, i) => {
      const sum = sums[i * columns + first + j]!;
      e.writer.line(`${sum} = subgroupMatrixMultiplyAccumulate(${a}, ${b}, ${sum});`);
    });
  });
}
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
