/**
 * The random numbers of NumPy's `RandomState`: MT19937 with the transformations that NumPy keeps
 * frozen, so that a seed gives the numbers it gives there: uniforms and integers bit for bit,
 * normals to the last bit of the platform's logarithm. (numpy/random/src/legacy and
 * _bounded_integers.)
 */
import { computeArray, isBig, ITEM_SIZE } from './dtypes';
import type { Dtype, NumberArray, Values } from './dtypes';
import { Generator } from './random';

export class LegacyRandom {
  private readonly source = new Generator(0n);
  /** The polar method makes two normals; the other one is kept. */
  private spare: number | null = null;

  seed(seed: bigint): void {
    this.source.seed(seed);
    this.spare = null;
  }

  /** The generator's words and position, and the kept normal. */
  save(): string {
    return JSON.stringify([this.source.save(), this.spare]);
  }
  restore(text: string): void {
    const [state, spare] = JSON.parse(text) as [string, number | null];
    this.source.restore(state);
    this.spare = spare;
  }

  /** 53 bits in [0, 1), from two words. */
  private double(): number {
    const high = this.source.word() >>> 5;
    const low = this.source.word() >>> 6;
    return (high * 67108864 + low) / 9007199254740992;
  }

  private gauss(): number {
    if (this.spare !== null) {
      const kept = this.spare;
      this.spare = null;
      return kept;
    }
    for (;;) {
      const x = 2 * this.double() - 1;
      const y = 2 * this.double() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      this.spare = factor * x;
      return factor * y;
    }
  }

  /** `count` numbers: low + (high − low)·u. */
  uniform(count: number, low: number, high: number): Float64Array {
    const out = new Float64Array(count);
    for (let i = 0; i < count; i++) out[i] = low + (high - low) * this.double();
    return out;
  }

  normal(count: number, mean: number, deviation: number): Float64Array {
    const out = new Float64Array(count);
    for (let i = 0; i < count; i++) out[i] = mean + deviation * this.gauss();
    return out;
  }

  exponential(count: number, scale: number): Float64Array {
    const out = new Float64Array(count);
    for (let i = 0; i < count; i++) out[i] = -Math.log(1 - this.double()) * scale;
    return out;
  }

  /** Integers of [low, high]: random bits, masked, and drawn again where they are too large. */
  integers(count: number, dtype: Dtype, low: bigint, high: bigint): Values {
    const out = computeArray(dtype, count);
    const span = high - low;
    const bits = this.bits(ITEM_SIZE[dtype] * 8, span);
    const mask = (1n << BigInt(span.toString(2).length)) - 1n;
    if (isBig(out)) {
      const wide = span > 0xffffffffn;
      for (let i = 0; i < count; i++) {
        if (span === 0n) out[i] = low;
        else if (wide) out[i] = low + this.wide(mask, span);
        else out[i] = low + BigInt(masked(bits, Number(mask), Number(span)));
      }
      return out;
    }
    const to = out as NumberArray;
    const from = Number(low);
    for (let i = 0; i < count; i++)
      to[i] = span === 0n ? from : from + masked(bits, Number(mask), Number(span));
    return out;
  }

  private wide(mask: bigint, span: bigint): bigint {
    for (;;) {
      const value = ((BigInt(this.source.word()) << 32n) | BigInt(this.source.word())) & mask;
      if (value <= span) return value;
    }
  }

  /** Random bits of a width; a word serves two 16-bit and four 8-bit numbers. */
  private bits(width: number, span: bigint): () => number {
    if (width >= 32 || span > 0xffffn) return () => this.source.word();
    const several = 32 / width;
    let left = 0;
    let word = 0;
    return () => {
      if (left === 0) {
        word = this.source.word();
        left = several;
      } else word >>>= width;
      left--;
      return word & (2 ** width - 1);
    };
  }

  /** 0 … n−1 in random order: Fisher and Yates from the end. */
  permutation(n: number): BigInt64Array {
    const out = BigInt64Array.from({ length: n }, (_, i) => BigInt(i));
    const word = (): number => this.source.word();
    for (let i = n - 1; i > 0; i--) {
      const j = masked(word, 2 ** (32 - Math.clz32(i)) - 1, i);
      const kept = out[i]!;
      out[i] = out[j]!;
      out[j] = kept;
    }
    return out;
  }
}

function masked(bits: () => number, mask: number, span: number): number {
  for (;;) {
    const value = (bits() & mask) >>> 0;
    if (value <= span) return value;
  }
}
