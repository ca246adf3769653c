/** Float functions that JavaScript lacks, in double precision. */

/**
 * Error function; within a few units of 1e-16 by its everywhere positive series, and by the
 * continued fraction of erfc above 3.
 */
export function erf(x: number): number {
  const a = Math.abs(x);
  if (a !== a) return x;
  if (a > 6) return Math.sign(x);
  if (a < 3) {
    // erf(x) = 2/√π · exp(-x²) · Σ 2ⁿ x²ⁿ⁺¹ / (1·3·5 … (2n+1))
    let term = x;
    let sum = x;
    for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum) && n < 200; n++) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
  }
  let fraction = 0;
  for (let n = 60; n > 0; n--) fraction = n / 2 / (a + fraction);
  const erfc = Math.exp(-a * a) / Math.sqrt(Math.PI) / (a + fraction);
  return Math.sign(x) * (1 - erfc);
}

/** C's pow: 1 to any power is 1, also NaN; ±1 to ±∞ is 1. JavaScript says NaN there. */
export function powFloat(x: number, y: number): number {
  if (x === 1 || (x === -1 && (y === Infinity || y === -Infinity))) return 1;
  return x ** y;
}

/** Nearest integer, halves away from zero; keeps the sign of zero. */
export function roundAway(x: number): number {
  const a = Math.abs(x);
  const floor = Math.floor(a);
  const r = a - floor >= 0.5 ? floor + 1 : floor;
  return x < 0 || Object.is(x, -0) ? -r : r;
}

/** Nearest integer, halves to even; keeps the sign of zero. */
export function roundEven(x: number): number {
  const a = Math.abs(x);
  const floor = Math.floor(a);
  const rest = a - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 === 1);
  const r = up ? floor + 1 : floor;
  return x < 0 || Object.is(x, -0) ? -r : r;
}

const bits = new DataView(new ArrayBuffer(8));

/**
 * x·y + z such that rounding the result to f32 (or narrower) is the once-rounded sum, for operands
 * that are f32 values. The product is exact in double precision; the sum is rounded to odd, which a
 * second rounding to at most 51 bits cannot be misled by.
 */
export function fma(x: number, y: number, z: number): number {
  const product = x * y;
  const sum = product + z;
  if (!Number.isFinite(sum)) return sum;
  // The exact error of the sum (Knuth's two-sum).
  const back = sum - product;
  const error = product - (sum - back) + (z - back);
  if (error === 0) return sum;
  bits.setFloat64(0, sum);
  const low = bits.getUint32(4);
  if ((low & 1) === 1) return sum;
  // Truncated toward the error's other side, an even last bit becomes odd.
  const away = error > 0 === sum > 0;
  const wide = bits.getBigUint64(0) + (away ? 1n : -1n);
  bits.setBigUint64(0, wide);
  return bits.getFloat64(0);
}

/** A finite number as an integer times a power of two. */
function split(x: number): readonly [bigint, number] {
  bits.setFloat64(0, x);
  const raw = bits.getBigUint64(0);
  const code = Number((raw >> 52n) & 0x7ffn);
  const mantissa = (raw & 0xfffffffffffffn) | (code === 0 ? 0n : 1n << 52n);
  return [raw >> 63n ? -mantissa : mantissa, Math.max(code, 1) - 1075];
}

/** x·y + z of doubles, rounded once to double precision: in integers. */
export function fma64(x: number, y: number, z: number): number {
  if (!Number.isFinite(x) || !Number.isFinite(y) || x === 0 || y === 0) return x * y + z;
  if (!Number.isFinite(z)) return z;
  const [a, i] = split(x);
  const [b, j] = split(y);
  const [c, k] = split(z);
  const low = Math.min(i + j, k);
  const sum = ((a * b) << BigInt(i + j - low)) + (c << BigInt(k - low));
  // An exact zero is a sum of opposites, which is +0.
  return sum === 0n ? 0 : scaled(sum, low);
}

/** n · 2^exponent, rounded once to nearest even. */
function scaled(n: bigint, exponent: number): number {
  const sign = n < 0n ? -1 : 1;
  let magnitude = n < 0n ? -n : n;
  // Weight of the last place of the result.
  const last = Math.max(exponent + magnitude.toString(2).length - 53, -1074);
  if (last <= exponent) return sign * Number(magnitude) * 2 ** exponent;
  const drop = BigInt(last - exponent);
  const rest = magnitude & ((1n << drop) - 1n);
  const half = 1n << (drop - 1n);
  magnitude >>= drop;
  if (rest > half || (rest === half && (magnitude & 1n) === 1n)) magnitude += 1n;
  // 2^last may be below the least double's reach of one factor only where the product is exact
  // anyway.
  return last > 900
    ? sign * Number(magnitude) * 2 ** 900 * 2 ** (last - 900)
    : sign * Number(magnitude) * 2 ** last;
}
