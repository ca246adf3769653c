/**
 * The element types of tensors: sizes, and how their bits become numbers and back. f16, bf16 and
 * the two fp8 types are decoded through tables to f32 and encoded with round-to-nearest-even, as
 * PyTorch does; every other type is a JavaScript typed array. 64-bit integers stay BigInt, so they
 * are exact.
 */

export type Dtype =
  | 'float64'
  | 'float32'
  | 'float16'
  | 'bfloat16'
  | 'float8_e5m2'
  | 'float8_e4m3fn'
  | 'int64'
  | 'uint64'
  | 'int32'
  | 'uint32'
  | 'int16'
  | 'uint16'
  | 'int8'
  | 'uint8'
  | 'bool';

/** Elements as the operations see them: every float type but float64 is a Float32Array. */
export type NumberArray =
  | Float64Array
  | Float32Array
  | Int32Array
  | Uint32Array
  | Int16Array
  | Uint16Array
  | Int8Array
  | Uint8Array;
export type BigArray = BigInt64Array | BigUint64Array;
export type Values = NumberArray | BigArray;

export const ITEM_SIZE: Readonly<Record<Dtype, 1 | 2 | 4 | 8>> = {
  float64: 8,
  float32: 4,
  float16: 2,
  bfloat16: 2,
  float8_e5m2: 1,
  float8_e4m3fn: 1,
  int64: 8,
  uint64: 8,
  int32: 4,
  uint32: 4,
  int16: 2,
  uint16: 2,
  int8: 1,
  uint8: 1,
  bool: 1,
};

/** The step between 1 and the next number; absent for integers. */
export const EPSILON: Readonly<Partial<Record<Dtype, number>>> = {
  float64: 2 ** -52,
  float32: 2 ** -23,
  float16: 2 ** -10,
  bfloat16: 2 ** -7,
  float8_e5m2: 2 ** -2,
  float8_e4m3fn: 2 ** -3,
};

/** Types whose stored bits are not what operations compute with. */
export type CodedDtype = 'float16' | 'bfloat16' | 'float8_e5m2' | 'float8_e4m3fn';

export function isCoded(dtype: Dtype): dtype is CodedDtype {
  return (
    dtype === 'float16' ||
    dtype === 'bfloat16' ||
    dtype === 'float8_e5m2' ||
    dtype === 'float8_e4m3fn'
  );
}

export function isFloat(dtype: Dtype): boolean {
  return dtype === 'float64' || dtype === 'float32' || isCoded(dtype);
}

export function isBig(values: Values): values is BigArray {
  return values instanceof BigInt64Array || values instanceof BigUint64Array;
}

/** An array of the kind operations compute `dtype` in. */
export function computeArray(dtype: Dtype, length: number): Values {
  return isCoded(dtype) ? new Float32Array(length) : new (arrayType(dtype))(length);
}

/** The typed array that a dtype's bits are stored in. */
export function arrayType(dtype: Dtype) {
  switch (dtype) {
    case 'float64':
      return Float64Array;
    case 'float32':
      return Float32Array;
    case 'float16':
    case 'bfloat16':
    case 'uint16':
      return Uint16Array;
    case 'float8_e5m2':
    case 'float8_e4m3fn':
    case 'uint8':
    case 'bool':
      return Uint8Array;
    case 'int64':
      return BigInt64Array;
    case 'uint64':
      return BigUint64Array;
    case 'int32':
      return Int32Array;
    case 'uint32':
      return Uint32Array;
    case 'int16':
      return Int16Array;
    case 'int8':
      return Int8Array;
    default:
      return dtype satisfies never;
  }
}

/** The whole of `bytes` as stored elements. @throws where the view is not aligned. */
export function rawView(dtype: Dtype, bytes: Uint8Array): Values {
  const size = ITEM_SIZE[dtype];
  return new (arrayType(dtype))(
    bytes.buffer as ArrayBuffer,
    bytes.byteOffset,
    Math.floor(bytes.byteLength / size),
  );
}

interface Format {
  readonly exponent: number;
  readonly mantissa: number;
  readonly bias: number;
  /**
   * e4m3fn has no infinities: exponent 15 with mantissa 7 is NaN, and what is too large becomes the
   * largest number, as PyTorch 2.13 converts it.
   */
  readonly finite: boolean;
}
const FORMATS: Readonly<Record<CodedDtype, Format>> = {
  float16: { exponent: 5, mantissa: 10, bias: 15, finite: false },
  bfloat16: { exponent: 8, mantissa: 7, bias: 127, finite: false },
  float8_e5m2: { exponent: 5, mantissa: 2, bias: 15, finite: false },
  float8_e4m3fn: { exponent: 4, mantissa: 3, bias: 7, finite: true },
};

const decodeTables = new Map<CodedDtype, Float32Array>();

/** Every code's value: 2^16 or 2^8 entries, made once. */
function decodeTable(dtype: CodedDtype): Float32Array {
  const known = decodeTables.get(dtype);
  if (known) return known;
  const { exponent, mantissa, bias, finite } = FORMATS[dtype];
  const table = new Float32Array(1 << (1 + exponent + mantissa));
  const top = (1 << exponent) - 1;
  for (let code = 0; code < table.length; code++) {
    const sign = code >> (exponent + mantissa) ? -1 : 1;
    const e = (code >> mantissa) & top;
    const m = code & ((1 << mantissa) - 1);
    let value: number;
    if (e === 0) value = m * 2 ** (1 - bias - mantissa);
    else if (e === top && !finite) value = m ? NaN : Infinity;
    else if (e === top && m === (1 << mantissa) - 1 && finite) value = NaN;
    else value = (1 + m / 2 ** mantissa) * 2 ** (e - bias);
    table[code] = sign * value;
  }
  decodeTables.set(dtype, table);
  return table;
}

/** @param out receives `codes.length` values. */
export function decode(dtype: CodedDtype, codes: Uint16Array | Uint8Array, out: Float32Array) {
  const table = decodeTable(dtype);
  for (let i = 0; i < codes.length; i++) out[i] = table[codes[i]!]!;
}

const word = new Uint32Array(1);
const single = new Float32Array(word.buffer);

/** Rounds each value to nearest even. */
export function encode(
  dtype: CodedDtype,
  values: ArrayLike<number>,
  out: Uint16Array | Uint8Array,
) {
  switch (dtype) {
    case 'bfloat16':
      for (let i = 0; i < values.length; i++) {
        single[0] = values[i]!;
        const bits = word[0]!;
        out[i] =
          (bits & 0x7fffffff) > 0x7f800000
            ? 0x7fc0 | ((bits >>> 16) & 0x8000)
            : (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
      }
      return;
    case 'float16':
      for (let i = 0; i < values.length; i++) out[i] = encodeHalf(values[i]!);
      return;
    case 'float8_e5m2':
    case 'float8_e4m3fn':
      for (let i = 0; i < values.length; i++) out[i] = encodeSmall(dtype, values[i]!);
      return;
    default:
      dtype satisfies never;
  }
}

/** Programs fill tens of millions of halves before their first launch, hence a way of its own. */
function encodeHalf(value: number): number {
  single[0] = value;
  const bits = word[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude >= 0x47800000) return sign | (magnitude > 0x7f800000 ? 0x7e00 : 0x7c00);
  if (magnitude >= 0x38800000) {
    return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
  }
  // The step of f32 at one half is the step of subnormal halves: the addition rounds.
  single[0] = Math.abs(single[0]!) + 0.5;
  return sign | (word[0]! - 0x3f000000);
}

function encodeSmall(dtype: CodedDtype, value: number): number {
  const { exponent, mantissa, bias, finite } = FORMATS[dtype];
  single[0] = value;
  const bits = word[0]!;
  const sign = (bits >>> 31) << (exponent + mantissa);
  const top = (1 << exponent) - 1;
  const nan = sign | (top << mantissa) | ((1 << mantissa) - 1);
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return nan;
  // The largest code that is a number; rounding past it overflows.
  const limit = finite ? (top << mantissa) | ((1 << mantissa) - 2) : (top << mantissa) - 1;
  const overflow = sign | (finite ? limit : limit + 1);
  if (magnitude === 0x7f800000) return overflow;
  const e = (magnitude >>> 23) - 127 + bias;
  const drop = 23 - mantissa;
  let code: number;
  if (e <= 0) {
    // Subnormal: the implicit one is shifted in, and everything below is rounded away.
    const shift = drop + 1 - e;
    if (shift > 25) return sign;
    code = roundShift((magnitude & 0x7fffff) | 0x800000, shift);
  } else {
    code = roundShift((e << 23) | (magnitude & 0x7fffff), drop);
  }
  return code > limit ? overflow : sign | code;
}

/** `x / 2^shift` to the nearest integer, ties to even. x < 2^31. */
function roundShift(x: number, shift: number): number {
  const low = x & (2 ** shift - 1);
  const half = 2 ** (shift - 1);
  const high = shift >= 32 ? 0 : x >>> shift;
  return low > half || (low === half && high & 1) ? high + 1 : high;
}

/** Rounds in place what is held as f32 to what `dtype` can hold. */
export function roundTo(dtype: Dtype, values: Values): void {
  if (!isCoded(dtype)) return;
  const floats = values as Float32Array;
  const codes = new (arrayType(dtype) as Uint16ArrayConstructor)(floats.length);
  encode(dtype, floats, codes);
  decode(dtype, codes, floats);
}

/** Elements of one dtype as another's, as `tensor.to(dtype)` converts them. */
export function convert(values: Values, from: Dtype, to: Dtype): Values {
  if (from === to) return values;
  const out = computeArray(to, values.length);
  const n = values.length;
  if (to === 'bool') {
    const flags = out as Uint8Array;
    if (isBig(values)) for (let i = 0; i < n; i++) flags[i] = values[i] !== 0n ? 1 : 0;
    else for (let i = 0; i < n; i++) flags[i] = values[i] !== 0 ? 1 : 0;
    return out;
  }
  if (isBig(out)) {
    if (isBig(values)) for (let i = 0; i < n; i++) out[i] = values[i]!;
    else if (isFloat(from)) for (let i = 0; i < n; i++) out[i] = floatToBig(values[i]!);
    else for (let i = 0; i < n; i++) out[i] = BigInt(values[i]!);
    return out;
  }
  if (isBig(values)) {
    if (isFloat(to)) for (let i = 0; i < n; i++) out[i] = Number(values[i]!);
    else for (let i = 0; i < n; i++) out[i] = Number(BigInt.asUintN(32, values[i]!));
  } else if (isFloat(from) && !isFloat(to)) {
    // Through 64 bits, as a C cast of a float into a narrow integer does on the common machines.
    for (let i = 0; i < n; i++) {
      const x = Math.trunc(values[i]!);
      out[i] = Math.abs(x) < 2 ** 53 ? x : Number(BigInt.asUintN(32, floatToBig(x)));
    }
  } else {
    out.set(values);
  }
  roundTo(to, out);
  return out;
}

function floatToBig(x: number): bigint {
  // Result of x86 for NaN and for numbers that do not fit.
  if (!(Math.abs(x) < 2 ** 63)) return -(2n ** 63n);
  return BigInt(Math.trunc(x));
}
