/**
 * The payload of a float in Triton's FpSan: a bijection from the bits of a format of width w to the
 * integers mod 2^w that keeps 0, 1 and -1, so that sums and products of payloads are exact. It
 * multiplies the magnitude by an odd constant, folds its upper bits into the lower ones, and
 * multiplies again by what makes 1.0 one; the sign bit stays. The constants are those of Triton
 * 3.8 (docs/programming-guide/chapter-3/fpsan.rst there).
 */
import { floatBits, scalarFromBits, type ScalarValue } from './numbers';
import { bitWidth, type FloatType, type IntegerType } from './types';

/** Spreads the magnitude's bits before they are folded. */
export const SPREAD = 922291n;

/** Constants of a format's mapping. */
export interface PayloadFormat {
  readonly width: number;
  readonly integer: IntegerType;
  /** All bits but the sign. */
  readonly magnitude: bigint;
  /** The lowest bit of 1.0's code: its upper bits are folded so far down. */
  readonly shift: number;
  /** Last factors, of floats without and with a sign. */
  readonly positive: bigint;
  readonly negative: bigint;
}

const formats = new Map<FloatType, PayloadFormat>();
export function payloadFormat(dtype: FloatType): PayloadFormat {
  let format = formats.get(dtype);
  if (!format) formats.set(dtype, (format = makeFormat(dtype)));
  return format;
}

function makeFormat(dtype: FloatType): PayloadFormat {
  const width = bitWidth(dtype);
  const magnitude = (1n << BigInt(width - 1)) - 1n;
  const one = floatBits(dtype, 1);
  const shift = one.toString(2).length - 1 - one.toString(2).lastIndexOf('1');
  const spread = (one * SPREAD) & magnitude;
  const positive = inverseOf(spread ^ (spread >> BigInt(shift)), width);
  const negative = BigInt.asUintN(width, positive * magnitude);
  return { width, integer: integerOf(dtype), magnitude, shift, positive, negative };
}

/** The integer type of a float's width. */
export function integerOf(dtype: FloatType): IntegerType {
  const names = { 8: 'i8', 16: 'i16', 32: 'i32', 64: 'i64' } as const;
  return names[bitWidth(dtype) as 8 | 16 | 32 | 64];
}

/** The inverse of an odd number mod 2^width, by Newton's iteration. */
export function inverseOf(odd: bigint, width: number): bigint {
  let inverse = 2n - odd;
  for (let bits = 2; bits < width; bits *= 2)
    inverse = BigInt.asUintN(width, inverse * (2n - odd * inverse));
  return BigInt.asUintN(width, inverse);
}

/** The payload of a float of a format, as the canonical scalar of `integerOf(dtype)`. */
export function payloadOf(dtype: FloatType, value: number): ScalarValue {
  const { width, integer, magnitude, shift, positive, negative } = payloadFormat(dtype);
  const bits = floatBits(dtype, value);
  const sign = bits & ~magnitude;
  const spread = (bits * SPREAD) & magnitude;
  const folded = spread ^ (spread >> BigInt(shift));
  const scaled = (folded * (sign ? negative : positive)) & magnitude;
  return scalarFromBits(integer, BigInt.asUintN(width, scaled | sign));
}

/** Functions without an algebra of their own, by Triton's number of each. */
export const TAGGED = {
  log: 1,
  log2: 3,
  sqrt: 6,
  rsqrt: 7,
  erf: 8,
  floor: 9,
  ceil: 10,
  precise_sqrt: 11,
} as const;

/** Tag of a function: Murmur's 64-bit mixer of its number. */
export function tagOf(id: number, width: number): bigint {
  const mix = (h: bigint): bigint => h ^ (h >> 33n);
  let h = mix(BigInt(id));
  h = mix(BigInt.asUintN(64, h * 0xff51afd7ed558ccdn));
  h = mix(BigInt.asUintN(64, h * 0xc4ceb9fe1a85ec53n));
  return BigInt.asUintN(width, h);
}

/** Tag of a function of libdevice: FNV-1a of its symbol, as `__nv_tanhf`. */
export function symbolTag(symbol: string, width: number): bigint {
  let h = 14695981039346656037n;
  for (const byte of new TextEncoder().encode(symbol))
    h = BigInt.asUintN(64, (h ^ BigInt(byte)) * 1099511628211n);
  return BigInt.asUintN(width, h);
}
