/**
 * Intervals of integers, signed: what values an element can have (`3-optimize/ranges.ts`), and the
 * functions that range transfers are made of. Bounds are doubles; a result that could leave ±2⁵³ or
 * its own type's range has the whole range of the type.
 */
import type { DType } from '../types';

export interface Range {
  readonly low: number;
  readonly high: number;
}
export const I32_RANGE: Range = { low: -(2 ** 31), high: 2 ** 31 - 1 };
/** Wider than any double can count exactly; meets every test against narrower ranges with "no". */
const I64_RANGE: Range = { low: -(2 ** 63), high: 2 ** 63 };
const EXACT = 2 ** 53;

export function isWithin(range: Range, outer: Range): boolean {
  return range.low >= outer.low && range.high <= outer.high;
}
export function wholeRange(dtype: DType | undefined): Range {
  switch (dtype) {
    case 'i1':
      return { low: 0, high: 1 };
    case 'i8':
      return { low: -128, high: 127 };
    case 'i16':
      return { low: -32768, high: 32767 };
    case 'i32':
      return I32_RANGE;
    default:
      return I64_RANGE;
  }
}

export const point = (x: number): Range => ({ low: x, high: x });
export const union = (a: Range, b: Range): Range => ({
  low: Math.min(a.low, b.low),
  high: Math.max(a.high, b.high),
});
export const intersect = (a: Range, b: Range): Range => ({
  low: Math.max(a.low, b.low),
  high: Math.min(a.high, b.high),
});
export function hull(a: Range, b: Range, f: (x: number, y: number) => number): Range {
  const corners = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)];
  return { low: Math.min(...corners), high: Math.max(...corners) };
}
export function divide(a: Range, b: Range): Range | undefined {
  if (b.low <= 0) return undefined;
  return hull(a, b, (x, y) => Math.trunc(x / y));
}
export function remainder(a: Range, b: Range): Range | undefined {
  if (b.low <= 0) return undefined;
  const most = b.high - 1;
  return {
    low: a.low >= 0 ? 0 : Math.max(-most, a.low),
    high: a.high <= 0 ? 0 : Math.min(most, a.high),
  };
}
/** A value that may have wrapped, or is no longer exact, can be anything. */
export function clamp(range: Range, whole: Range): Range {
  const exact = Math.abs(range.low) <= EXACT && Math.abs(range.high) <= EXACT;
  return exact && isWithin(range, whole) ? range : whole;
}

type Operand = (index: number) => Range;
/** The operand's interval. */
export const sameRange = (_: unknown, operand: Operand): Range => operand(0);
export const eitherRange = (_: unknown, operand: Operand): Range => union(operand(0), operand(1));
