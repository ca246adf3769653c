/**
 * tt.dot on subgroup matrices: each subgroup multiplies the rows and columns of its block
 * (`FragmentsType`); and ttg.load_fragments, the left operand of such dots before their loop.
 */
import type { Operation, Value } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import { type FragmentsType, shapeOf } from '../../ir/types';
import type { Lowering } from '../context';
import { fragmentsOf, inBlock, matrixGrid, matrixType, zeroMatrix } from './blocks';
import type { Place } from './blocks';
import type { DotLowering } from './lowering';
import { leftOperand, matrixSize, matrixTypes, multiplyMatrices, rightOperand } from './operands';
import { enterOverlappedLoop, isOverlapped, lowerOverlapped } from './overlapped';

export const matrices: DotLowering = {
  lower: (t, dot) => (isOverlapped(dot) ? lowerOverlapped : lower)(t, dot),
  enterLoop: (t, dot) => (isOverlapped(dot) ? enterOverlappedLoop(t, dot) : undefined),
};

function lower(t: Lowering, op: Operation): void {
  const type = fragmentsOf(op.result);
  const [, N, K] = matrixSize(op);
  const depth = shapeOf(op.operand(0).type)[1]!;
  const [, columns] = matrixGrid(type);
  const start = t.registers(op.operand(2)).map((x) => t.let(t.hint(op.result), x));
  const left = leftMatrices(t, op);
  const right = rightOperand(t, op);
  const sums = inBlock(
    t,
    type,
    ({ row, column }) => {
      const read = left(row);
      const y = right.at(column, 1, type.block[1]);
      const next = [...start];
      for (let k = 0; k < depth; k += K) {
        const as = read(k);
        for (let j = 0; j < columns; j++) {
          const line = t.let('b', right.load(y, [k, j * N]));
          as.forEach((a, i) => {
            const at = i * columns + j;
            next[at] = multiplyMatrices(t, a, line, next[at]!);
          });
        }
      }
      return next;
    },
    () => start,
  );
  t.setRegisters(op.result, sums);
}

/** The left operand's matrices at a step along K, of the subgroup's rows. */
function leftMatrices(
  t: Lowering,
  op: Operation,
): (row: Place['row']) => (k: number) => readonly ThreadValue[] {
  const [value] = op.operands as [Value];
  const { left } = matrixTypes(op);
  if (value.type.kind === 'fragments') {
    const loaded = byStep(t.registers(value), value.type);
    return () => (k) => loaded[k / left.columns]!;
  }
  const operand = leftOperand(t, value, fragmentsOf(op.result), left);
  return (row) => {
    const place = operand.at(row);
    return (k) => operand.read(place, k);
  };
}
/** The matrices of a left operand, which are in the order of the steps along K. */
function byStep(matrices: readonly ThreadValue[], type: FragmentsType): readonly ThreadValue[][] {
  const [rows, steps] = matrixGrid(type);
  return Array.from({ length: steps }, (_, k) => matrices.slice(k * rows, (k + 1) * rows));
}

export function lowerLoadFragments(t: Lowering, op: Operation): void {
  const type = fragmentsOf(op.result);
  const matrix = matrixType(type);
  const left = leftOperand(t, op.operand(0), type, matrix);
  const [rows, steps] = matrixGrid(type);
  const loaded = inBlock(
    t,
    type,
    ({ row }) => {
      const place = left.at(row);
      return Array.from({ length: steps }, (_, k) => left.read(place, k * matrix.columns)).flat();
    },
    () => Array.from({ length: rows * steps }, () => zeroMatrix(t, matrix)),
  );
  t.setRegisters(op.result, loaded);
}
