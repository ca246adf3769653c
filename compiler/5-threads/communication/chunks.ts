/**
 * A tile that goes through the shared words in row-major order, as much of it at a time as its
 * scratch holds. Each chunk is written between barriers, and read back by the threads that need its
 * elements.
 */
import type { Operation, Value } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount, threadBases } from '../../ir/layout';
import type { ThreadValue } from '../../ir/thread/ir';
import type { NumberType } from '../../ir/thread/types';
import { rowMajorStrides, shapeOf } from '../../ir/types';
import { layoutOf, numberAttribute } from '../context';
import type { Lowering } from '../context';
import { plus, registerCoordinate, threadSum } from '../layouts';
import { ownerCondition } from '../owners';
import { readShared, wordsOf, writeShared } from './scratch';
import type { Region } from './scratch';

/**
 * Words of shared memory that are accessed at once: those of one bank follow one after the other.
 */
const BANKS = 32;

/**
 * Place of a word when each row of banks is followed by an unused word: neighbours in any direction
 * then lie in different banks. Of numbers without a common bit, the place of the sum is the sum of
 * the places.
 */
export function skewed(word: number): number {
  return word + Math.floor(word / BANKS);
}

export class Chunks {
  readonly type: NumberType;
  readonly region: Region;
  /** Elements of a chunk. */
  readonly size: number;
  readonly count: number;
  /** Elements lie where `skewed` says. */
  readonly skew: boolean;
  readonly #values: readonly ThreadValue[];
  readonly #flat: readonly number[];
  readonly #range: Range;
  readonly #owner: ThreadValue | undefined;

  /** `op` has the scratch, `source` is the tile; `skew`: where there is room. */
  constructor(
    private readonly t: Lowering,
    op: Operation,
    source: Value,
    skew = false,
  ) {
    const shape = shapeOf(source.type);
    const total = shape.reduce((a, b) => a * b, 1);
    const scratch = numberAttribute(op, 'scratch') ?? 0;
    this.type = t.registerTypeOf(source);
    const words = wordsOf(this.type);
    const capacity = (numberAttribute(op, 'scratchBytes') ?? total * 8) / (4 * words);
    this.size = Math.min(total, 2 ** Math.floor(Math.log2(capacity)));
    this.count = total / this.size;
    this.skew = skew && skewed(this.size) <= capacity;
    const stride = this.place(this.size);
    t.shared.needBytes(scratch + stride * 4 * words);
    this.region = { first: scratch / 4, stride };
    const { weights, registers } = flatten(layoutOf(source), shape);
    this.#values = t.registers(source);
    this.#flat = registers;
    this.#range = range(t, weights, this.size, this.skew);
    this.#owner = ownerCondition(t, source);
  }

  /** Place of an element of a chunk. */
  place(element: number): number {
    return this.skew ? skewed(element) : element;
  }

  /** Writes a chunk's elements, once the last chunk has been read, and waits for them. */
  write(chunk: number): void {
    const { t } = this;
    if (chunk > 0) t.shared.barrier();
    this.#values.forEach((value, r) => {
      const at = this.#flat[r]!;
      const when = this.#range.inChunk(at, chunk);
      if (when === 'never') return;
      const element = plus(t, this.#range.base, this.place(at % this.size));
      t.when(t.every([this.#owner, when]), () => writeShared(t, this.region, element, value));
    });
    t.shared.barrier();
  }

  /** The elements at `places` (u32), by way of all chunks; `arrange` runs for each chunk. */
  pick(
    places: readonly ThreadValue[],
    hint: string,
    arrange: () => void = () => {},
  ): ThreadValue[] {
    const { t, type, size, count } = this;
    const out = places.map(() => t.b.zero(type));
    for (let chunk = 0; chunk < count; chunk++) {
      this.write(chunk);
      arrange();
      places.forEach((place, r) => {
        const read = (): ThreadValue =>
          readShared(t, this.region, type, t.x`${place} % ${size}u`, hint);
        out[r] =
          count === 1
            ? read()
            : t.b.if(
                t.x`${place} / ${size}u == ${chunk}u`,
                () => [read()],
                () => [out[r]!],
                [hint],
              )[0]!;
      });
    }
    return out;
  }
}

/** A layout as flat row-major indices: of each thread bit, and of each register. */
export function flatten(
  layout: Layout,
  shape: readonly number[],
): { readonly weights: number[]; readonly registers: number[] } {
  const strides = rowMajorStrides(shape);
  const flat = (at: (d: number) => number): number =>
    strides.reduce((sum, stride, d) => sum + stride * at(d), 0);
  return {
    weights: threadBases(layout).map((basis) => flat((d) => basis[d] ?? 0)),
    registers: Array.from({ length: registerCount(layout) }, (_, r) =>
      flat((d) => registerCoordinate(layout, r, d)),
    ),
  };
}

interface Range {
  readonly base: ThreadValue;
  /** Undefined: always; a condition on the thread; or never. */
  inChunk(flat: number, chunk: number): ThreadValue | 'never' | undefined;
}

/** A chunk takes the elements whose flat index, divided by `size`, is its number. */
export function range(t: Lowering, weights: readonly number[], size: number, skew = false): Range {
  const high = weights.map((w) => w - (w % size));
  const mask = high.reduce((sum, w) => sum | w, 0);
  return {
    base: threadSum(
      t,
      weights.map((w) => (skew ? skewed(w % size) : w % size)),
    ),
    inChunk(flat, chunk) {
      const wanted = (flat - (flat % size)) ^ (chunk * size);
      if ((wanted & ~mask) !== 0) return 'never';
      return mask === 0 ? undefined : t.x`${threadSum(t, high)} == ${wanted}u`;
    },
  };
}
