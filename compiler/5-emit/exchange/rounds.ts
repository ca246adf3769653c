/**
 * A tile that goes through the exchange in row-major order, as much of it at a time as its scratch holds.
 * Each round is laid down between barriers, and read back by whoever needs its elements.
 */
import type { Operation, Value } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount, threadBases } from '../../ir/layout';
import { rowMajorStrides, shapeOf } from '../../ir/types';
import { layoutOf, numberAttribute } from '../emission';
import type { Emission } from '../emission';
import { plus, registerCoordinate, threadSum } from '../layouts';
import { ownerCondition } from '../memory/memory';
import { zeroOf } from '../registers';
import type { RegisterType } from '../registers';
import { readShared, wordsOf, writeShared } from './scratch';
import type { Region } from './scratch';

/** Words of workgroup memory that are reached at once: those of one bank are reached one after the other. */
const BANKS = 32;

/**
 * Where a word lies when each row of banks is followed by an unused word: neighbours in any direction then lie in
 * different banks. Of numbers without a common bit, the place of the sum is the sum of the places.
 */
export function skewed(word: number): number {
  return word + Math.floor(word / BANKS);
}

export class Rounds {
  readonly type: RegisterType;
  readonly region: Region;
  /** Elements of a round. */
  readonly size: number;
  readonly count: number;
  /** Elements lie where `skewed` says. */
  readonly skew: boolean;
  readonly #values: readonly string[];
  readonly #flat: readonly number[];
  readonly #range: Range;
  readonly #owner: string | undefined;

  /** `op` has the scratch, `source` is the tile; `skew`: where there is room. */
  constructor(
    private readonly e: Emission,
    op: Operation,
    source: Value,
    skew = false,
  ) {
    const shape = shapeOf(source.type);
    const total = shape.reduce((a, b) => a * b, 1);
    const scratch = numberAttribute(op, 'scratch') ?? 0;
    this.type = e.registerTypeOf(source);
    const words = wordsOf(this.type);
    const capacity = (numberAttribute(op, 'scratchBytes') ?? total * 8) / (4 * words);
    this.size = Math.min(total, 2 ** Math.floor(Math.log2(capacity)));
    this.count = total / this.size;
    this.skew = skew && skewed(this.size) <= capacity;
    const stride = this.place(this.size);
    e.needBytes(scratch + stride * 4 * words);
    this.region = { first: scratch / 4, stride };
    const { weights, registers } = flatten(layoutOf(source), shape);
    this.#values = e.registers(source);
    this.#flat = registers;
    this.#range = range(e, weights, this.size, this.skew);
    this.#owner = ownerCondition(e, source);
  }

  /** Where an element of a round lies. */
  place(element: number): number {
    return this.skew ? skewed(element) : element;
  }

  /** Lays a round's elements down, once what was there has been read, and waits for them. */
  write(round: number): void {
    const { e } = this;
    if (round > 0) e.barrier();
    this.#values.forEach((value, r) => {
      const at = this.#flat[r]!;
      const when = this.#range.inRound(at, round);
      if (when === 'never') return;
      const condition = [this.#owner, when].filter((text) => text !== undefined).join(' && ');
      const element = plus(this.#range.base, this.place(at % this.size));
      const body = (): void => writeShared(e, this.region, this.type, element, value);
      if (condition === '') body();
      else e.writer.block(`if (${condition})`, body);
    });
    e.barrier();
  }

  /** All rounds: the elements at `places` (u32 expressions), after `arrange` has had each round. */
  pick(places: readonly string[], hint: string, arrange: () => void = () => {}): string[] {
    const { e, type, size, count } = this;
    const out = places.map(() => (count === 1 ? '' : e.variable(hint, type, zeroOf(type))));
    for (let round = 0; round < count; round++) {
      this.write(round);
      arrange();
      places.forEach((place, r) => {
        const read = (name?: string): string =>
          readShared(e, this.region, type, `${place} % ${size}u`, name);
        if (count === 1) out[r] = read(hint);
        else {
          e.writer.block(`if (${place} / ${size}u == ${round}u)`, () => {
            e.writer.line(`${out[r]} = ${read()};`);
          });
        }
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
  readonly base: string;
  /** Undefined: always; a condition on the thread; or never. */
  inRound(flat: number, round: number): string | undefined;
}

/** A round takes the elements whose flat index, divided by `size`, is its number. */
export function range(e: Emission, weights: readonly number[], size: number, skew = false): Range {
  const high = weights.map((w) => w - (w % size));
  const mask = high.reduce((sum, w) => sum | w, 0);
  return {
    base: threadSum(
      e,
      weights.map((w) => (skew ? skewed(w % size) : w % size)),
    ),
    inRound(flat, round) {
      const wanted = (flat - (flat % size)) ^ (round * size);
      if ((wanted & ~mask) !== 0) return 'never';
      return mask === 0 ? undefined : `${threadSum(e, high)} == ${wanted}u`;
    },
  };
}
