/**
 * Functions of payloads in a ring, each written once for both rings. -inf and +inf absorb sums,
 * differences, products and quotients; a factor of theirs counts as positive.
 */
import { payloadsOf, RING32, RING64, type Ring } from './rings';

/** Triton's numbers of functions that are known by a tag alone. */
const TAGS: Readonly<Record<string, number>> = {
  log: 1,
  sqrt: 6,
  erf: 8,
  floor: 9,
  ceil: 10,
};
/** Functions of libdevice, by PyTorch's name: a tag of the symbol. */
const SYMBOLS: Readonly<Record<string, string>> = {
  expm1: 'expm1',
  log1p: 'log1p',
  log10: 'log10',
  tan: 'tan',
  asin: 'asin',
  acos: 'acos',
  atan: 'atan',
  atan2: 'atan2',
  sinh: 'sinh',
  cosh: 'cosh',
  tanh: 'tanh',
  asinh: 'asinh',
  acosh: 'acosh',
  atanh: 'atanh',
  pow: 'pow',
  round: 'rint',
  trunc: 'trunc',
};

function tagOf(id: number): bigint {
  const mask = (1n << 64n) - 1n;
  let h = BigInt(id);
  for (const factor of [0xff51afd7ed558ccdn, 0xc4ceb9fe1a85ec53n, 1n])
    h = ((h ^ (h >> 33n)) * factor) & mask;
  return h;
}
function symbolTag(symbol: string): bigint {
  let h = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(symbol))
    h = BigInt.asUintN(64, (h ^ BigInt(byte)) * 0x100000001b3n);
  return h;
}

export class Algebra<T extends number | bigint> {
  readonly zero: T;
  readonly one: T;
  readonly #two: T;
  readonly #infinity: T;
  readonly #minusInfinity: T;
  readonly #log2e: T;
  readonly #tagFactor: T;

  constructor(readonly ring: Ring<T>) {
    this.zero = ring.of(0n);
    this.one = ring.of(1n);
    this.#two = ring.of(2n);
    const infinity = payloadsOf(ring.width === 64 ? 'float64' : 'float32').infinity!;
    this.#infinity = ring.of(infinity);
    this.#minusInfinity = ring.of(-infinity);
    // The payload of log2(e) in float32, at both widths.
    this.#log2e = ring.of(594471359n);
    this.#tagFactor = ring.of(314159n);
  }

  isInfinite(x: T): boolean {
    return x === this.#infinity || x === this.#minusInfinity;
  }
  add(a: T, b: T): T {
    return this.isInfinite(a) ? a : this.isInfinite(b) ? b : this.ring.add(a, b);
  }
  sub(a: T, b: T): T {
    return this.isInfinite(a) ? a : this.isInfinite(b) ? this.neg(b) : this.ring.sub(a, b);
  }
  mul(a: T, b: T): T {
    return this.isInfinite(a) ? a : this.isInfinite(b) ? b : this.ring.mul(a, b);
  }
  div(a: T, b: T): T {
    return this.isInfinite(a) ? a : this.ring.mul(a, this.inverse(b));
  }
  neg(x: T): T {
    return this.ring.sub(this.zero, x);
  }

  /** The order of payloads, -inf below and +inf above all others. */
  less(a: T, b: T): boolean {
    if (a === b || a === this.#infinity || b === this.#minusInfinity) return false;
    return a === this.#minusInfinity || b === this.#infinity || a < b;
  }
  max(a: T, b: T): T {
    return this.less(a, b) ? b : a;
  }
  min(a: T, b: T): T {
    return this.less(b, a) ? b : a;
  }
  abs(x: T): T {
    return x < this.zero ? this.neg(x) : x;
  }

  /** 2^k · u^-1 of 2^k · u, u odd: the inverse of a product is that of its factors. */
  inverse(x: T): T {
    const { ring } = this;
    if (x === this.zero) return x;
    let odd = x;
    let twos = 0;
    for (; ring.and(odd, this.one) === this.zero; twos++) odd = ring.shr(odd, 1);
    let inverse = odd;
    for (let bits = 3; bits < ring.width; bits *= 2)
      inverse = ring.mul(inverse, ring.sub(this.#two, ring.mul(odd, inverse)));
    return ring.shl(inverse, twos);
  }

  exp(x: T): T {
    return this.exp2(this.mul(x, this.#log2e));
  }
  /** (1 + 2^(w/4))^x by squaring. */
  exp2(x: T): T {
    if (x === this.#minusInfinity) return this.zero;
    if (x === this.#infinity) return x;
    const { ring } = this;
    const s = ring.width / 4;
    // The binomial series has four terms mod 2^w.
    const choose3 = (low: T): T =>
      ring.sixth(ring.mul(ring.mul(low, ring.sub(low, this.one)), ring.sub(low, this.#two)));
    const pairs = ring.shr(ring.mul(x, ring.sub(x, this.one)), 1);
    const low = ring.and(x, ring.of((1n << BigInt(s + 1)) - 1n));
    return ring.add(
      ring.add(this.one, ring.shl(x, s)),
      ring.add(ring.shl(pairs, 2 * s), ring.shl(choose3(low), 3 * s)),
    );
  }

  cosineAndSine(x: T): readonly [T, T] {
    const { ring } = this;
    const fifth = this.inverse(ring.of(5n));
    const [re, im] = [ring.mul(ring.of(-3n), fifth), ring.mul(ring.of(4n), fifth)];
    let [c, s, p, q]: [T, T, T, T] = [this.one, this.zero, re, im];
    let rest: T = x;
    // Square and multiply from the lowest bit.
    for (let i = 0; i < ring.width; i++, rest = ring.shr(rest, 1)) {
      if (ring.and(rest, this.one) === this.one)
        [c, s] = [
          ring.sub(ring.mul(c, p), ring.mul(s, q)),
          ring.add(ring.mul(c, q), ring.mul(s, p)),
        ];
      [p, q] = [ring.sub(ring.mul(p, p), ring.mul(q, q)), ring.mul(this.#two, ring.mul(p, q))];
    }
    return [c, s];
  }

  /** A function known by a tag; undefined where there is none of this name. */
  tagged(name: string): ((...operands: T[]) => T) | undefined {
    const { ring } = this;
    if (name === 'rsqrt') return (x) => this.inverse(this.tagged('sqrt')!(x!));
    if (name === 'log2') return (x) => ring.mul(this.tagged('log')!(x!), this.#log2e);
    const id = TAGS[name];
    if (id !== undefined) {
      const tag = ring.of(tagOf(id));
      return (x) => ring.mul(ring.xor(ring.mul(x!, this.#tagFactor), tag), this.#tagFactor);
    }
    const symbol = SYMBOLS[name];
    if (symbol === undefined) return undefined;
    const tag = ring.of(symbolTag(`__nv_${symbol}${ring.width === 64 ? '' : 'f'}`));
    return (...operands) =>
      ring.xor(
        operands.map((x, i) => this.#rotated(x, i)).reduce((a, b) => ring.add(a, b)),
        tag,
      );
  }
  #rotated(x: T, by: number): T {
    const { ring } = this;
    return by === 0 ? x : ring.or(ring.shl(x, by), ring.shr(x, ring.width - by));
  }
}

export const ALGEBRA32 = new Algebra(RING32);
export const ALGEBRA64 = new Algebra(RING64);
