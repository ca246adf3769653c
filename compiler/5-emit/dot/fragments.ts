/**
 * tt.dot on subgroup matrices, and their way back into registers. Operands lie in workgroup memory, 16
 * bytes to an entry; each subgroup multiplies the rows and columns of its block (`FragmentsType`). Matrices
 * of a sum are variables that a dot changes in place where nobody else needs the old ones.
 */
import { type FragmentRounds, fragmentRounds, inRow } from '../../4-distribute/fragmentRounds';
import type { Operation, Value } from '../../ir/ir';
import { type Layout, registerCount, threadBases } from '../../ir/layout';
import { byteSize, type FragmentsType, type MemdescType, partOf, shapeOf } from '../../ir/types';
import { layoutOf, numberAttribute } from '../emission';
import type { Emission } from '../emission';
import { plus, registerCoordinate, threadSum } from '../layouts';
import { elementOffset, memdescOf, partsArray, stridesOf } from './local';
import { emitOverlappedDot } from './overlapped';
import { components } from './pack';
import { fromWords, sharedVector, sharedWord } from '../exchange/scratch';

export function fragmentsOf(value: Value): FragmentsType {
  if (value.type.kind !== 'fragments') throw new Error('not a tile in subgroup matrices');
  return value.type;
}
/** Matrices of a subgroup's block: along the rows, along the columns. */
export function matrixGrid({ block, matrix }: FragmentsType): [number, number] {
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

/** Some rows of a tile. */
interface Band {
  readonly from: number;
  readonly rows: number;
}

/** Runs `body` for the subgroup's block; subgroups without one, or with none in the band, stand aside. */
export function inBlock(
  e: Emission,
  type: FragmentsType,
  body: (place: Place) => void,
  band: Band = { from: 0, rows: type.shape[0]! },
): void {
  e.usesLanes = true;
  e.usesMatrices = true;
  const { across, count } = blocks(type);
  const subgroups = e.threads / e.subgroupSize;
  // Rows of blocks in the band: places count from its first one.
  const down = Math.max(1, band.rows / type.block[0]);
  const all = down * across === count;
  const scaled =
    (name: string, what: string) =>
    (weight: number): Sum => {
      const text = weight === 0 ? '0u' : `${what} * ${weight}u`;
      const key = `${name} ${across} of ${count} by ${weight}${all ? '' : ` below ${down}`}`;
      return { constant: 0, text: weight === 0 ? '' : e.prelude(key, name, () => text) };
    };
  const place = {
    row:
      down === 1
        ? () => ZERO
        : scaled('block_row', `subgroup / ${across}u${all ? '' : ` % ${down}u`}`),
    column: across === 1 ? () => ZERO : scaled('block_column', `subgroup % ${across}u`),
  };
  const number = Math.floor(band.from / type.block[0] / down);
  if (!all) e.writer.block(`if (subgroup / ${across * down}u == ${number}u)`, () => body(place));
  else if (subgroups > count) e.writer.block(`if (subgroup < ${count}u)`, () => body(place));
  else body(place);
}
const ZERO: Sum = { constant: 0, text: '' };
const both = (a: Sum, b: Sum): Sum => ({
  constant: a.constant + b.constant,
  text: [a.text, b.text].filter((text) => text !== '').join(' + '),
});

export function emitMatrixDot(e: Emission, op: Operation): void {
  if (op.attributes['overlaps'] === true) return emitOverlappedDot(e, op);
  const type = fragmentsOf(op.result);
  const [, N, K] = op.attributes['matrix'] as readonly [number, number, number];
  const a = memdescOf(op.operand(0));
  const [rows, columns] = matrixGrid(type);
  const start = op.operand(2);
  const fresh = start.definition?.name === 'arith.constant' || start.uses.size > 1;
  const sums = fresh
    ? e.registers(start).map((x) => e.variable(e.hint(op.result), matrixType(type), x))
    : e.registers(start);
  const left = leftOperand(e, op);
  const right = rightOperand(e, op);
  inBlock(e, type, ({ row, column }) => {
    const [x, y] = [left.at(row), right.at(column, 1, type.block[1])];
    const hoisted = e.hoisted.get(op);
    for (let k = 0; k < a.shape[1]!; k += K) {
      e.writer.block('', () => {
        const as = hoisted?.get(k) ?? left.read(x, k);
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

/** Reads the left operand of a dot, which the loop that begins here does not change, into matrices. */
export function emitHoistedOperand(e: Emission, op: Operation): void {
  const [, , K] = op.attributes['matrix'] as readonly [number, number, number];
  const depth = memdescOf(op.operand(0)).shape[1]!;
  const left = leftOperand(e, op);
  const matrices = new Map<number, readonly string[]>();
  inBlock(e, fragmentsOf(op.result), ({ row }) => {
    const x = left.at(row);
    for (let k = 0; k < depth; k += K) matrices.set(k, left.read(x, k));
  });
  e.hoisted.set(op, matrices);
}

/** The left operand of a dot: where a subgroup's rows lie, and their matrices at a step along K. */
export function leftOperand(e: Emission, op: Operation): LeftOperand {
  const type = fragmentsOf(op.result);
  const [M] = op.attributes['matrix'] as readonly [number, number, number];
  const a = memdescOf(op.operand(0));
  const [rows] = matrixGrid(type);
  const left = operand(e, a, op.operand(0), matrixTypes(op).left);
  const load = (at: Memory, k: number): string[] =>
    range(rows).map((i) => left.load(at, [i * M, k]));
  return {
    at: (row) => left.at(row, 0, type.block[0]),
    load,
    read: (at, k) => load(at, k).map((text) => e.let('a', text)),
  };
}
interface LeftOperand {
  at(row: (weight: number) => Sum): Memory;
  /** The matrices at a step along K: expressions, or named. */
  load(at: Memory, k: number): string[];
  read(at: Memory, k: number): string[];
}

/** The right operand, as it is read a matrix at a time. */
export function rightOperand(e: Emission, op: Operation): Operand {
  return operand(e, memdescOf(op.operand(1)), op.operand(1), matrixTypes(op).right);
}
/** The WGSL types of a dot's operands. */
export function matrixTypes(op: Operation): { readonly left: string; readonly right: string } {
  const [M, N, K] = op.attributes['matrix'] as readonly [number, number, number];
  const [a, b] = [memdescOf(op.operand(0)), memdescOf(op.operand(1))];
  return {
    left: `subgroup_matrix_left<${a.element.dtype}, ${K}, ${M}>`,
    right: `subgroup_matrix_right<${b.element.dtype}, ${N}, ${K}>`,
  };
}

interface Operand {
  /** Where the subgroup's block lies, which is the tile cut along `dim` into blocks of `size`. */
  at(block: (weight: number) => Sum, dim: 0 | 1, size: number): Memory;
  /** The matrix that begins at a row and a column of that block. */
  load(at: Memory, origin: readonly [number, number]): string;
}
/** An array and an index into it. */
interface Memory {
  readonly array: string;
  readonly first: Sum;
}
function operand(e: Emission, type: MemdescType, value: Value, matrix: string): Operand {
  const strides = stridesOf(partOf(type));
  const entry = 16 / byteSize(type.element);
  const slow = type.order[1]!;
  const major = slow === 0 ? 'row_major' : 'col_major';
  const first = elementOffset(value) / entry;
  return {
    at(block, dim, size) {
      if (type.parts) {
        const array = `${partsArray(type.parts[0])}[${add(block(1), 0)}]`;
        return { array, first: { constant: first, text: '' } };
      }
      const { constant, text } = block((size * strides[dim]!) / entry);
      return { array: 'shared_words', first: { constant: constant + first, text } };
    },
    load(at, origin) {
      const offset = origin.reduce((sum, c, d) => sum + c * strides[d]!, 0) / entry;
      const memory = `&${at.array}, ${add(at.first, offset)}, ${strides[slow]! / entry}u`;
      return `subgroupMatrixLoad<${matrix}, ${major}>(${memory})`;
    },
  };
}

export function emitReadFragments(e: Emission, op: Operation): void {
  const type = fragmentsOf(op.operand(0));
  const scratch = numberAttribute(op, 'scratch') ?? 0;
  const shape = shapeOf(op.result.type);
  const [from = 0] = (op.attributes['origin'] as readonly number[] | undefined) ?? [];
  const band = { from, rows: shape[0]! };
  const capacity = numberAttribute(op, 'scratchBytes') ?? 0;
  const plan = fragmentRounds({ ...type, shape }, layoutOf(op.result), capacity);
  const parts = numberAttribute(op, 'scratchParts') ?? 1;
  if (parts === 1) e.needBytes(scratch + plan.bytes);
  const inRows = op.attributes['scratchInRows'] === true;
  const array = parts === 1 ? undefined : inRows ? partsArray(0) : SCRATCH_PARTS;
  const matrices = e.registers(op.operand(0));
  const reader = new Reader(e, op, plan, scratch / 4, parts, array);
  const bits = (list: readonly number[], round: number): number =>
    sum(list.filter((_, i) => ((round >> i) & 1) === 1));
  const rounds = 2 ** (plan.rows.length + plan.columns.length);
  for (let round = 0; round < rounds; round++) {
    const here = [bits(plan.rows, round), bits(plan.columns, round >> plan.rows.length)] as const;
    if (round > 0) e.barrier();
    writeRound(e, type, band, plan, matrices, here, scratch / 16, array);
    e.barrier();
    reader.read(here);
  }
  e.setRegisters(op.result, reader.out);
}

/** Words from the scratch's start to an element of a round. */
function wordOf(plan: FragmentRounds, at: readonly number[]): number {
  const column = without(at[1]!, sum(plan.columns));
  return without(at[0]!, sum(plan.rows)) * plan.stride + plan.wordOfColumn(column);
}

/** Each subgroup lays down its matrices of a round, `here` being the bits that the round fixes. */
function writeRound(
  e: Emission,
  type: FragmentsType,
  band: Band,
  plan: FragmentRounds,
  matrices: readonly string[],
  here: readonly [number, number],
  first: number,
  parts: string | undefined,
): void {
  const [rows, columns] = [sum(plan.rows), sum(plan.columns)];
  const [, across] = matrixGrid(type);
  const top = band.from % type.block[0];
  const store = (array: string, block: Sum): void =>
    matrices.forEach((matrix, i) => {
      const at = [
        Math.floor(i / across) * type.matrix[0] - top,
        (i % across) * type.matrix[1],
      ] as const;
      if (at[0] < 0 || at[0] >= band.rows) return;
      if ((at[0] & rows) !== here[0] || (at[1] & columns) !== here[1]) return;
      const place = `&${array}, ${add(block, first + wordOf(plan, at) / 4)}`;
      e.writer.line(`subgroupMatrixStore<row_major>(${place}, ${matrix}, ${plan.stride / 4}u);`);
    });
  const write = ({ row, column }: Place): void => {
    const right = (weight: number): number =>
      (weight * plan.wordOfColumn(without(type.block[1], columns))) / 4;
    if (parts === undefined) {
      const down = row(without(type.block[0], rows) * (plan.stride / 4));
      return store('shared_words', both(down, column(right(1))));
    }
    // A branch to each block of a row, so that places are constants.
    const array = `${parts}[${add(row(1), 0)}]`;
    const number = column(1).text;
    if (number === '') return store(array, ZERO);
    for (let c = 0; c < blocks(type).across; c++)
      e.writer.block(`if (${number} == ${c}u)`, () =>
        store(array, { constant: right(c), text: '' }),
      );
  };
  inBlock(e, type, write, band);
}

/** Scratch that is cut into a part for each row of blocks. */
export const SCRATCH_PARTS = 'scratch_parts';

/** Takes a thread's registers out of the rounds in which they come by. */
class Reader {
  readonly out: string[];
  readonly #layout: Layout;
  readonly #type: 'f32' | 'i32';
  /** Whether four registers at a time are one vector. */
  readonly #vectors: boolean;
  readonly #base: string;
  /** The number of a thread's part, where scratch is cut into them, and how many words a part has. */
  readonly #part: string | undefined;
  readonly #partWords: number;
  /** The bits that rounds fix, by dimension; and those of them that each bit of the thread's number has. */
  readonly #fixed: readonly [number, number];
  readonly #held: readonly (readonly [number, number])[];

  constructor(
    private readonly e: Emission,
    private readonly op: Operation,
    private readonly plan: FragmentRounds,
    /** The scratch's first word. */
    private readonly first: number,
    parts: number,
    private readonly array: string | undefined,
  ) {
    this.#layout = layoutOf(op.result);
    this.#type = fragmentsOf(op.operand(0)).element.dtype === 'i32' ? 'i32' : 'f32';
    this.#fixed = [sum(plan.rows), sum(plan.columns)];
    const threads = threadBases(this.#layout);
    this.#partWords = plan.bytes / 4 / parts;
    const weights = threads.map((basis) => wordOf(plan, basis) % this.#partWords);
    const numbers = threads.map((basis) => Math.floor(wordOf(plan, basis) / this.#partWords));
    this.#part = parts > 1 ? threadSum(e, numbers) : undefined;
    this.#vectors = inRow(this.#layout.register) && (this.#fixed[1] & 3) === 0;
    this.#base = threadSum(e, this.#vectors ? weights.map((w) => w / 4) : weights);
    const [rows, columns] = this.#fixed;
    this.#held = threads.map((basis) => [basis[0]! & rows, basis[1]! & columns] as const);
    this.out = new Array<string>(registerCount(this.#layout));
  }

  read(here: readonly [number, number]): void {
    for (let r = 0; r < this.out.length; r += this.#vectors ? 4 : 1) {
      const at = ([0, 1] as const).map((d) => registerCoordinate(this.#layout, r, d));
      const conditions = ([0, 1] as const).map((d) => this.#condition(at[d]!, here, d));
      if (conditions.includes('never')) continue;
      const when = conditions.filter((text) => text !== undefined).join(' && ');
      this.#take(r, this.#element(at), when);
    }
  }
  /** When a register's coordinate belongs to the round: always, never, or for some threads. */
  #condition(at: number, here: readonly [number, number], d: 0 | 1): string | undefined {
    const ofThreads = this.#held.reduce((mask, part) => mask | part[d], 0);
    const missing = (at & this.#fixed[d]) ^ here[d];
    if ((missing & ~ofThreads) !== 0) return 'never';
    if (ofThreads === 0) return undefined;
    const weights = this.#held.map((part) => part[d]);
    return `${threadSum(this.e, weights)} == ${missing}u`;
  }
  #element(at: readonly number[]): string {
    const all = wordOf(this.plan, at);
    const word = this.first + (all % this.#partWords);
    if (this.#vectors) {
      const number = Math.floor(all / this.#partWords);
      const array = this.#part && `${this.array}[${plus(this.#part, number)}]`;
      const entry = sharedVector(this.e, plus(this.#base, word / 4), array);
      return `bitcast<vec4<${this.#type}>>(${entry})`;
    }
    return fromWords(this.#type, [sharedWord(this.e, plus(this.#base, word))]);
  }
  #take(r: number, value: string, when: string): void {
    const { e, out } = this;
    const hint = e.hint(this.op.result);
    const keep = (name: string): void => {
      const names = this.#vectors ? components(name) : [name];
      names.forEach((text, i) => (out[r + i] = text));
    };
    if (when === '') return keep(e.let(hint, value));
    if (out[r] === undefined)
      keep(e.variable(hint, this.#vectors ? `vec4<${this.#type}>` : this.#type));
    const name = out[r]!.replace(/\.x$/, '');
    e.writer.block(`if (${when})`, () => e.writer.line(`${name} = ${value};`));
  }
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
