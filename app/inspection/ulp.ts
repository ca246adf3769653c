/**
 * Distances in units in the last place: how many representable values of a dtype lie between two.
 * The bits of a float, read as sign and magnitude, count its values in order, so a distance is a
 * difference of whole numbers; both zeros are one value. See Goldberg, "What every computer
 * scientist should know about floating-point arithmetic", 1991.
 */
import { arrayType, encode, isCoded, isFloat, type Dtype, type Values } from '../numerics/dtypes';
import { PRECISION, valuesOf, type Elements } from './elements';

/** The dtype in whose units two tensors are compared: the coarser; null where one is no float. */
export function ulpDtype(a: Dtype, b: Dtype): Dtype | null {
  if (!isFloat(a) || !isFloat(b)) return null;
  return (PRECISION[a] ?? 0) <= (PRECISION[b] ?? 0) ? a : b;
}

/** The stored bits of the elements in `dtype`: rounded where they are of another. */
function codesOf(elements: Elements, dtype: Dtype, from: number, to: number): Values {
  if (elements.dtype === dtype) return elements.raw.subarray(from, to);
  const values = valuesOf(elements, from, to) as Float32Array;
  if (isCoded(dtype)) {
    const codes = new (arrayType(dtype) as Uint16ArrayConstructor)(values.length);
    encode(dtype, values, codes);
    return codes;
  }
  return dtype === 'float64' ? Float64Array.from(values) : Float32Array.from(values);
}

/**
 * Answers the distance of element `i` (counted from `from`) of the two; NaN where one is not
 * finite.
 */
export type UlpDistance = (i: number) => number;

export function ulpDistances(
  a: Elements,
  b: Elements,
  dtype: Dtype,
  from: number,
  to: number,
): UlpDistance {
  const [x, y] = [codesOf(a, dtype, from, to), codesOf(b, dtype, from, to)];
  switch (dtype) {
    case 'float32': {
      const [p, q] = [wordsOf(x), wordsOf(y)];
      return (i) => narrow(p[i]!, q[i]!, 0x80000000, 0x7f800000);
    }
    case 'float64': {
      const [p, q] = [wordsOf(x), wordsOf(y)];
      return (i) => wide(p[2 * i]!, p[2 * i + 1]!, q[2 * i]!, q[2 * i + 1]!);
    }
    case 'float16':
      return (i) => narrow(Number(x[i]!), Number(y[i]!), 0x8000, 0x7c00);
    case 'bfloat16':
      return (i) => narrow(Number(x[i]!), Number(y[i]!), 0x8000, 0x7f80);
    case 'float8_e5m2':
      return (i) => narrow(Number(x[i]!), Number(y[i]!), 0x80, 0x7c);
    case 'float8_e4m3fn':
      // No infinities: the largest code alone is NaN.
      return (i) => narrow(Number(x[i]!), Number(y[i]!), 0x80, 0x7f);
    default:
      throw new Error(`${dtype} has no units in the last place`);
  }
}

function wordsOf(values: Values): Uint32Array {
  const { buffer, byteOffset, byteLength } = values;
  return new Uint32Array(buffer as ArrayBuffer, byteOffset, byteLength / 4);
}

/** @param infinite the least magnitude that is not finite. */
function narrow(a: number, b: number, sign: number, infinite: number): number {
  const p = a >= sign ? a - sign : a;
  const q = b >= sign ? b - sign : b;
  if (p >= infinite || q >= infinite) return NaN;
  return a >= sign === b >= sign ? Math.abs(p - q) : p + q;
}

const TWO32 = 2 ** 32;
/** Exact below 2⁵³, as near as an f64 above. */
function wide(aLow: number, aHigh: number, bLow: number, bHigh: number): number {
  const [p, q] = [aHigh & 0x7fffffff, bHigh & 0x7fffffff];
  if (p >= 0x7ff00000 || q >= 0x7ff00000) return NaN;
  return aHigh >>> 31 === bHigh >>> 31
    ? Math.abs((p - q) * TWO32 + (aLow - bLow))
    : (p + q) * TWO32 + (aLow + bLow);
}
