/** Comparison of two tensors in the ring: their payloads are equal or they are not. */
import { isFloat, type Dtype } from '../dtypes';
import { loadAs, load, type Operand } from '../operands';
import type { Comparison } from '../compare';
import { shown } from '../compare';
import { bitsDtype, payloadsOfBits } from './index';
import { payloadsOf, type FloatDtype } from './rings';

interface Side {
  readonly operand: Operand;
  readonly bytes: Uint8Array | null;
}

/**
 * Both have one shape. Formats of two widths are compared in the narrower, since a conversion cuts;
 * integers and truth values in the dtype `c` of both.
 */
export function compareBits(actual: Side, expected: Side, c: Dtype): Comparison {
  const width = Math.min(widthOf(actual.operand.d), widthOf(expected.operand.d));
  const [x, y] = [wordsOf(actual, width, c), wordsOf(expected, width, c)];
  let [mismatches, first] = [0, -1];
  for (let i = 0; i < x.length; i++) {
    if (x[i] === y[i]) continue;
    mismatches++;
    if (first < 0) first = i;
  }
  const value = ({ operand, bytes }: Side): number =>
    Number(loadAs(operand, bytes, 'float64')[first]);
  const none = { worstAbsolute: 0, worstAbsoluteAt: 0, worstRelative: 0, worstRelativeAt: 0 };
  return {
    mismatches,
    first,
    firstActual: first < 0 ? 0 : shown(value(actual)),
    firstExpected: first < 0 ? 0 : shown(value(expected)),
    maxAbsolute: mismatches ? 'nan' : 0,
    maxRelative: null,
    ...none,
    nanMismatches: 0,
    toleranceUsed: null,
    roundingShare: null,
    heatmap: null,
  };
}

/** Digest of a side's bits, row by row. */
export function digestOf({ operand, bytes }: Side): string {
  const d = isFloat(operand.d) ? bitsDtype(operand.d) : operand.d;
  let [a, b] = [0x811c9dc5, 0x2f0b4c27];
  const values = load({ ...operand, d }, bytes);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    const [low, high] =
      typeof value === 'bigint'
        ? [Number(BigInt.asIntN(32, value)), Number(BigInt.asIntN(32, value >> 32n))]
        : [value, 0];
    a = Math.imul(a ^ low, 0x01000193) ^ (a >>> 15);
    b = Math.imul(b ^ high ^ a, 0x85ebca6b) ^ (b >>> 13);
  }
  return (a >>> 0).toString(16).padStart(8, '0') + (b >>> 0).toString(16).padStart(8, '0');
}

function widthOf(dtype: Dtype): number {
  return isFloat(dtype) ? payloadsOf(dtype as FloatDtype).width : 64;
}

/** Payloads cut to `width` bits; of integers, themselves. */
function wordsOf({ operand, bytes }: Side, width: number, c: Dtype): ArrayLike<number | bigint> {
  if (!isFloat(operand.d)) return loadAs(operand, bytes, c);
  const own = widthOf(operand.d);
  if (own === 64) {
    const payloads = payloadsOfBits(operand, bytes, 64) as BigInt64Array;
    return width === 64
      ? payloads
      : Array.from(payloads, (each) => Number(BigInt.asIntN(width, each)));
  }
  const payloads = payloadsOfBits(operand, bytes, 32) as Int32Array;
  const cut = 32 - width;
  return cut === 0 ? payloads : Array.from(payloads, (each) => (each << cut) >> cut);
}
