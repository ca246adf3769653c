/**
 * tt.dot on subgroup matrices: each subgroup multiplies the rows and columns of its block
 * (`FragmentsType`).
 */
import type { Operation } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import type { Lowering } from '../context';
import { fragmentsOf, inBlock, matrixGrid, zeroMatrix } from './blocks';
import { memdescOf } from './local';
import type { CarriedFragments, DotLowering } from './lowering';
import { leftOperand, matrixSize, matrixTypes, multiplyMatrices, rightOperand } from './operands';
import { enterOverlappedLoop, isOverlapped, lowerOverlapped } from './overlapped';

export const matrices: DotLowering = {
  lower: (t, dot) => (isOverlapped(dot) ? lowerOverlapped : lower)(t, dot),
  enterLoop,
};

function enterLoop(t: Lowering, dot: Operation): CarriedFragments | undefined {
  if (isOverlapped(dot)) return enterOverlappedLoop(t, dot);
  if (dot.attributes['hoisted'] === true) loadHoisted(t, dot);
  return undefined;
}

function lower(t: Lowering, op: Operation): void {
  const type = fragmentsOf(op.result);
  const [, N, K] = matrixSize(op);
  const depth = memdescOf(op.operand(0)).shape[1]!;
  const [, columns] = matrixGrid(type);
  const start = t.registers(op.operand(2)).map((x) => t.let(t.hint(op.result), x));
  const left = leftOperand(t, op);
  const right = rightOperand(t, op);
  const hoisted = t.dots.hoisted(op);
  const sums = inBlock(
    t,
    type,
    ({ row, column }) => {
      const [x, y] = [left.at(row), right.at(column, 1, type.block[1])];
      const next = [...start];
      for (let k = 0; k < depth; k += K) {
        const as = hoisted?.get(k) ?? left.read(x, k);
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

/** Loads the left operand of a dot into fragments, in front of the loop that does not change it. */
function loadHoisted(t: Lowering, op: Operation): void {
  const [, , K] = matrixSize(op);
  const depth = memdescOf(op.operand(0)).shape[1]!;
  const left = leftOperand(t, op);
  const type = fragmentsOf(op.result);
  const [rows] = matrixGrid(type);
  const all = inBlock(
    t,
    type,
    ({ row }) => {
      const x = left.at(row);
      const list: ThreadValue[] = [];
      for (let k = 0; k < depth; k += K) list.push(...left.read(x, k));
      return list;
    },
    () => Array.from({ length: (rows * depth) / K }, () => zeroMatrix(t, matrixTypes(op).left)),
  );
  const steps = new Map<number, readonly ThreadValue[]>();
  for (let k = 0; k < depth; k += K) steps.set(k, all.slice((k / K) * rows, (k / K + 1) * rows));
  t.dots.setHoisted(op, steps);
}
