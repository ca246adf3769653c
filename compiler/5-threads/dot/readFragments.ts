/**
 * A tile in subgroup matrices into registers: matrices are written to scratch in workgroup memory
 * and read back under the layout of the result, in as many chunks as the scratch requires. A
 * barrier stands between the two, and between chunks.
 */
import { fragmentChunks, inRow } from '../../4-distribute/fragmentChunks';
import type { FragmentChunks } from '../../4-distribute/fragmentChunks';
import type { Operation } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount, threadBases } from '../../ir/layout';
import type { ThreadValue } from '../../ir/thread/ir';
import { F32, I32, number } from '../../ir/thread/types';
import type { NumberType } from '../../ir/thread/types';
import type { FragmentsType } from '../../ir/types';
import { shapeOf } from '../../ir/types';
import { layoutOf, numberAttribute } from '../context';
import type { Lowering } from '../context';
import { fromWords, readPlace, sharedEntry, sharedWord } from '../communication/scratch';
import type { Slab } from '../communication/scratch';
import { plus, registerCoordinate, threadSum } from '../layouts';
import { add, blocks, both, fragmentsOf, inBlock, matrixGrid, ZERO } from './blocks';
import type { Band, Place, Sum } from './blocks';
import { slabArray } from './local';

export function lowerReadFragments(t: Lowering, op: Operation): void {
  const type = fragmentsOf(op.operand(0));
  const scratch = numberAttribute(op, 'scratch') ?? 0;
  const shape = shapeOf(op.result.type);
  const [from = 0] = (op.attributes['origin'] as readonly number[] | undefined) ?? [];
  const band = { from, rows: shape[0]! };
  const capacity = numberAttribute(op, 'scratchBytes') ?? 0;
  const plan = fragmentChunks({ ...type, shape }, layoutOf(op.result), capacity);
  const slabs = numberAttribute(op, 'scratchSlabs') ?? 1;
  if (slabs === 1) t.shared.needBytes(scratch + plan.bytes);
  const inRows = op.attributes['scratchInRows'] === true;
  const array = slabs === 1 ? undefined : inRows ? slabArray(t, 0) : scratchSlabs(t);
  const matrices = t.registers(op.operand(0));
  const reader = new Reader(t, op, plan, scratch / 4, slabs, array);
  const bits = (list: readonly number[], chunk: number): number =>
    sum(list.filter((_, i) => ((chunk >> i) & 1) === 1));
  const chunks = 2 ** (plan.rows.length + plan.columns.length);
  for (let chunk = 0; chunk < chunks; chunk++) {
    const here = [bits(plan.rows, chunk), bits(plan.columns, chunk >> plan.rows.length)] as const;
    if (chunk > 0) t.shared.barrier();
    writeChunk(t, type, band, plan, matrices, here, scratch / 16, array);
    t.shared.barrier();
    reader.read(here);
  }
  t.setRegisters(op.result, reader.out);
}

/** Words from the scratch's start to an element of a chunk. */
function wordOf(plan: FragmentChunks, at: readonly number[]): number {
  const column = without(at[1]!, sum(plan.columns));
  return without(at[0]!, sum(plan.rows)) * plan.stride + plan.wordOfColumn(column);
}

/** Each subgroup writes its matrices of a chunk; `here`: the bits that the chunk fixes. */
function writeChunk(
  t: Lowering,
  type: FragmentsType,
  band: Band,
  plan: FragmentChunks,
  matrices: readonly ThreadValue[],
  here: readonly [number, number],
  first: number,
  slabs: ThreadValue | undefined,
): void {
  const [rows, columns] = [sum(plan.rows), sum(plan.columns)];
  const [, across] = matrixGrid(type);
  const top = band.from % type.block[0];
  const store = (slab: Slab | undefined, block: Sum): void =>
    matrices.forEach((matrix, i) => {
      const at = [
        Math.floor(i / across) * type.matrix[0] - top,
        (i % across) * type.matrix[1],
      ] as const;
      if (at[0] < 0 || at[0] >= band.rows) return;
      if ((at[0] & rows) !== here[0] || (at[1] & columns) !== here[1]) return;
      const index = add(t, block, first + wordOf(plan, at) / 4);
      const { array, indices } = sharedEntry(t, index, slab);
      t.b.create('thread.matrix_store', [array, ...indices, matrix], {
        attributes: { stride: plan.stride / 4 },
      });
    });
  const write = ({ row, column }: Place): readonly ThreadValue[] => {
    const right = (weight: number): number =>
      (weight * plan.wordOfColumn(without(type.block[1], columns))) / 4;
    if (slabs === undefined) {
      const down = row(without(type.block[0], rows) * (plan.stride / 4));
      store(undefined, both(t, down, column(right(1))));
      return [];
    }
    // A branch to each block of a row, so that places are constants.
    const slab = { array: slabs, number: add(t, row(1), 0) };
    const number = column(1).own;
    if (number === undefined) store(slab, ZERO);
    else
      for (let c = 0; c < blocks(type).across; c++)
        t.when(t.x`${number} == ${c}u`, () => store(slab, { constant: right(c), own: undefined }));
    return [];
  };
  inBlock(t, type, write, () => [], band);
}

/** Scratch that is cut into a slab for each row of blocks. */
function scratchSlabs(t: Lowering): ThreadValue {
  const { attributes } = t.func;
  const bytes = (attributes['slabBytes'] ?? []) as readonly number[];
  const counts = (attributes['slabCounts'] ?? []) as readonly number[];
  return t.shared.slabs('scratch_slabs', counts[2] ?? 1, (bytes[2] ?? 0) / 16);
}

/** Takes a thread's registers out of the chunks in which they come by. */
class Reader {
  readonly out: ThreadValue[];
  readonly #layout: Layout;
  readonly #type: NumberType;
  /** Whether four registers at a time are one vector. */
  readonly #vectors: boolean;
  readonly #base: ThreadValue;
  /**
   * The number of a thread's slab, where scratch is cut into them, and how many words a slab has.
   */
  readonly #slab: ThreadValue | undefined;
  readonly #slabWords: number;
  /**
   * The bits that chunks fix, by dimension; and those of them that each bit of the thread's number
   * has.
   */
  readonly #fixed: readonly [number, number];
  readonly #ofThread: readonly (readonly [number, number])[];

  constructor(
    private readonly t: Lowering,
    private readonly op: Operation,
    private readonly plan: FragmentChunks,
    /** The scratch's first word. */
    private readonly first: number,
    slabs: number,
    private readonly array: ThreadValue | undefined,
  ) {
    this.#layout = layoutOf(op.result);
    this.#type = fragmentsOf(op.operand(0)).element.dtype === 'i32' ? I32 : F32;
    this.#fixed = [sum(plan.rows), sum(plan.columns)];
    const threads = threadBases(this.#layout);
    this.#slabWords = plan.bytes / 4 / slabs;
    const weights = threads.map((basis) => wordOf(plan, basis) % this.#slabWords);
    const numbers = threads.map((basis) => Math.floor(wordOf(plan, basis) / this.#slabWords));
    this.#slab = slabs > 1 ? threadSum(t, numbers) : undefined;
    this.#vectors = inRow(this.#layout.register) && (this.#fixed[1] & 3) === 0;
    this.#base = threadSum(t, this.#vectors ? weights.map((w) => w / 4) : weights);
    const [rows, columns] = this.#fixed;
    this.#ofThread = threads.map((basis) => [basis[0]! & rows, basis[1]! & columns] as const);
    this.out = new Array<ThreadValue>(registerCount(this.#layout));
  }

  read(here: readonly [number, number]): void {
    for (let r = 0; r < this.out.length; r += this.#vectors ? 4 : 1) {
      const at = ([0, 1] as const).map((d) => registerCoordinate(this.#layout, r, d));
      const conditions = ([0, 1] as const).map((d) => this.#condition(at[d]!, here, d));
      if (conditions.includes('never')) continue;
      const terms = conditions.filter((each) => each !== 'never');
      this.#take(r, at, this.t.every(terms));
    }
  }
  /** When a register's coordinate belongs to the chunk: always, never, or for some threads. */
  #condition(
    at: number,
    here: readonly [number, number],
    d: 0 | 1,
  ): ThreadValue | 'never' | undefined {
    const ofThreads = this.#ofThread.reduce((mask, each) => mask | each[d], 0);
    const missing = (at & this.#fixed[d]) ^ here[d];
    if ((missing & ~ofThreads) !== 0) return 'never';
    if (ofThreads === 0) return undefined;
    const own = threadSum(
      this.t,
      this.#ofThread.map((each) => each[d]),
    );
    return this.t.x`${own} == ${missing}u`;
  }
  #element(at: readonly number[]): ThreadValue {
    const { t } = this;
    const all = wordOf(this.plan, at);
    const word = this.first + (all % this.#slabWords);
    if (!this.#vectors)
      return fromWords(t, this.#type, [readPlace(t, sharedWord(t, plus(t, this.#base, word)))]);
    const slab =
      this.#slab && this.array
        ? { array: this.array, number: plus(t, this.#slab, Math.floor(all / this.#slabWords)) }
        : undefined;
    const entry = readPlace(t, sharedEntry(t, plus(t, this.#base, word / 4), slab));
    return t.b.bitcast(entry, number(this.#type.scalar, 4));
  }
  #take(r: number, at: readonly number[], when: ThreadValue | undefined): void {
    const { t, out } = this;
    const hint = t.hint(this.op.result);
    const count = this.#vectors ? 4 : 1;
    const read = (): ThreadValue => t.let(hint, this.#element(at));
    const before = (): ThreadValue =>
      out[r] ? t.b.vector(out.slice(r, r + count)) : t.b.zero(number(this.#type.scalar, count));
    const value = when
      ? t.b.if(
          when,
          () => [read()],
          () => [before()],
          [hint],
        )[0]!
      : read();
    t.b.components(value).forEach((each, i) => (out[r + i] = each));
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
