/**
 * What every elementwise operation computes, for one element. The folder and the interpreter take
 * their semantics from here; the interpreter's fast loops are tested against it.
 *
 * Elements are numbers for floats and for integers up to 32 bits (signed; i1 is 0 or 1) and bigints
 * for i64. Floats are computed in double precision and rounded once to the dtype, which is exact
 * (correctly rounded) for + - * / and sqrt of f32 and narrower, and for `math.fma` by rounding to odd.
 *
 * Where Triton leaves the result open we choose what WGSL does: division by zero gives the dividend,
 * remainder by zero 0, shifts take the amount modulo the width, float to integer saturates at 32 (or
 * 64) bits and then wraps.
 */
import type { Attribute } from './ir';
import { roundFloat, scalarBits, scalarFromBits, wrapInteger } from './numbers';
import { erf, fma, fma64, powFloat, roundAway, roundEven } from './functions';
import type { OpName } from './ops';
import type { DType } from './types';
import { bitWidth, isFloat } from './types';

export type Element = number | bigint;
export type ElementFunction = (a: Element, b: Element, c: Element) => Element;

type Narrow = (a: number, b: number, width: number) => number;
type Wide = (a: bigint, b: bigint) => bigint;
type FloatFunction = (a: number, b: number, c: number) => number;

type Semantics =
  /** Of integers up to 32 bits (the result is wrapped after) and of i64 (likewise). */
  | { readonly kind: 'integer'; readonly narrow: Narrow; readonly wide: Wide }
  /** In double precision; rounded after. */
  | { readonly kind: 'float'; readonly f: FloatFunction }
  /** Needs dtypes or attributes. */
  | { readonly kind: 'special'; readonly make: (context: ElementContext) => ElementFunction };

export interface ElementContext {
  /** Of the first operand; pointers count as i64. */
  readonly from: DType;
  /** Of the result. */
  readonly to: DType;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** Reads a signed value of this width as unsigned. */
export function unsigned(width: number, x: number): number {
  return width === 32 ? x >>> 0 : x & ((1 << width) - 1);
}
const u64 = (x: bigint) => BigInt.asUintN(64, x);
/** i1 holds 0 or 1; as a signed number it is 0 or -1. */
const s = (x: number, width: number) => (width === 1 ? -x : x);

const integer = (narrow: Narrow, wide: Wide): Semantics => ({ kind: 'integer', narrow, wide });
const float = (f: FloatFunction): Semantics => ({ kind: 'float', f });
const special = (make: (context: ElementContext) => ElementFunction): Semantics => ({
  kind: 'special',
  make,
});

function maximum(a: number, b: number): number {
  return Number.isNaN(a) ? a : Number.isNaN(b) ? b : Math.max(a, b);
}
function minimum(a: number, b: number): number {
  return Number.isNaN(a) ? a : Number.isNaN(b) ? b : Math.min(a, b);
}
const maxnum: FloatFunction = (a, b) => (a !== a ? b : b !== b ? a : Math.max(a, b));
const minnum: FloatFunction = (a, b) => (a !== a ? b : b !== b ? a : Math.min(a, b));

type Compare = (a: Element, b: Element) => boolean;
const INT_PREDICATES: Record<string, [signed: boolean, Compare]> = {
  eq: [true, (a, b) => a === b],
  ne: [true, (a, b) => a !== b],
  slt: [true, (a, b) => a < b],
  sle: [true, (a, b) => a <= b],
  sgt: [true, (a, b) => a > b],
  sge: [true, (a, b) => a >= b],
  ult: [false, (a, b) => a < b],
  ule: [false, (a, b) => a <= b],
  ugt: [false, (a, b) => a > b],
  uge: [false, (a, b) => a >= b],
};
const FLOAT_PREDICATES: Record<string, Compare> = {
  oeq: (a, b) => a === b,
  ogt: (a, b) => a > b,
  oge: (a, b) => a >= b,
  olt: (a, b) => a < b,
  ole: (a, b) => a <= b,
  une: (a, b) => a !== b,
};

/** To the range of a dtype from an exact integer. */
function wrapTo(dtype: DType, x: Element): Element {
  if (dtype === 'i64') return BigInt.asIntN(64, BigInt(x));
  if (typeof x === 'bigint') x = Number(BigInt.asIntN(32, x));
  return dtype === 'i1' ? x & 1 : wrapInteger(bitWidth(dtype), x);
}
function asUnsigned(dtype: DType, x: Element): Element {
  return typeof x === 'bigint' ? u64(x) : unsigned(bitWidth(dtype), x);
}
function asSigned(dtype: DType, x: Element): Element {
  return dtype === 'i1' ? -(x as number) : x;
}
const LIMITS = { signed: 2n ** 63n, unsigned: 2n ** 64n };
function floatToInteger(from: DType, to: DType, x: number, isSigned: boolean): Element {
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
function integerToFloat(to: DType, x: Element): number {
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

const SPECIAL_SELECT = special(() => (condition, yes, no) => (condition ? yes : no));
const TO_FLOAT = special(({ to, attributes }) => {
  if (!isFloat(to)) throw new Error(`${to} is no float`);
  const mode = attributes['rounding'] === 'rtz' ? 'rtz' : 'rtne';
  return (x) => roundFloat(to, x as number, mode);
});

/** Operations of tiles as wholes, of memory and of control: no meaning for one element. */
type Structural =
  | 'arith.constant'
  | `scf.${string}`
  | `ttg.${string}`
  | `gpu.${string}`
  | 'tt.get_program_id'
  | 'tt.get_num_programs'
  | 'tt.make_range'
  | 'tt.addptr'
  | 'tt.splat'
  | 'tt.unsplat'
  | 'tt.broadcast'
  | 'tt.expand_dims'
  | 'tt.reshape'
  | 'tt.trans'
  | 'tt.join'
  | 'tt.split'
  | 'tt.cat'
  | 'tt.gather'
  | 'tt.load'
  | 'tt.store'
  | 'tt.atomic_rmw'
  | 'tt.atomic_cas'
  | 'tt.dot'
  | 'tt.reduce'
  | 'tt.reduce.return'
  | 'tt.scan'
  | 'tt.scan.return'
  | 'tt.sort'
  | 'tt.sort.return'
  | 'tt.map_elementwise'
  | 'tt.map_elementwise.return'
  | 'tt.histogram'
  | 'tt.return'
  | 'tt.print'
  | 'tt.assert'
  | 'tt.bitcast'
  | 'tt.int_to_ptr'
  | 'tt.ptr_to_int';

const SEMANTICS: Record<Exclude<OpName, Structural>, Semantics> = {
  'arith.addi': integer(
    (a, b) => a + b,
    (a, b) => a + b,
  ),
  'arith.subi': integer(
    (a, b) => a - b,
    (a, b) => a - b,
  ),
  'arith.muli': integer(Math.imul, (a, b) => a * b),
  'arith.divsi': integer(
    (a, b, w) => (b === 0 ? a : s(a, w) / s(b, w)),
    (a, b) => (b === 0n ? a : a / b),
  ),
  'arith.divui': integer(
    (a, b, w) => (b === 0 ? a : Math.floor(unsigned(w, a) / unsigned(w, b))),
    (a, b) => (b === 0n ? a : u64(a) / u64(b)),
  ),
  'arith.remsi': integer(
    (a, b) => (b === 0 ? 0 : a % b),
    (a, b) => (b === 0n ? 0n : a % b),
  ),
  'arith.remui': integer(
    (a, b, w) => (b === 0 ? 0 : unsigned(w, a) % unsigned(w, b)),
    (a, b) => (b === 0n ? 0n : u64(a) % u64(b)),
  ),
  'arith.andi': integer(
    (a, b) => a & b,
    (a, b) => a & b,
  ),
  'arith.ori': integer(
    (a, b) => a | b,
    (a, b) => a | b,
  ),
  'arith.xori': integer(
    (a, b) => a ^ b,
    (a, b) => a ^ b,
  ),
  'arith.shli': integer(
    (a, b, w) => a << (b & (w - 1)),
    (a, b) => a << (b & 63n),
  ),
  'arith.shrsi': integer(
    (a, b, w) => a >> (b & (w - 1)),
    (a, b) => a >> (b & 63n),
  ),
  'arith.shrui': integer(
    (a, b, w) => unsigned(w, a) >>> (b & (w - 1)),
    (a, b) => u64(a) >> (b & 63n),
  ),
  'arith.maxsi': integer(
    (a, b, w) => (s(a, w) > s(b, w) ? a : b),
    (a, b) => (a > b ? a : b),
  ),
  'arith.minsi': integer(
    (a, b, w) => (s(a, w) < s(b, w) ? a : b),
    (a, b) => (a < b ? a : b),
  ),
  'arith.maxui': integer(
    (a, b, w) => (unsigned(w, a) > unsigned(w, b) ? a : b),
    (a, b) => (u64(a) > u64(b) ? a : b),
  ),
  'arith.minui': integer(
    (a, b, w) => (unsigned(w, a) < unsigned(w, b) ? a : b),
    (a, b) => (u64(a) < u64(b) ? a : b),
  ),
  'tt.mulhiui': integer(
    (a, b, w) => Number((BigInt(unsigned(w, a)) * BigInt(unsigned(w, b))) >> BigInt(w)),
    (a, b) => (u64(a) * u64(b)) >> 64n,
  ),
  'math.absi': integer(
    (a) => Math.abs(a),
    (a) => (a < 0n ? -a : a),
  ),
  'arith.addf': float((a, b) => a + b),
  'arith.subf': float((a, b) => a - b),
  'arith.mulf': float((a, b) => a * b),
  'arith.divf': float((a, b) => a / b),
  'tt.precise_divf': float((a, b) => a / b),
  'arith.remf': float((a, b) => a % b),
  'arith.negf': float((a) => -a),
  'arith.maximumf': float(maximum),
  'arith.maxnumf': float(maxnum),
  'arith.minimumf': float(minimum),
  'arith.minnumf': float(minnum),
  'tt.clampf': special(({ attributes }) => {
    const all = attributes['propagateNan'] === 'all';
    return (x, low, high) => {
      const [a, b, c] = [x as number, low as number, high as number];
      return all ? minimum(maximum(a, b), c) : minnum(maxnum(a, b, 0), c, 0);
    };
  }),
  'tt.precise_sqrt': float(Math.sqrt),
  'arith.cmpi': special(({ from, attributes }) => {
    const [isSigned, compare] = INT_PREDICATES[String(attributes['predicate'])]!;
    const read = isSigned ? asSigned : asUnsigned;
    return (a, b) => (compare(read(from, a), read(from, b)) ? 1 : 0);
  }),
  'arith.cmpf': special(({ attributes }) => {
    const compare = FLOAT_PREDICATES[String(attributes['predicate'])]!;
    return (a, b) => (compare(a, b) ? 1 : 0);
  }),
  'arith.select': SPECIAL_SELECT,
  'arith.extsi': special(
    ({ from, to }) =>
      (x) =>
        wrapTo(to, asSigned(from, x)),
  ),
  'arith.extui': special(
    ({ from, to }) =>
      (x) =>
        wrapTo(to, asUnsigned(from, x)),
  ),
  'arith.trunci': special(
    ({ to }) =>
      (x) =>
        wrapTo(to, x),
  ),
  'arith.extf': TO_FLOAT,
  'arith.truncf': TO_FLOAT,
  'tt.fp_to_fp': TO_FLOAT,
  'arith.sitofp': special(
    ({ from, to }) =>
      (x) =>
        integerToFloat(to, asSigned(from, x)),
  ),
  'arith.uitofp': special(
    ({ from, to }) =>
      (x) =>
        integerToFloat(to, asUnsigned(from, x)),
  ),
  'arith.fptosi': special(
    ({ from, to }) =>
      (x) =>
        floatToInteger(from, to, x as number, true),
  ),
  'arith.fptoui': special(
    ({ from, to }) =>
      (x) =>
        floatToInteger(from, to, x as number, false),
  ),
  'arith.bitcast': special(({ from, to }) => (x) => {
    const value = scalarFromBits(to, scalarBits(from, x));
    return typeof value === 'boolean' ? Number(value) : value;
  }),
  'math.exp': float(Math.exp),
  'math.exp2': float((x) => 2 ** x),
  'math.log': float(Math.log),
  'math.log2': float(Math.log2),
  'math.log1p': float(Math.log1p),
  'math.expm1': float(Math.expm1),
  'math.sin': float(Math.sin),
  'math.cos': float(Math.cos),
  'math.tan': float(Math.tan),
  'math.asin': float(Math.asin),
  'math.acos': float(Math.acos),
  'math.atan': float(Math.atan),
  'math.atan2': float(Math.atan2),
  'math.sinh': float(Math.sinh),
  'math.cosh': float(Math.cosh),
  'math.tanh': float(Math.tanh),
  'math.powf': float(powFloat),
  'math.sqrt': float(Math.sqrt),
  'math.rsqrt': float((x) => 1 / Math.sqrt(x)),
  'math.erf': float(erf),
  'math.floor': float(Math.floor),
  'math.ceil': float(Math.ceil),
  'math.round': float(roundAway),
  'math.roundeven': float(roundEven),
  'math.trunc': float(Math.trunc),
  'math.absf': float(Math.abs),
  'math.fma': special(({ to }) => {
    if (!isFloat(to)) throw new Error(`${to} is no float`);
    if (to === 'f64') return (x, y, z) => fma64(x as number, y as number, z as number);
    return (x, y, z) => roundFloat(to, fma(x as number, y as number, z as number));
  }),
};

/** Does the operation work element by element with the semantics of this table? */
export function isEvaluable(name: OpName): name is keyof typeof SEMANTICS {
  return Object.hasOwn(SEMANTICS, name);
}

/** The element function of an operation; undefined for structural operations. */
export function elementFunction(
  name: OpName,
  context: ElementContext,
): ElementFunction | undefined {
  if (!isEvaluable(name)) return undefined;
  const semantics: Semantics = SEMANTICS[name];
  const { from, to } = context;
  switch (semantics.kind) {
    case 'integer': {
      const { narrow, wide } = semantics;
      if (from === 'i64') return (a, b) => BigInt.asIntN(64, wide(a as bigint, b as bigint));
      const width = bitWidth(from);
      return (a, b) => wrapTo(to, Math.trunc(narrow(a as number, b as number, width)) | 0);
    }
    case 'float': {
      const { f } = semantics;
      if (!isFloat(to)) throw new Error(`${name} makes ${to}`);
      if (to === 'f64') return f as ElementFunction;
      if (to === 'f32') return (a, b, c) => Math.fround(f(a as number, b as number, c as number));
      return (a, b, c) => roundFloat(to, f(a as number, b as number, c as number));
    }
    case 'special':
      return semantics.make(context);
    default:
      return semantics satisfies never;
  }
}
