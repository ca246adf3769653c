/**
 * A tensor's elements as the panels hold them: row-major and dense, in the bits that the program
 * stored. Everything that is said of a tensor (statistics, errors, text) starts from these bits, so
 * that a f16 is judged as a f16 and an int64 is exact.
 */
import { ITEM_SIZE, arrayType, computeArray, decode, isCoded } from '../numerics/dtypes';
import type { Dtype, Values } from '../numerics/dtypes';

export interface Elements {
  readonly dtype: Dtype;
  readonly shape: readonly number[];
  /** The stored bits: `Uint16Array` for float16, and so on (`arrayType`). */
  readonly raw: Values;
}

/** @param bytes dense and row-major; copied where they are not aligned. */
export function elementsOf(dtype: Dtype, shape: readonly number[], bytes: Uint8Array): Elements {
  const size = ITEM_SIZE[dtype];
  const aligned = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
  const raw = new (arrayType(dtype))(
    aligned.buffer as ArrayBuffer,
    aligned.byteOffset,
    Math.floor(aligned.byteLength / size),
  );
  return { dtype, shape, raw };
}

/** The values of a range of elements: numbers, or BigInt for 64-bit integers. */
export function valuesOf({ dtype, raw }: Elements, from = 0, to = raw.length): Values {
  const part = raw.subarray(from, to);
  if (!isCoded(dtype)) return part;
  const out = computeArray(dtype, part.length) as Float32Array;
  decode(dtype, part as Uint16Array, out);
  return out;
}

const one = { raw: new Float32Array(1) };

/** One element as a number; 64-bit integers lose their low digits above 2⁵³. */
export function numberAt({ dtype, raw }: Elements, index: number): number {
  if (!isCoded(dtype)) return Number(raw[index]!);
  decode(dtype, raw.subarray(index, index + 1) as Uint16Array, one.raw);
  return one.raw[0]!;
}

/** All elements as f64 numbers in chunks, for passes over everything. */
export function forEachChunk(
  elements: Elements,
  visit: (values: Values, at: number) => void,
  chunk = 1 << 16,
): void {
  for (let at = 0; at < elements.raw.length; at += chunk)
    visit(valuesOf(elements, at, Math.min(elements.raw.length, at + chunk)), at);
}

/** Significant decimal digits that distinguish any two values of a dtype. */
const DIGITS: Partial<Record<Dtype, number>> = {
  float64: 17,
  float32: 9,
  float16: 5,
  bfloat16: 4,
  float8_e5m2: 2,
  float8_e4m3fn: 3,
};
/** Significand bits, the implicit one included. */
export const PRECISION: Partial<Record<Dtype, number>> = {
  float64: 53,
  float32: 24,
  float16: 11,
  bfloat16: 8,
  float8_e5m2: 3,
  float8_e4m3fn: 4,
};

/** The shortest decimal that reads back as this value of the dtype, as NumPy and Python print. */
export function exactText(dtype: Dtype, value: number | bigint): string {
  if (dtype === 'bool') return Number(value) === 0 ? 'False' : 'True';
  if (typeof value === 'bigint') return String(value);
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const digits = DIGITS[dtype];
  if (digits === undefined) return String(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const text = dtype === 'float64' ? String(value) : shortest(dtype, value, digits);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

function shortest(dtype: Dtype, value: number, digits: number): string {
  for (let k = 1; k < digits; k++) {
    const guess = Number(value.toPrecision(k));
    if (readsBack(dtype, guess, value)) return String(guess);
  }
  return String(Number(value.toPrecision(digits)));
}
/** Half a unit in the last place away at the most, so that rounding gives the value again. */
function readsBack(dtype: Dtype, guess: number, value: number): boolean {
  if (dtype === 'float32') return Math.fround(guess) === value;
  const bits = PRECISION[dtype] ?? 24;
  const exponent = Math.floor(Math.log2(Math.abs(value)));
  return Math.abs(guess - value) < 2 ** (exponent - bits) * 0.999;
}

export { unravel } from '../../compiler/inspect/elements';

/** Flat position of a row-major index. */
export function ravel(index: readonly number[], shape: readonly number[]): number {
  return index.reduce((flat, each, axis) => flat * shape[axis]! + each, 0);
}
