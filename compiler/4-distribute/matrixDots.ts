/**
 * Which dots run on subgroup matrices, and how their results are dealt out. Only where Triton's precision
 * stays: products of f16 and of 8-bit floats (which f16 holds exactly) summed in f32, and of i8 in i32.
 */
import { type Func, type Operation, walk } from '../ir/ir';
import { dtypeOf, F16, I8, type ScalarType, shapeOf } from '../ir/types';
import type { SubgroupMatrix, Target } from '../target';
import type { Choices } from './choices';

export interface MatrixDot {
  readonly M: number;
  readonly N: number;
  readonly K: number;
  /** What the operands are in workgroup memory. */
  readonly staged: ScalarType;
}

/** The subgroup matrices for a dot of tiles; undefined where there are none for it. */
export function matrixOf(dot: Operation, target: Target): MatrixDot | undefined {
  const [a, b] = [dot.operand(0), dot.operand(1)];
  const [left, right] = [dtypeOf(a.type), dtypeOf(b.type)];
  const shape = shapeOf(dot.result.type);
  if (shape.length !== 2 || target.subgroupSize === 'none' || target.exchangeInStorage)
    return undefined;
  const isHalf = (dtype: string | undefined): boolean =>
    dtype === 'f16' || dtype === 'f8E4M3FN' || dtype === 'f8E5M2';
  const halves = isHalf(left) && isHalf(right) && target.f16;
  const bytes = left === 'i8' && right === 'i8' && dtypeOf(dot.result.type) === 'i32';
  if (!halves && !bytes) return undefined;
  const [m, n, k] = [shape[0]!, shape[1]!, shapeOf(a.type)[1]!];
  const fits = (one: SubgroupMatrix): boolean =>
    one.component === (halves ? 'f16' : 'i8') &&
    one.result === (halves ? 'f32' : 'i32') &&
    m % one.M === 0 &&
    n % one.N === 0 &&
    k % one.K === 0;
  const size = (one: SubgroupMatrix): number => one.M * one.N * one.K;
  const [best] = target.subgroupMatrices.filter(fits).sort((x, y) => size(y) - size(x));
  return best && { M: best.M, N: best.N, K: best.K, staged: halves ? F16 : I8 };
}

/** Writes `matrix` and `block` on the dots that run on matrices. */
export function markMatrixDots(func: Func, target: Target, choices: Choices): boolean {
  const size = target.subgroupSize === 'none' ? 1 : target.subgroupSize;
  if (!choices.matrices || choices.threads % size !== 0) return false;
  let marked = false;
  walk(func.body, (op) => {
    if (op.name !== 'tt.dot') return;
    const found = matrixOf(op, target);
    if (!found) return;
    const { M, N, K } = found;
    const block = blockOf(shapeOf(op.result.type), [M, N], choices.threads / size, choices);
    op.attributes = { ...op.attributes, matrix: [M, N, K], block };
    marked = true;
  });
  return marked;
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
