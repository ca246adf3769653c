/**
 * The numbers of each dtype, exactly: rounding a JavaScript number to a float format (nearest
 * even), wrapping an integer to its width, and the bytes in memory. Constants, folding and the
 * interpreter all go through here. Small floats are held as f32 values that are representable in
 * the small format.
 *
 * The fp8 formats saturate at their largest finite number, as Triton's conversions on NVIDIA do
 * (`cvt.rn.satfinite`); f16 and bf16 overflow to infinity.
 */
import type { DType, FloatType } from './types';
import { bitWidth, isFloat } from './types';

/**
 * A scalar constant: number for floats and integers up to 32 bits, bigint for i64, boolean for i1.
 */
export type ScalarValue = number | bigint | boolean;

interface SmallFormat {
  readonly mantissaBits: number;
  /** Exponent of the smallest normal number. */
  readonly minExponent: number;
  readonly bias: number;
  readonly max: number;
  readonly overflow: 'infinity' | 'saturate';
  /** FNUZ: no negative zero, and its code is the NaN. */
  readonly unsignedZero: boolean;
  /** Does the largest exponent code hold infinity and NaN only (IEEE)? */
  readonly ieee: boolean;
}
const f8 = (mantissaBits: number, bias: number, max: number, rest?: Partial<SmallFormat>) => ({
  mantissaBits,
  minExponent: 1 - bias,
  bias,
  max,
  overflow: 'saturate' as const,
  unsignedZero: false,
  ieee: false,
  ...rest,
});
type SmallFloat = Exclude<FloatType, 'f32' | 'f64'>;
const FORMATS: Record<SmallFloat, SmallFormat> = {
  f16: f8(10, 15, 65504, { overflow: 'infinity', ieee: true }),
  bf16: f8(7, 127, (2 - 2 ** -7) * 2 ** 127, { overflow: 'infinity', ieee: true }),
  f8E4M3FN: f8(3, 7, 448),
  f8E5M2: f8(2, 15, 57344, { ieee: true }),
  f8E4M3FNUZ: f8(3, 8, 240, { unsignedZero: true }),
  f8E5M2FNUZ: f8(2, 16, 57344, { unsignedZero: true }),
  // Triton's float8e4b15 ("B11FNUZ" in its IR): no NaN, and the sign of 0 is kept.
  f8E4M3B11FNUZ: f8(3, 15, 1.875),
};

function isSmall(dtype: DType): dtype is SmallFloat {
  return dtype in FORMATS;
}

/** The integer nearest to a non-negative number, halves to even. Exact below 2⁵². */
function roundHalfEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest < 0.5) return floor;
  if (rest > 0.5) return floor + 1;
  return floor % 2 === 0 ? floor : floor + 1;
}

const scratch = new DataView(new ArrayBuffer(8));

/** floor(log2(x)) of a positive finite number, exactly. */
function exponentOf(x: number): number {
  scratch.setFloat64(0, x);
  const code = scratch.getUint16(0) >> 4;
  return code === 0 ? -1074 : code - 1023;
}

/** The number of this format nearest to x (`rtz`: the nearest one not farther from zero). */
export function roundFloat(dtype: FloatType, x: number, mode: 'rtne' | 'rtz' = 'rtne'): number {
  if (dtype === 'f64') return x;
  if (dtype === 'f32') return mode === 'rtne' ? Math.fround(x) : truncateToF32(x);
  if (dtype === 'f8E4M3B11FNUZ') return roundB15(x);
  const format = FORMATS[dtype];
  if (Number.isNaN(x)) return x;
  const sign = x < 0 || Object.is(x, -0) ? -1 : 1;
  const a = Math.abs(x);
  if (a === 0) return format.unsignedZero ? 0 : x;
  if (a === Infinity) {
    // Toward zero, Triton for NVIDIA takes the upper byte of an f16.
    const kept = format.overflow === 'infinity' || (dtype === 'f8E5M2' && mode === 'rtz');
    return kept ? x : sign * format.max;
  }
  const step = 2 ** (Math.max(exponentOf(a), format.minExponent) - format.mantissaBits);
  const rounded = (mode === 'rtz' ? Math.floor(a / step) : roundHalfEven(a / step)) * step;
  if (rounded > format.max)
    return sign * (format.overflow === 'infinity' && mode === 'rtne' ? Infinity : format.max);
  return rounded === 0 && format.unsignedZero ? 0 : sign * rounded;
}

/**
 * float8e4b15 as Triton for NVIDIA rounds to it: a truncated f16, at most 1.75, halves away from 0.
 */
function roundB15(x: number): number {
  const negative = x < 0 || Object.is(x, -0);
  const half = Math.min(Math.abs(roundFloat('f16', Number.isNaN(x) ? 2 : x, 'rtz')), 1.75);
  const step = 2 ** (Math.max(exponentOf(half), -14) - 3);
  const rounded = Math.floor(half / step + 0.5) * step;
  return negative ? -rounded : rounded;
}

function truncateToF32(x: number): number {
  const near = Math.fround(x);
  if (Math.abs(near) <= Math.abs(x) || Number.isNaN(near)) return near;
  scratch.setFloat32(0, near);
  scratch.setUint32(0, scratch.getUint32(0) - 1);
  return scratch.getFloat32(0);
}

/** The bits of a float that is already representable in the format, as an unsigned integer. */
export function floatBits(dtype: FloatType, x: number): bigint {
  if (dtype === 'f64') {
    scratch.setFloat64(0, x);
    return scratch.getBigUint64(0);
  }
  scratch.setFloat32(0, x);
  const bits = scratch.getUint32(0);
  if (dtype === 'f32') return BigInt(bits);
  return BigInt(smallFloatBits(dtype, x, bits));
}

function smallFloatBits(dtype: SmallFloat, x: number, f32: number): number {
  const { mantissaBits, bias, unsignedZero, minExponent } = FORMATS[dtype];
  if (dtype === 'bf16') return Number.isNaN(x) ? (f32 >>> 16) | 0x40 : f32 >>> 16;
  const width = bitWidth(dtype);
  const signBit = (f32 >>> 31) << (width - 1);
  const exponentMask = (1 << (width - 1)) - (1 << mantissaBits);
  if (Number.isNaN(x)) {
    if (unsignedZero) return 1 << (width - 1);
    if (width === 8) return signBit | 0x7f;
    return signBit | exponentMask | (1 << (mantissaBits - 1));
  }
  const a = Math.abs(x);
  if (a === Infinity) return signBit | exponentMask;
  if (a < 2 ** minExponent) return signBit | (a / 2 ** (minExponent - mantissaBits));
  const exponent = exponentOf(a);
  return (
    signBit | ((exponent + bias) << mantissaBits) | ((a / 2 ** exponent - 1) * 2 ** mantissaBits)
  );
}

/** The float with these bits (only the low bits of the format's width count). */
export function floatFromBits(dtype: FloatType, bits: bigint): number {
  if (dtype === 'f64') {
    scratch.setBigUint64(0, BigInt.asUintN(64, bits));
    return scratch.getFloat64(0);
  }
  const low = Number(BigInt.asUintN(32, bits));
  if (dtype === 'f32' || dtype === 'bf16') {
    scratch.setUint32(0, dtype === 'f32' ? low : low << 16);
    return scratch.getFloat32(0);
  }
  return smallFloatFromBits(dtype, low);
}

function smallFloatFromBits(dtype: SmallFloat, bits: number): number {
  const { mantissaBits, bias, ieee, unsignedZero, minExponent } = FORMATS[dtype];
  const width = bitWidth(dtype);
  const sign = (bits >>> (width - 1)) & 1 ? -1 : 1;
  const magnitude = bits & ((1 << (width - 1)) - 1);
  const mantissa = magnitude & ((1 << mantissaBits) - 1);
  const code = magnitude >> mantissaBits;
  const topCode = (1 << (width - 1 - mantissaBits)) - 1;
  if (unsignedZero && sign < 0 && magnitude === 0) return NaN;
  if (ieee && code === topCode) return mantissa === 0 ? sign * Infinity : NaN;
  if (dtype === 'f8E4M3FN' && magnitude === 0x7f) return NaN;
  if (code === 0) return sign * mantissa * 2 ** (minExponent - mantissaBits);
  return sign * (1 + mantissa / (1 << mantissaBits)) * 2 ** (code - bias);
}

/** An integer wrapped to a width of 8, 16 or 32 bits, signed. */
export function wrapInteger(width: number, x: number): number {
  return width === 32 ? x | 0 : (x << (32 - width)) >> (32 - width);
}

/**
 * Any number as the canonical constant of a dtype: boolean for i1, signed number for i8 to i32,
 * signed bigint for i64, rounded number for floats.
 */
export function canonicalScalar(dtype: DType, value: ScalarValue): ScalarValue {
  if (isFloat(dtype)) return roundFloat(dtype, Number(value));
  if (dtype === 'i1') return typeof value === 'boolean' ? value : Boolean(BigInt(value) & 1n);
  const wide = typeof value === 'number' ? BigInt(Math.trunc(value)) : BigInt(value);
  const wrapped = BigInt.asIntN(bitWidth(dtype), wide);
  return dtype === 'i64' ? wrapped : Number(wrapped);
}

/** Bits of a canonical scalar, unsigned. */
export function scalarBits(dtype: DType, value: ScalarValue): bigint {
  if (isFloat(dtype)) return floatBits(dtype, Number(value));
  return BigInt.asUintN(bitWidth(dtype), BigInt(value));
}
/** The canonical scalar with these bits. */
export function scalarFromBits(dtype: DType, bits: bigint): ScalarValue {
  return isFloat(dtype) ? floatFromBits(dtype, bits) : canonicalScalar(dtype, bits);
}

const decodeTables = new Map<DType, Float32Array>();
/** Every value of an 8- or 16-bit float format, by its bits. */
export function decodeTable(dtype: FloatType): Float32Array {
  let table = decodeTables.get(dtype);
  if (!table) {
    if (!isSmall(dtype)) throw new Error(`${dtype} has no decode table`);
    table = new Float32Array(1 << bitWidth(dtype));
    for (let i = 0; i < table.length; i++) {
      table[i] = dtype === 'bf16' ? floatFromBits(dtype, BigInt(i)) : smallFloatFromBits(dtype, i);
    }
    decodeTables.set(dtype, table);
  }
  return table;
}
/** The bits of a small float as a number; x must be representable. */
export function encodeSmall(dtype: FloatType, x: number): number {
  if (!isSmall(dtype)) throw new Error(`${dtype} is not a small float`);
  scratch.setFloat32(0, x);
  return smallFloatBits(dtype, x, scratch.getUint32(0));
}

/** A word's 32 bits in the opposite order. */
export function reversedBits(word: number): number {
  let x = ((word >>> 1) & 0x55555555) | ((word & 0x55555555) << 1);
  x = ((x >>> 2) & 0x33333333) | ((x & 0x33333333) << 2);
  x = ((x >>> 4) & 0x0f0f0f0f) | ((x & 0x0f0f0f0f) << 4);
  x = ((x >>> 8) & 0x00ff00ff) | ((x & 0x00ff00ff) << 8);
  return ((x >>> 16) | (x << 16)) >>> 0;
}

/** How many of a word's 32 bits are 1. */
export function onesIn(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
