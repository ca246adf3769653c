/**
 * Operands of a dot on subgroup matrices: they lie in workgroup memory, 16 bytes to an entry, and
 * are loaded a fragment at a time, each subgroup those of its block (`FragmentsType`).
 */
import type { Operation, Value } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import { fragment } from '../../ir/thread/types';
import type { FragmentType } from '../../ir/thread/types';
import type { FragmentsType, MemdescType, ScalarType } from '../../ir/types';
import { byteSize, elementOf, slabOf } from '../../ir/types';
import type { Lowering } from '../context';
import { sharedEntry } from '../communication/scratch';
import type { Slab } from '../communication/scratch';
import { add } from './blocks';
import type { Sum } from './blocks';
import { elementOffset, memdescOf, slabArray, stridesOf } from './local';

export function multiplyMatrices(
  t: Lowering,
  left: ThreadValue,
  right: ThreadValue,
  sum: ThreadValue,
): ThreadValue {
  const value = t.b.value('thread.matrix_multiply_accumulate', [left, right, sum]);
  return sum.name === undefined ? value : t.let(sum.name, value);
}

/** M, N and K of the matrices that compute a dot. */
export function matrixSize(op: Operation): readonly [M: number, N: number, K: number] {
  return op.attributes['matrix'] as readonly [number, number, number];
}

/**
 * The left operand of a dot in `memory`: where a subgroup's rows lie, as many as `block` has of the
 * product, and their matrices at a step along K.
 */
export function leftOperand(
  t: Lowering,
  memory: Value,
  { block: [rows] }: FragmentsType,
  matrix: FragmentType,
): LeftOperand {
  const left = operand(t, memdescOf(memory), memory, matrix);
  return {
    at: (row) => left.at(row, 0, rows),
    read: (at, k) =>
      range(rows / matrix.rows).map((i) => t.let('a', left.load(at, [i * matrix.rows, k]))),
  };
}
interface LeftOperand {
  at(row: (weight: number) => Sum): Memory;
  /** The matrices at a step along K. */
  read(at: Memory, k: number): ThreadValue[];
}

/** The right operand, as it is read a matrix at a time. */
export function rightOperand(t: Lowering, op: Operation): Operand {
  return operand(t, memdescOf(op.operand(1)), op.operand(1), matrixTypes(op).right);
}
/** The types of a dot's operands. */
export function matrixTypes(op: Operation): {
  readonly left: FragmentType;
  readonly right: FragmentType;
} {
  const [M, N, K] = matrixSize(op);
  const scalar = (i: 0 | 1): FragmentType['scalar'] =>
    (elementOf(op.operand(i).type) as ScalarType).dtype as FragmentType['scalar'];
  return { left: fragment('left', scalar(0), M, K), right: fragment('right', scalar(1), K, N) };
}

interface Operand {
  /** Place of the subgroup's block: the tile is cut along `dim` into blocks of `size`. */
  at(block: (weight: number) => Sum, dim: 0 | 1, size: number): Memory;
  /** The matrix that begins at a row and a column of that block. */
  load(at: Memory, origin: readonly [number, number]): ThreadValue;
}
/** An index into the shared words, or into a slab of an array. */
interface Memory {
  readonly slab: Slab | undefined;
  readonly first: Sum;
}
function operand(t: Lowering, type: MemdescType, value: Value, matrix: FragmentType): Operand {
  const strides = stridesOf(slabOf(type));
  const entry = 16 / byteSize(type.element);
  const slow = type.order[1]!;
  const first = elementOffset(value) / entry;
  return {
    at(block, dim, size) {
      if (type.slabs) {
        const slab = { array: slabArray(t, type.slabs[0]), number: add(t, block(1), 0) };
        return { slab, first: { constant: first, own: undefined } };
      }
      const { constant, own } = block((size * strides[dim]!) / entry);
      return { slab: undefined, first: { constant: constant + first, own } };
    },
    load(at, origin) {
      const offset = origin.reduce((sum, c, d) => sum + c * strides[d]!, 0) / entry;
      const { array, indices } = sharedEntry(t, add(t, at.first, offset), at.slab);
      return t.b.create('thread.matrix_load', [array, ...indices], {
        attributes: { stride: strides[slow]! / entry, transposed: slow !== 0 },
        types: [matrix],
      }).result;
    },
  };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
