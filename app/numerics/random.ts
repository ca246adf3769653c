/**
 * Random numbers: PyTorch's CPU generator (MT19937) and its transformations, so that a seed gives
 * the numbers a CPU tensor of PyTorch gets: uniforms and integers bit for bit, normals to an ulp.
 * Normals use the logarithm and sine below, made of IEEE additions and multiplications only: unlike
 * `Math.log`, they are the same in every browser.
 */
import { computeArray, isBig, isCoded } from './dtypes';
import type { Dtype, NumberArray, Values } from './dtypes';

/**
 * Bits of precision that a uniform number is drawn with; the narrow floats are rounded from f32.
 */
const DIGITS: Partial<Record<Dtype, number>> = { float32: 24, float16: 24, bfloat16: 24 };

export class Generator {
  private readonly state = new Uint32Array(624);
  private next = 624;
  /** Box–Muller makes two; the other one is kept for the next call. */
  private spare: number | null = null;

  constructor(seed: bigint) {
    this.seed(seed);
  }

  /** Only the low 32 bits of a seed matter, as in PyTorch. */
  seed(seed: bigint): void {
    const { state } = this;
    state[0] = Number(BigInt.asUintN(32, seed));
    for (let i = 1; i < 624; i++) {
      const previous = state[i - 1]! ^ (state[i - 1]! >>> 30);
      state[i] = Math.imul(1812433253, previous) + i;
    }
    this.next = 624;
    this.spare = null;
  }

  /** 624 words, the position, and the kept normal: as JSON, for `get_state`. */
  save(): string {
    return JSON.stringify([Array.from(this.state), this.next, this.spare]);
  }
  restore(text: string): void {
    const [words, next, spare] = JSON.parse(text) as [number[], number, number | null];
    this.state.set(words);
    this.next = next;
    this.spare = spare;
  }

  word(): number {
    if (this.next === 624) this.refill();
    let y = this.state[this.next++]!;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  private refill(): void {
    const { state } = this;
    for (let i = 0; i < 624; i++) {
      const y = (state[i]! & 0x80000000) | (state[i < 623 ? i + 1 : 0]! & 0x7fffffff);
      state[i] = state[i < 227 ? i + 397 : i - 227]! ^ (y >>> 1) ^ (-(y & 1) & 0x9908b0df);
    }
    this.next = 0;
  }

  /** 53 random bits in [0, 1). */
  double(): number {
    const high = this.word();
    const low = this.word();
    return ((high & 0x1fffff) * 2 ** 32 + low) * 2 ** -53;
  }

  wide(): bigint {
    const high = BigInt(this.word());
    return (high << 32n) | BigInt(this.word());
  }

  /** @param digits of precision; undefined for all 53. */
  private uniform(digits: number | undefined): number {
    if (digits === undefined) return this.double();
    return (this.word() & ((1 << digits) - 1)) * 2 ** -digits;
  }

  private normal(): number {
    if (this.spare !== null) {
      const value = this.spare;
      this.spare = null;
      return value;
    }
    turn(2 * Math.PI * this.double());
    const radius = Math.sqrt(-2 * log(1 - this.double()));
    this.spare = radius * point[1]!;
    return radius * point[0]!;
  }

  fillUniform(n: number, dtype: Dtype, low: number, high: number): Values {
    const out = computeArray(dtype, n) as NumberArray;
    const digits = DIGITS[dtype];
    if (digits === undefined || !(out instanceof Float32Array)) {
      for (let i = 0; i < n; i++) out[i] = this.uniform(digits) * (high - low) + low;
      return out;
    }
    const mask = (1 << digits) - 1;
    const unit = 2 ** -digits;
    const span = high - low;
    const { state } = this;
    for (let i = 0; i < n;) {
      if (this.next === 624) this.refill();
      // `word`, for as many numbers as the state has left.
      const end = Math.min(n, i + 624 - this.next);
      for (let at = this.next; i < end; i++, at++) {
        let y = state[at]!;
        y ^= y >>> 11;
        y ^= (y << 7) & 0x9d2c5680;
        y ^= (y << 15) & 0xefc60000;
        out[i] = ((y ^ (y >>> 18)) & mask) * unit * span + low;
        this.next++;
      }
    }
    return out;
  }

  /** Sixteen and more elements are transformed in pairs eight apart, as PyTorch does. */
  fillNormal(n: number, dtype: Dtype, mean: number, std: number): Values {
    const out = computeArray(dtype, n) as NumberArray;
    if (n < 16) {
      for (let i = 0; i < n; i++) out[i] = this.normal() * std + mean;
      return out;
    }
    const digits = DIGITS[dtype];
    // The narrow floats are drawn block by block; the others all at once, before the
    // transformation.
    const blocks = isCoded(dtype);
    if (!blocks) for (let i = 0; i < n; i++) out[i] = this.uniform(digits);
    for (let i = 0; i + 16 <= n; i += 16) {
      if (blocks) for (let j = i; j < i + 16; j++) out[j] = this.uniform(digits);
      normal16(out, i, mean, std);
    }
    if (n % 16) {
      for (let i = n - 16; i < n; i++) out[i] = this.uniform(digits);
      normal16(out, n - 16, mean, std);
    }
    return out;
  }

  fillInteger(n: number, dtype: Dtype, low: bigint, high: bigint): Values {
    const out = computeArray(dtype, n);
    const range = high - low;
    const wide = range >= 2n ** 32n;
    const small = Number(range);
    for (let i = 0; i < n; i++) {
      if (isBig(out)) {
        out[i] = wide
          ? (BigInt.asUintN(64, this.wide()) % range) + low
          : BigInt(this.word() % small) + low;
      } else {
        out[i] = (wide ? Number(this.wide() % range) : this.word() % small) + Number(low);
      }
    }
    return out;
  }

  fillBernoulli(n: number, dtype: Dtype, p: number): Values {
    const out = computeArray(dtype, n);
    for (let i = 0; i < n; i++) {
      const one = this.double() < p;
      if (isBig(out)) out[i] = one ? 1n : 0n;
      else out[i] = one ? 1 : 0;
    }
    return out;
  }

  permutation(n: number): BigInt64Array {
    const out = new BigInt64Array(n);
    for (let i = 0; i < n; i++) out[i] = BigInt(i);
    for (let i = 0; i < n - 1; i++) {
      const j = i + (this.word() % (n - i));
      const kept = out[i]!;
      out[i] = out[j]!;
      out[j] = kept;
    }
    return out;
  }
}

function normal16(data: NumberArray, at: number, mean: number, std: number): void {
  for (let j = at; j < at + 8; j++) {
    const radius = Math.sqrt(-2 * log(1 - data[j]!));
    turn(2 * Math.PI * data[j + 8]!);
    data[j] = radius * point[0]! * std + mean;
    data[j + 8] = radius * point[1]! * std + mean;
  }
}

/** A double, and its two words: low, then high, on every machine that has WebAssembly. */
const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);

/** The natural logarithm of x in (0, 1], by fdlibm's method: x = 2^k · (1 + f). */
export function log(x: number): number {
  if (x === 0) return -Infinity;
  double[0] = x;
  const high = words[1]!;
  let k = (high >>> 20) - 1023;
  const fraction = high & 0xfffff;
  // 1 + f is brought into [√½, √2).
  const up = (fraction + 0x95f64) & 0x100000;
  words[1] = fraction | (up ^ 0x3ff00000);
  k += up >>> 20;
  const f = double[0] - 1;
  const s = f / (2 + f);
  const z = s * s;
  const w = z * z;
  const t1 = w * (0.3999999999940941908 + w * (0.2222219843214978396 + w * 0.1531383769920937332));
  const t2 =
    z *
    (0.666666666666673513 +
      w * (0.2857142874366239149 + w * (0.1818357216161805012 + w * 0.1479819860511658591)));
  const half = 0.5 * f * f;
  return (
    k * 0.69314718036912381649 -
    (half - (s * (half + t1 + t2) + k * 1.90821492927058770002e-10) - f)
  );
}

/** sin and cos of a reduced angle, |x| ≤ π/4: fdlibm's polynomials. */
function sineSmall(x: number): number {
  const z = x * x;
  const r =
    8.33333333332248946124e-3 +
    z *
      (-1.98412698298579493134e-4 +
        z *
          (2.75573137070700676789e-6 +
            z * (-2.50507602534068634195e-8 + z * 1.58969099521155010221e-10)));
  return x + z * x * (-1.66666666666666324348e-1 + z * r);
}
function cosineSmall(x: number): number {
  const z = x * x;
  const r =
    z *
    (4.16666666666666019037e-2 +
      z *
        (-1.38888888888741095749e-3 +
          z *
            (2.48015872894767294178e-5 +
              z *
                (-2.75573143513906633035e-7 +
                  z * (2.0875723212981748279e-9 + z * -1.13596475577881948265e-11)))));
  return 1 - (0.5 * z - z * r);
}

/** Cosine and sine, which `turn` leaves here. */
const point = new Float64Array(2);

/** Takes an angle in [0, 2π]; the nearest multiple of π/2 is taken off in two parts. */
function turn(angle: number): void {
  const n = Math.round(angle * (2 / Math.PI));
  const x = angle - n * 1.57079632673412561417 - n * 6.07710050650619224932e-11;
  const cosine = cosineSmall(x);
  const sine = sineSmall(x);
  point[0] = n & 1 ? (n & 2 ? sine : -sine) : n & 2 ? -cosine : cosine;
  point[1] = n & 1 ? (n & 2 ? -cosine : cosine) : n & 2 ? -sine : sine;
}
