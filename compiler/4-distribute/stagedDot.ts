/**
 * One dot on its way into workgroup memory: how much of K is a slice, which operands stay there
 * throughout a loop, and the dot rewritten. Used by `stage_operands`.
 */
import { ROW_PADDING } from './allocate_shared_memory';
import { Builder, constantOf } from '../ir/builder';
import { type Operation, outermostLoop, type Value } from '../ir/ir';
import { blockedLayout, type ThreadBits } from '../ir/layoutAlgebra';
import {
  byteSize,
  elementOf,
  F32,
  I32,
  isInteger,
  memdescBytes,
  type MemdescType,
  type ScalarType,
  shapeOf,
  withElement,
} from '../ir/types';
import type { Choices } from './choices';
import { planOf, type Staging, withoutPlan } from './dots/index';
import { convert, dotStepByStep } from './dots/stepByStep';
import { rowWords } from './fragmentChunks';
import { layoutOf } from './layoutRules';
import { holdsWords } from './memoryLayouts';

/** How K is cut, for the record. */
export interface Cutting {
  readonly k: number;
  /** Null where nothing is staged. */
  readonly slice: number | null;
  /** The bytes of a slice of both operands, with its buffers. */
  readonly bytes: number;
  readonly limit: number;
  readonly why: string;
  /** Why the plan for matrices was taken off; null where it was not. */
  readonly withoutPlan: string | null;
  /** Steps of K that are written out; null where matrices take several at once. */
  readonly unroll: number | null;
}

export class StagedDot {
  /** Per-warp slabs into which each operand is cut. */
  readonly slabs: [number, number] = [1, 1];
  readonly #shapes: readonly [readonly number[], readonly number[]];
  readonly #k: number;
  readonly #kept: [boolean, boolean] = [false, false];
  #form: Staging;
  #slice = 1;
  #buffers: 1 | 2 = 1;
  #fits = true;
  #hoisted = false;

  constructor(readonly dot: Operation) {
    this.#shapes = [shapeOf(dot.operand(0).type), shapeOf(dot.operand(1).type)];
    this.#k = this.#shapes[0].at(-1)!;
    this.#form = planOf(dot).staging!;
  }
  get #element(): ScalarType {
    return this.#form.element;
  }

  /**
   * Chooses how much of K is staged at a time. @returns what it chose, and why.
   * @param taken why the plan for matrices was taken off before; null where it was not
   */
  cut(choices: Choices, limit: number, taken: string | null = null): Cutting {
    const { kSlice: most, smallSliceBytes: small, buffers, unroll } = choices;
    const least = this.#form.leastK;
    this.#buffers = buffers;
    this.#fits = true;
    this.#slice = Math.min(this.#k, Math.max(least, most));
    let why = least > most ? `a matrix takes ${least}` : `at most ${most} at a time`;
    // Small tiles take more of K at a time: fewer barriers for the same memory.
    const room = Math.min(limit / 2, small);
    while (this.#slice < this.#k && this.sliceBytes() * 2 <= room) {
      this.#slice *= 2;
      why = `more while it takes no more than ${room} bytes`;
    }
    while (this.#slice > least && this.sliceBytes() > limit) {
      why = 'a longer one does not fit';
      if (this.#buffers === 2) this.#buffers = 1;
      else this.#slice /= 2;
    }
    // Emulated f64, and i64, multiply so slowly that reading its operands does not count.
    const wide = byteSize(this.#element) >= 8;
    const bytes = this.sliceBytes();
    const needed = Math.max(bytes, this.fragmentBytes());
    this.#fits = needed <= limit && !wide;
    const of = { k: this.#k, bytes, limit, withoutPlan: taken };
    if (this.#fits) {
      const steps = this.#form.fragments ? null : Math.min(unroll, this.#slice);
      return { ...of, slice: this.#slice, why, unroll: steps };
    }
    const short = `${needed} bytes of shared memory, not ${limit}`;
    if (this.#form.fragments) {
      this.#form = withoutPlan(this.dot).staging!;
      return this.cut(choices, limit, `with matrices it takes ${short}`);
    }
    const slow = 'a product of 64 bits costs more than reading its operands';
    return { ...of, slice: null, why: wide ? slow : `one step of K takes ${short}`, unroll: null };
  }
  /** The least that a result takes on its way out of matrices: one of each subgroup. */
  fragmentBytes(): number {
    const fragments = this.#form.fragments;
    if (!fragments) return 0;
    const [rows = 1, columns = 1] = fragments.shape.map(
      (size, d) => (size / fragments.block[d === 0 ? 0 : 1]) * fragments.matrix[d === 0 ? 0 : 1],
    );
    return 4 * rows * rowWords(columns);
  }
  /**
   * Bytes of a result on its way out of matrices, in as few chunks as take no more than `most`.
   */
  scratchBytes(most: number): number {
    const fragments = this.#form.fragments;
    if (!fragments) return 0;
    const [rows = 1, columns = 1] = fragments.shape;
    let width = columns;
    while (width > fragments.matrix[1] && 4 * rows * rowWords(width) > most) width /= 2;
    return 4 * rows * rowWords(width);
  }
  sliceBytes(): number {
    if (!this.#fits) return 0;
    return (this.#bytes(0, this.#slice) + this.#bytes(1, this.#slice)) * this.#buffers;
  }
  /** Whether one step of K fits; the least that staging takes. */
  get fits(): boolean {
    return this.#fits;
  }
  wholeBytes(side: 0 | 1): number {
    return (this.#k / this.#slice) * this.#bytes(side, this.#slice);
  }
  keep(side: 0 | 1): void {
    this.#kept[side] = true;
  }
  /** How many subgroups' blocks lie side by side along the operand's own dimension; 1 without. */
  blocksAlong(side: 0 | 1): number {
    return this.#form.blocksAlong(side);
  }
  /** The outermost loop around the dot in which this operand does not change. */
  loopAround(side: 0 | 1): Operation | undefined {
    return outermostLoop(this.dot, this.dot.operand(side));
  }

  /** Decides whether the left operand is read into matrices before the loop. */
  hoist({ hoistOperands, hoistedRegisters }: Choices, threads: ThreadBits): void {
    this.#hoisted =
      hoistOperands && this.#kept[0] && this.#staysInMatrices(threads, hoistedRegisters);
  }
  isHoisted(side: 0 | 1): boolean {
    return side === 0 && this.#hoisted;
  }
  isKept(side: 0 | 1): boolean {
    return this.#kept[side];
  }
  /** Bytes of an operand at a time. */
  stagedBytes(side: 0 | 1): number {
    if (!this.#fits) return 0;
    return this.#kept[side]
      ? this.wholeBytes(side)
      : this.#bytes(side, this.#slice) * this.#buffers;
  }
  /**
   * Whether a subgroup's rows of the left operand, all of K, are few enough to stay in registers.
   */
  #staysInMatrices(threads: ThreadBits, most: number): boolean {
    const block = this.#form.fragments?.block;
    const loop = this.loopAround(0);
    const direct = loop?.name === 'scf.for' && loop === this.dot.parent?.parent;
    if (!block || !direct || this.#element.dtype !== 'f16') return false;
    const blocks = this.blocksAlong(0) * this.blocksAlong(1);
    const words = (block[0] * this.#k) / 2 / 2 ** threads.lanes;
    return blocks === 2 ** threads.subgroups && words <= most;
  }

  rewrite({ unroll }: Choices, threads: ThreadBits): void {
    const { dot } = this;
    const builder = Builder.before(dot);
    const wideType = withElement(dot.result.type, this.#wide());
    const start = convert(builder, dot.operand(2), elementOf(wideType) as ScalarType);
    if (!this.#fits)
      return this.#finish(builder, dotStepByStep(builder, dot, this.#element, start));

    const kept = ([0, 1] as const).map((side) =>
      this.#kept[side] ? this.#stageBefore(side, threads) : [],
    );
    const sources = ([0, 1] as const).map((side) =>
      this.#kept[side] ? undefined : this.#source(builder, side, threads),
    );
    const fragments = this.#form.fragments;
    let acc = fragments ? builder.constant(fragments, 0) : start;
    const buffers = ([0, 1] as const).map((side) =>
      this.#kept[side]
        ? []
        : Array.from({ length: this.#buffers }, () =>
            builder.value('ttg.local_alloc', [], this.#type(side)),
          ),
    );
    for (let index = 0; index < this.#k / this.#slice; index++) {
      const operands = ([0, 1] as const).map((side) => {
        const before = kept[side]![index];
        if (before) return before;
        const memory = buffers[side]![index % this.#buffers]!;
        this.#store(builder, side, sources[side]!, memory, index);
        return memory;
      });
      acc = builder.value('tt.dot', [...operands, acc], fragments ?? wideType, {
        ...dot.attributes,
        unroll: Math.min(unroll, this.#slice),
      });
    }
    if (!fragments) return this.#finish(builder, acc);
    const sum = builder.value('ttg.read_fragments', [acc], wideType);
    const add = isInteger(this.#element.dtype) ? 'arith.addi' : 'arith.addf';
    this.#finish(builder, isZero(start) ? sum : builder.binary(add, sum, start));
  }

  /** An operand as it is staged; for narrow elements in a layout that holds whole words. */
  #source(builder: Builder, side: 0 | 1, threads: ThreadBits): Value {
    const source = convert(builder, this.dot.operand(side), this.#element);
    const { type } = source;
    const layout = layoutOf(source);
    const type2 = this.#type(side);
    if (!this.#form.packed || type.kind !== 'tensor' || !layout || holdsWords(layout, type2))
      return source;
    const fastest = this.#form.fastest[side];
    const run = 16 / byteSize(this.#element);
    const whole = blockedLayout(type.shape, threads, run, [fastest, 1 - fastest]);
    return builder.value('ttg.convert_layout', [source], { ...type, layout: whole });
  }

  #finish(builder: Builder, sum: Value): void {
    const { dot } = this;
    const result = convert(builder, sum, elementOf(dot.result.type) as ScalarType);
    result.name ??= dot.result.name;
    dot.result.replaceAllUsesWith(result);
    dot.erase();
  }

  #wide(): ScalarType {
    if (isInteger(this.#element.dtype)) return byteSize(this.#element) < 8 ? I32 : this.#element;
    return this.#element.dtype === 'f64' ? this.#element : F32;
  }
  /** All slices of an operand, written before the loop. */
  #stageBefore(side: 0 | 1, threads: ThreadBits): Value[] {
    const builder = Builder.before(this.loopAround(side)!);
    builder.location = this.dot.location;
    const source = this.#source(builder, side, threads);
    return Array.from({ length: this.#k / this.#slice }, (_, index) => {
      const memory = builder.value('ttg.local_alloc', [], this.#type(side));
      this.#store(builder, side, source, memory, index);
      return memory;
    }).map((memory) => (this.isHoisted(side) ? this.#loadFragments(builder, memory) : memory));
  }
  /** The left operand of a slice of K, in the matrices of every subgroup. */
  #loadFragments(builder: Builder, memory: Value): Value {
    const { shape, block } = this.#form.fragments!;
    const { shape: part, element } = memory.type as MemdescType;
    const [M = 1, , K = 1] = this.dot.attributes['matrix'] as readonly number[];
    const type = { kind: 'fragments', shape: part, element, block: [block[0], part[1]!] } as const;
    return builder.value('ttg.load_fragments', [memory], {
      ...type,
      matrix: [M, K],
      across: shape[1]! / block[1],
    });
  }
  #store(builder: Builder, side: 0 | 1, source: Value, memory: Value, index: number): void {
    const shape = this.#shapes[side];
    const summed = shape.length - 1 - side;
    const slice = shape.map((_, d) => (d === summed ? index * this.#slice : 0));
    builder.create('ttg.local_store', [source, memory], [], { slice });
  }
  #type(side: 0 | 1, length = this.#slice): MemdescType {
    const rank = this.#shapes[side].length;
    const summed = rank - 1 - side;
    const shape = this.#shapes[side].map((size, d) => (d === summed ? length : size));
    const batches = Array.from({ length: rank - 2 }, (_, i) => rank - 3 - i);
    const fastest = this.#form.fastest[side];
    const order = [fastest, rank - 2 + rank - 1 - fastest, ...batches];
    const padding = ROW_PADDING / Math.min(4, byteSize(this.#element));
    const type = { kind: 'memdesc', shape, element: this.#element, order, padding } as const;
    const count = this.slabs[side];
    return count === 1 ? type : { ...type, slabs: [side, count] };
  }
  #bytes(side: 0 | 1, length: number): number {
    return memdescBytes(this.#type(side, length));
  }
}

function isZero(value: Value): boolean {
  return constantOf(value) === 0;
}
