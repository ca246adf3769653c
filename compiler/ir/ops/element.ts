/**
 * Element semantics: what an elementwise operation computes for one element. The folder and the
 * interpreter take their semantics from here; the interpreter's loops are tested against it.
 *
 * Elements are numbers for floats and for integers up to 32 bits (signed; i1 is 0 or 1) and bigints
 * for i64. Floats are computed in double precision and rounded once to the dtype, which is exact
 * (correctly rounded) for + - * / and sqrt of f32 and narrower, and for `math.fma` by rounding to
 * odd.
 *
 * Where Triton leaves the result open we choose what WGSL does: division by zero gives the
 * dividend, remainder by zero 0, shifts take the amount modulo the width, float to integer
 * saturates at 32 (or 64) bits and then wraps.
 */
import { roundFloat, wrapInteger } from '../numbers';
import type { DType } from '../types';
import { bitWidth, isFloat } from '../types';
import type { AnyAttributes } from './definition';

export type Element = number | bigint;
export type ElementFunction = (a: Element, b: Element, c: Element) => Element;

type Narrow = (a: number, b: number, width: number) => number;
type Wide = (a: bigint, b: bigint) => bigint;
type FloatFunction = (a: number, b: number, c: number) => number;

export type Semantics<A = AnyAttributes> =
  /** On integers up to 32 bits (the result is wrapped after) and on i64 (likewise). */
  | { readonly kind: 'integer'; readonly narrow: Narrow; readonly wide: Wide }
  /** In double precision; rounded after. */
  | { readonly kind: 'float'; readonly f: FloatFunction }
  /** Needs dtypes or attributes. */
  | { readonly kind: 'special'; make(context: ElementContext<A>): ElementFunction };

export interface ElementContext<A = AnyAttributes> {
  /** Type of the first operand; pointers count as i64. */
  readonly from: DType;
  /** Type of the result. */
  readonly to: DType;
  readonly attributes: A;
}

/** Reads a signed value of this width as unsigned. */
export function unsigned(width: number, x: number): number {
  return width === 32 ? x >>> 0 : x & ((1 << width) - 1);
}
export const u64 = (x: bigint) => BigInt.asUintN(64, x);
/** i1 holds 0 or 1; as a signed number it is 0 or -1. */
export const signedIn = (x: number, width: number) => (width === 1 ? -x : x);

export const wrapping = (narrow: Narrow, wide: Wide): Semantics => ({
  kind: 'integer',
  narrow,
  wide,
});
export const float = (f: FloatFunction): Semantics => ({ kind: 'float', f });
export const special = <A = AnyAttributes>(
  make: (context: ElementContext<A>) => ElementFunction,
): Semantics<A> => ({ kind: 'special', make });

export function maximum(a: number, b: number): number {
  return Number.isNaN(a) ? a : Number.isNaN(b) ? b : Math.max(a, b);
}
export function minimum(a: number, b: number): number {
  return Number.isNaN(a) ? a : Number.isNaN(b) ? b : Math.min(a, b);
}
export function maxnum(a: number, b: number): number {
  return Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.max(a, b);
}
export function minnum(a: number, b: number): number {
  return Number.isNaN(a) ? b : Number.isNaN(b) ? a : Math.min(a, b);
}

/** To the range of a dtype from an exact integer. */
export function wrapTo(dtype: DType, x: Element): Element {
  if (dtype === 'i64') return BigInt.asIntN(64, BigInt(x));
  if (typeof x === 'bigint') x = Number(BigInt.asIntN(32, x));
  return dtype === 'i1' ? x & 1 : wrapInteger(bitWidth(dtype), x);
}
export function asUnsigned(dtype: DType, x: Element): Element {
  return typeof x === 'bigint' ? u64(x) : unsigned(bitWidth(dtype), x);
}
export function asSigned(dtype: DType, x: Element): Element {
  return dtype === 'i1' ? -(x as number) : x;
}
const LIMITS = { signed: 2n ** 63n, unsigned: 2n ** 64n };
export function floatToInteger(from: DType, to: DType, x: number, isSigned: boolean): Element {
  // As in PTX: the highest bit alone where either side has 64 bits, else 0.
  if (x !== x) return to === 'i64' ? -(2n ** 63n) : from === 'f64' ? wrapTo(to, -(2 ** 31)) : 0;
  const t = Math.trunc(x);
  if (to === 'i64') {
    const [low, high] = isSigned
      ? [-LIMITS.signed, LIMITS.signed - 1n]
      : [0n, LIMITS.unsigned - 1n];
    if (t <= Number(low)) return BigInt.asIntN(64, low);
    return BigInt.asIntN(64, t >= Number(high) ? high : BigInt(t));
  }
  const [low, high] = isSigned ? [-(2 ** 31), 2 ** 31 - 1] : [0, 2 ** 32 - 1];
  return wrapTo(to, Math.min(Math.max(t, low), high) | 0);
}
/** An integer as the nearest float of the dtype, rounded once. */
export function integerToFloat(to: DType, x: Element): number {
  if (!isFloat(to)) throw new Error(`${to} is no float`);
  if (typeof x === 'number') return roundFloat(to, x);
  if (BigInt(Number(x)) === x) return roundFloat(to, Number(x));
  // Beyond 2⁵³: keep the top bits and a sticky bit, so that the second rounding sees the remainder.
  const negative = x < 0n;
  const magnitude = negative ? -x : x;
  if (to === 'f64') return Number(x);
  const shift = BigInt(magnitude.toString(2).length - 40);
  const sticky = magnitude & ((1n << shift) - 1n) ? 1n : 0n;
  const value = Number(((magnitude >> shift) << 1n) | sticky) * 2 ** (Number(shift) - 1);
  return roundFloat(to, negative ? -value : value);
}
