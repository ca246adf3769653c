/**
 * tt.dot on subgroup matrices, and their way back into registers. Operands lie in workgroup memory, 16
 * bytes to an entry; each subgroup multiplies the rows and columns of its block (`FragmentsType`). Matrices
 * of a sum are variables that a dot changes in place where nobody else needs the old ones.
 */
import { fragmentRounds } from '../4-distribute/fragmentRounds';
import type { Operation, Value } from '../ir/ir';
import { registerCount, threadBases } from '../ir/layout';
import { byteSize, type FragmentsType, type MemdescType } from '../ir/types';
import { layoutOf, numberAttribute } from './emission';
import type { Emission } from './emission';
import { plus, registerCoordinate, threadSum } from './layouts';
import { elementOffset, memdescOf, stridesOf } from './local';
import { components } from './pack';
import { zeroOf } from './registers';
import { fromWords, sharedVector, sharedWord } from './scratch';

export function fragmentsOf(value: Value): FragmentsType {
  if (value.type.kind !== 'fragments') throw new Error('not a tile in subgroup matrices');
  return value.type;
}
/** Matrices of a subgroup's block: along the rows, along the columns. */
function matrixGrid({ block, matrix }: FragmentsType): [number, number] {
  return [block[0] / matrix[0], block[1] / matrix[1]];
}
export function matrixCount(type: FragmentsType): number {
  const [rows, columns] = matrixGrid(type);
  return rows * columns;
}
/** The WGSL type of each matrix of a sum. */
export function matrixType({ element, matrix }: FragmentsType): string {
  return `subgroup_matrix_result<${element.dtype}, ${matrix[1]}, ${matrix[0]}>`;
}

/** Where a subgroup's block begins, in blocks: its number is known, or an expression. */
interface Place {
  readonly row: (weight: number) => Sum;
  readonly column: (weight: number) => Sum;
}
/** A constant, and what depends on the subgroup. */
interface Sum {
  readonly constant: number;
  readonly text: string;
}
const add = ({ constant, text }: Sum, more: number): string =>
  text === '' ? `${constant + more}u` : plus(text, constant + more);

/** How many blocks lie side by side, and how many there are. */
function blocks({ shape, block }: FragmentsType): { across: number; count: number } {
  const across = shape[1]! / block[1];
  return { across, count: across * (shape[0]! / block[0]) };
}

/**
 * Runs `body` for the subgroup's block; subgroups without one stand aside. `branches`: once for each block,
 * with its place as a constant, for which Tint leaves out its check of every access.
 */
function inBlock(
  e: Emission,
  type: FragmentsType,
  branches: boolean,
  body: (place: Place) => void,
): void {
  e.usesLanes = true;
  e.usesMatrices = true;
  const { across, count } = blocks(type);
  const subgroups = e.threads / e.subgroupSize;
  if (branches || count === 1) {
    for (let i = 0; i < count; i++) {
      const known =
        (at: number) =>
        (weight: number): Sum => ({ constant: at * weight, text: '' });
      const place = { row: known(Math.floor(i / across)), column: known(i % across) };
      if (subgroups === 1) body(place);
      else e.writer.block(`if (subgroup == ${i}u)`, () => body(place));
    }
    return;
  }
  const scaled =
    (name: string, what: string) =>
    (weight: number): Sum => {
      const text = weight === 0 ? '0u' : `${what} * ${weight}u`;
      const key = `${name} ${across} of ${count} by ${weight}`;
      return { constant: 0, text: weight === 0 ? '' : e.prelude(key, name, () => text) };
    };
  const place = {
    row: count === across ? () => ZERO : scaled('block_row', `subgroup / ${across}u`),
    column: across === 1 ? () => ZERO : scaled('block_column', `subgroup % ${across}u`),
  };
  if (subgroups > count) e.writer.block(`if (subgroup < ${count}u)`, () => body(place));
  else body(place);
}
const ZERO: Sum = { constant: 0, text: '' };
const both = (a: Sum, b: Sum): Sum => ({
  constant: a.constant + b.constant,
  text: [a.text, b.text].filter((text) => text !== '').join(' + '),
});

export function emitMatrixDot(e: Emission, op: Operation): void {
  const type = fragmentsOf(op.result);
  const [M, N, K] = op.attributes['matrix'] as readonly [number, number, number];
  const [a, b] = [memdescOf(op.operand(0)), memdescOf(op.operand(1))];
  const [rows, columns] = matrixGrid(type);
  const start = op.operand(2);
  const fresh = start.definition?.name === 'arith.constant' || start.uses.size > 1;
  const sums = fresh
    ? e.registers(start).map((x) => e.variable(e.hint(op.result), matrixType(type), x))
    : e.registers(start);
  const left = operand(e, a, op.operand(0), `subgroup_matrix_left<${a.element.dtype}, ${K}, ${M}>`);
  const right = operand(
    e,
    b,
    op.operand(1),
    `subgroup_matrix_right<${b.element.dtype}, ${N}, ${K}>`,
  );
  inBlock(e, type, op.attributes['branches'] === true, ({ row, column }) => {
    const [x, y] = [left.at(row, 0, type.block[0]), right.at(column, 1, type.block[1])];
    for (let k = 0; k < a.shape[1]!; k += K) {
      e.writer.block('', () => {
        const as = range(rows).map((i) => e.let('a', left.load(x, [i * M, k])));
        for (let j = 0; j < columns; j++) {
          const line = e.let('b', right.load(y, [k, j * N]));
          for (let i = 0; i < rows; i++) {
            const sum = sums[i * columns + j]!;
            e.writer.line(`${sum} = subgroupMatrixMultiplyAccumulate(${as[i]}, ${line}, ${sum});`);
          }
        }
      });
    }
  });
  e.setRegisters(op.result, sums);
}

interface Operand {
  /** The first entry of the subgroup's part, which is cut along `dim` into blocks of `size`. */
  at(block: (weight: number) => Sum, dim: 0 | 1, size: number): Sum;
  /** The matrix that begins at a row and a column of that part. */
  load(at: Sum, origin: readonly [number, number]): string;
}
function operand(e: Emission, type: MemdescType, value: Value, matrix: string): Operand {
  const strides = stridesOf(type);
  const entry = 16 / byteSize(type.element);
  const slow = type.order[1]!;
  const major = slow === 0 ? 'row_major' : 'col_major';
  const first = elementOffset(value) / entry;
  return {
    at(block, dim, size) {
      const { constant, text } = block((size * strides[dim]!) / entry);
      return { constant: constant + first, text };
    },
    load(at, origin) {
      const offset = origin.reduce((sum, c, d) => sum + c * strides[d]!, 0) / entry;
      const memory = `&shared_words, ${add(at, offset)}, ${strides[slow]! / entry}u`;
      return `subgroupMatrixLoad<${matrix}, ${major}>(${memory})`;
    },
  };
}

export function emitReadFragments(e: Emission, op: Operation): void {
  const type = fragmentsOf(op.operand(0));
  const layout = layoutOf(op.result);
  const scratch = numberAttribute(op, 'scratch') ?? 0;
  const plan = fragmentRounds(type, layout, numberAttribute(op, 'scratchBytes') ?? 0);
  e.needBytes(scratch + plan.bytes);
  const matrices = e.registers(op.operand(0));
  const [M, N] = type.matrix;
  const [, across] = matrixGrid(type);
  const fixed = [sum(plan.rows), sum(plan.columns)] as const;
  /** Words from the scratch's start to an element of a round. */
  const place = (at: readonly number[]): number =>
    without(at[0]!, fixed[0]) * plan.stride + without(at[1]!, fixed[1]);
  const register = (r: number): [number, number] => [
    registerCoordinate(layout, r, 0),
    registerCoordinate(layout, r, 1),
  ];
  const threads = threadBases(layout);
  const weights = threads.map(place);
  const vectors = registerRun(layout.register) && [0, 1].every((i) => (fixed[1] >> i) % 2 === 0);
  const base = threadSum(e, vectors ? weights.map((w) => w / 4) : weights);
  const held = threads.map((basis) => [basis[0]! & fixed[0], basis[1]! & fixed[1]] as const);
  const count = registerCount(layout);
  const out = new Array<string>(count);
  const dtype = type.element.dtype === 'i32' ? 'i32' : 'f32';
  const hint = e.hint(op.result);
  const all = plan.rows.length + plan.columns.length;

  for (let round = 0; round < 2 ** all; round++) {
    const bits = (list: readonly number[], from: number): number =>
      list.reduce((total, value, i) => total + (((round >> (from + i)) & 1) === 1 ? value : 0), 0);
    const here = [bits(plan.rows, 0), bits(plan.columns, plan.rows.length)] as const;
    if (round > 0) e.barrier();
    inBlock(e, type, false, ({ row, column }) => {
      const to = both(
        row(without(type.block[0], fixed[0]) * (plan.stride / 4)),
        column(without(type.block[1], fixed[1]) / 4),
      );
      matrices.forEach((matrix, i) => {
        const at = [Math.floor(i / across) * M, (i % across) * N] as const;
        if ((at[0] & fixed[0]) !== here[0] || (at[1] & fixed[1]) !== here[1]) return;
        const offset = add(to, scratch / 16 + place(at) / 4);
        e.writer.line(
          `subgroupMatrixStore<row_major>(&shared_words, ${offset}, ${matrix}, ${plan.stride / 4}u);`,
        );
      });
    });
    e.barrier();
    const step = vectors ? 4 : 1;
    for (let r = 0; r < count; r += step) {
      const at = register(r);
      const conditions: string[] = [];
      let never = false;
      for (const dim of [0, 1] as const) {
        const ofThreads = held.reduce((mask, part) => mask | part[dim], 0);
        const missing = (at[dim] & fixed[dim]) ^ here[dim];
        never ||= (missing & ~ofThreads) !== 0;
        if (ofThreads === 0) continue;
        const own = threadSum(
          e,
          held.map((part) => part[dim]),
        );
        conditions.push(`${own} == ${missing & ofThreads}u`);
      }
      if (never) continue;
      const word = scratch / 4 + place(at);
      const read = vectors
        ? `bitcast<vec4<${dtype}>>(${sharedVector(e, plus(base, word / 4))})`
        : fromWords(dtype, [sharedWord(e, plus(base, word))]);
      const store = (names: readonly string[]): void =>
        names.forEach((name, i) => (out[r + i] = name));
      if (conditions.length === 0) {
        const name = e.let(hint, read);
        store(vectors ? components(name) : [name]);
        continue;
      }
      if (out[r] === undefined) {
        const name = e.variable(
          hint,
          vectors ? `vec4<${dtype}>` : dtype,
          vectors ? undefined : zeroOf(dtype),
        );
        store(vectors ? components(name) : [name]);
      }
      const name = out[r]!.replace(/\.x$/, '');
      e.writer.block(`if (${conditions.join(' && ')})`, () => e.writer.line(`${name} = ${read};`));
    }
  }
  e.setRegisters(op.result, out);
}

/** Whether four registers are neighbours along the columns. */
function registerRun(bases: readonly (readonly number[])[]): boolean {
  const [one, two] = bases;
  return one?.[0] === 0 && one[1] === 1 && two?.[0] === 0 && two[1] === 2;
}
/** A coordinate without these of its bits: those above close the gaps. */
function without(at: number, fixed: number): number {
  let out = 0;
  for (let bit = 0, to = 0; at >> bit !== 0; bit++) {
    if ((fixed >> bit) & 1) continue;
    out += ((at >> bit) & 1) << to++;
  }
  return out;
}
const sum = (list: readonly number[]): number => list.reduce((a, b) => a + b, 0);
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);
