/**
 * The rings in which `hippocamp prove` computes floats: the integers mod 2^32 for float32 and
 * narrower, mod 2^64 for float64. A float stands for a payload, a bijective mixture of its bits
 * that keeps 0, 1 and -1, as in Triton's FpSan. It shares no code with the compiler, which it
 * checks.
 *
 * Kernels of a proof, and this file, differ from FpSan where that keeps more identities: floats are
 * ordered by their payloads, so that a maximum and a comparison agree; -inf and +inf absorb what is
 * added to them, so that masked elements are no part of a softmax; the inverse of a product is that
 * of its factors, also of even ones; rsqrt is the inverse of sqrt, log2 a multiple of log.
 */
import type { Dtype } from '../dtypes';

export type FloatDtype = Extract<Dtype, `float${string}` | 'bfloat16'>;

/** Bits of a format: its width, the code of 1.0, and that of infinity (null: it has none). */
const CODES: Readonly<Record<FloatDtype, readonly [number, bigint, bigint | null]>> = {
  float64: [64, 0x3ff0000000000000n, 0x7ff0000000000000n],
  float32: [32, 0x3f800000n, 0x7f800000n],
  float16: [16, 0x3c00n, 0x7c00n],
  bfloat16: [16, 0x3f80n, 0x7f80n],
  float8_e5m2: [8, 0x3cn, 0x7cn],
  float8_e4m3fn: [8, 0x38n, null],
};
const SPREAD = 922291n;

/** The inverse of an odd number mod 2^width. */
function inverseOf(odd: bigint, width: number): bigint {
  let x = 1n;
  for (let i = 0; i < 6; i++) x = BigInt.asUintN(width, x * (2n - odd * x));
  return x;
}

/** Constants of a format's payloads. */
export class Payloads {
  readonly width: number;
  readonly #magnitude: bigint;
  readonly #shift: bigint;
  readonly #factors: readonly [bigint, bigint];
  readonly #inverses: readonly [bigint, bigint];
  readonly #unspread: bigint;
  /** Payloads of +inf and -inf, sign-extended; null where the format has none. */
  readonly infinity: bigint | null;

  constructor(readonly dtype: FloatDtype) {
    const [width, one, infinity] = CODES[dtype];
    this.width = width;
    this.#magnitude = (1n << BigInt(width - 1)) - 1n;
    let shift = 0n;
    while (!((one >> shift) & 1n)) shift++;
    this.#shift = shift;
    const spread = (one * SPREAD) & this.#magnitude;
    const positive = inverseOf(spread ^ (spread >> shift), width);
    this.#factors = [positive, BigInt.asUintN(width, -positive)];
    this.#inverses = [inverseOf(this.#factors[0], width), inverseOf(this.#factors[1], width)];
    this.#unspread = inverseOf(SPREAD, width);
    this.infinity = infinity === null ? null : this.embed(infinity);
  }

  /** The payload of bits, sign-extended. */
  embed(bits: bigint): bigint {
    const sign = bits & ~this.#magnitude;
    const y = (bits * SPREAD) & this.#magnitude;
    const z = y ^ (y >> this.#shift);
    const scaled = (z * this.#factors[sign === 0n ? 0 : 1]) & this.#magnitude;
    return BigInt.asIntN(this.width, scaled | sign);
  }
  /** The bits of a payload, unsigned. */
  unembed(payload: bigint): bigint {
    const p = BigInt.asUintN(this.width, payload);
    const sign = p & ~this.#magnitude;
    let z = (p * this.#inverses[sign === 0n ? 0 : 1]) & this.#magnitude;
    for (let shift = this.#shift; shift < BigInt(this.width); shift *= 2n) z ^= z >> shift;
    return ((z * this.#unspread) & this.#magnitude) | sign;
  }

  /** Both ways for 32 bits and fewer, without big integers; bits and payloads sign-extended. */
  readonly embedWord = this.#word(true);
  readonly unembedWord = this.#word(false);
  #word(embeds: boolean): (word: number) => number {
    return (word) => {
      const made = this.#words();
      return (embeds ? made.embed : made.unembed)(word);
    };
  }
  #made: { embed(x: number): number; unembed(x: number): number } | undefined;
  #words(): { embed(x: number): number; unembed(x: number): number } {
    if (this.#made) return this.#made;
    const [up, low] = [32 - this.width, Number(this.#shift)];
    const magnitude = Number(this.#magnitude);
    const word = (x: bigint): number => Number(BigInt.asIntN(32, x));
    const [positive, negative] = this.#factors.map(word) as [number, number];
    const [back, backNegative] = this.#inverses.map(word) as [number, number];
    const [spread, unspread] = [Number(SPREAD), word(this.#unspread)];
    const signed = (x: number, sign: boolean): number => ((sign ? x | ~magnitude : x) << up) >> up;
    return (this.#made = {
      embed: (x) => {
        const y = Math.imul(x, spread) & magnitude;
        const z = y ^ (y >>> low);
        return signed(Math.imul(z, x < 0 ? negative : positive) & magnitude, x < 0);
      },
      unembed: (x) => {
        let z = Math.imul(x, x < 0 ? backNegative : back) & magnitude;
        for (let shift = low; shift < this.width; shift *= 2) z ^= z >>> shift;
        return signed(Math.imul(z, unspread) & magnitude, x < 0);
      },
    });
  }
}

const made = new Map<FloatDtype, Payloads>();
export function payloadsOf(dtype: FloatDtype): Payloads {
  let payloads = made.get(dtype);
  if (!payloads) made.set(dtype, (payloads = new Payloads(dtype)));
  return payloads;
}

/** Arithmetic on payloads, sign-extended numbers of `width` bits. */
export interface Ring<T extends number | bigint> {
  readonly width: 32 | 64;
  of(x: bigint): T;
  add(a: T, b: T): T;
  sub(a: T, b: T): T;
  mul(a: T, b: T): T;
  and(a: T, b: T): T;
  or(a: T, b: T): T;
  xor(a: T, b: T): T;
  /** Shifts left, and right without sign. */
  shl(a: T, by: number): T;
  shr(a: T, by: number): T;
  /** Quotient by 6, unsigned. */
  sixth(a: T): T;
}

export const RING32: Ring<number> = {
  width: 32,
  of: (x) => Number(BigInt.asIntN(32, x)),
  add: (a, b) => (a + b) | 0,
  sub: (a, b) => (a - b) | 0,
  mul: Math.imul,
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  shl: (a, by) => a << by,
  shr: (a, by) => (a >>> by) | 0,
  sixth: (a) => Math.floor((a >>> 0) / 6) | 0,
};
const wrap = (x: bigint): bigint => BigInt.asIntN(64, x);
const unsigned = (x: bigint): bigint => BigInt.asUintN(64, x);
export const RING64: Ring<bigint> = {
  width: 64,
  of: wrap,
  add: (a, b) => wrap(a + b),
  sub: (a, b) => wrap(a - b),
  mul: (a, b) => wrap(a * b),
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
  shl: (a, by) => wrap(a << BigInt(by)),
  shr: (a, by) => wrap(unsigned(a) >> BigInt(by)),
  sixth: (a) => wrap(unsigned(a) / 6n),
};
