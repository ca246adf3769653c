/**
 * Elementwise operations. A float result is computed in f64 and rounded once to f32 (and from there
 * to f16, bf16 …), so it is at least as exact as PyTorch's own CPU kernels; integers wrap at their
 * width; 64-bit integers are exact.
 *
 * These loops are the reference of `kernels/`, which compute large tensors of common dtypes.
 */
import { computeArray, isBig, isFloat, roundTo } from './dtypes';
import type { BigArray, Dtype, NumberArray, Values } from './dtypes';
import * as bessel from './bessel';
import { digamma, erf, erfc, erfinv, gamma, lgamma } from './special';

type Unary = (x: number) => number;
type Binary = (a: number, b: number) => number;
type BigBinary = (a: bigint, b: bigint) => bigint | boolean;

/** Round half to even. */
function rint(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest < 0.5) return floor === 0 && Object.is(Math.sign(x), -0) ? -0 : floor;
  if (rest > 0.5) return floor + 1 === 0 ? -0 : floor + 1;
  const even = floor % 2 === 0 ? floor : floor + 1;
  return even === 0 && x < 0 ? -0 : even;
}

const UNARY: Readonly<Record<string, Unary>> = {
  neg: (x) => -x,
  abs: Math.abs,
  exp: Math.exp,
  exp2: (x) => 2 ** x,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log10: Math.log10,
  log1p: Math.log1p,
  sqrt: Math.sqrt,
  rsqrt: (x) => 1 / Math.sqrt(x),
  sin: Math.sin,
  cos: Math.cos,
  tan: Math.tan,
  asin: Math.asin,
  acos: Math.acos,
  atan: Math.atan,
  sinh: Math.sinh,
  cosh: Math.cosh,
  tanh: Math.tanh,
  asinh: Math.asinh,
  acosh: Math.acosh,
  atanh: Math.atanh,
  erf,
  erfc,
  lgamma,
  gamma,
  digamma,
  erfinv,
  i0: bessel.besselI0,
  i0e: bessel.besselI0e,
  i1: bessel.besselI1,
  i1e: bessel.besselI1e,
  bessel_j0: bessel.besselJ0,
  bessel_j1: bessel.besselJ1,
  bessel_y0: bessel.besselY0,
  bessel_y1: bessel.besselY1,
  modified_bessel_k0: bessel.besselK0,
  modified_bessel_k1: bessel.besselK1,
  scaled_modified_bessel_k0: bessel.scaledBesselK0,
  scaled_modified_bessel_k1: bessel.scaledBesselK1,
  spherical_bessel_j0: bessel.sphericalBesselJ0,
  sigmoid: (x) => 1 / (1 + Math.exp(-x)),
  floor: Math.floor,
  ceil: Math.ceil,
  round: rint,
  trunc: Math.trunc,
  frac: (x) => x - Math.trunc(x),
  sign: (x) => (x > 0 ? 1 : x < 0 ? -1 : 0),
  reciprocal: (x) => 1 / x,
  square: (x) => x * x,
  relu: (x) => (x > 0 ? x : x !== x ? x : 0),
  gelu: (x) => x * 0.5 * (1 + erf(x * Math.SQRT1_2)),
  gelu_tanh: (x) => 0.5 * x * (1 + Math.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * x * x))),
  silu: (x) => x / (1 + Math.exp(-x)),
  softplus: (x) => (x > 20 ? x : Math.log1p(Math.exp(x))),
  logical_not: (x) => (x === 0 ? 1 : 0),
  bitwise_not: (x) => ~x,
  isnan: (x) => (x !== x ? 1 : 0),
  isinf: (x) => (x === Infinity || x === -Infinity ? 1 : 0),
  isfinite: (x) => (Number.isFinite(x) ? 1 : 0),
  signbit: (x) => (x < 0 || Object.is(x, -0) ? 1 : 0),
  positive: (x) => x,
};

const BIG_UNARY: Readonly<Record<string, (x: bigint) => bigint | boolean>> = {
  neg: (x) => -x,
  abs: (x) => (x < 0n ? -x : x),
  sign: (x) => (x > 0n ? 1n : x < 0n ? -1n : 0n),
  square: (x) => x * x,
  relu: (x) => (x > 0n ? x : 0n),
  floor: (x) => x,
  ceil: (x) => x,
  round: (x) => x,
  trunc: (x) => x,
  logical_not: (x) => x === 0n,
  bitwise_not: (x) => ~x,
  isnan: () => false,
  isinf: () => false,
  isfinite: () => true,
  signbit: (x) => x < 0n,
  positive: (x) => x,
};

/** Python's `%`: the sign of the divisor. */
function remainder(a: number, b: number): number {
  const r = a % b;
  return r !== 0 && r < 0 !== b < 0 ? r + b : r;
}

function floorDivide(a: number, b: number): number {
  if (b === 0) return a / b;
  const mod = a % b;
  let quotient = (a - mod) / b;
  if (mod !== 0 && b < 0 !== mod < 0) quotient -= 1;
  if (quotient === 0) return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

const BINARY: Readonly<Record<string, Binary>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  floor_divide: floorDivide,
  trunc_divide: (a, b) => Math.trunc(a / b),
  remainder,
  fmod: (a, b) => a % b,
  // C's pow(1, NaN) and pow(-1, ±inf) are 1; JavaScript's are NaN.
  pow: (a, b) => (a === 1 || (a === -1 && Math.abs(b) === Infinity) ? 1 : a ** b),
  maximum: (a, b) => (a !== a ? a : b !== b ? b : a > b ? a : b),
  minimum: (a, b) => (a !== a ? a : b !== b ? b : a < b ? a : b),
  fmax: (a, b) => (a !== a ? b : b !== b ? a : a > b ? a : b),
  fmin: (a, b) => (a !== a ? b : b !== b ? a : a < b ? a : b),
  atan2: Math.atan2,
  hypot: (a, b) => Math.hypot(a, b),
  copysign: (a, b) => (b < 0 || Object.is(b, -0) ? -Math.abs(a) : Math.abs(a)),
  eq: (a, b) => (a === b ? 1 : 0),
  ne: (a, b) => (a !== b ? 1 : 0),
  lt: (a, b) => (a < b ? 1 : 0),
  le: (a, b) => (a <= b ? 1 : 0),
  gt: (a, b) => (a > b ? 1 : 0),
  ge: (a, b) => (a >= b ? 1 : 0),
  logical_and: (a, b) => (a !== 0 && b !== 0 ? 1 : 0),
  logical_or: (a, b) => (a !== 0 || b !== 0 ? 1 : 0),
  logical_xor: (a, b) => ((a !== 0) !== (b !== 0) ? 1 : 0),
  bitwise_and: (a, b) => a & b,
  bitwise_or: (a, b) => a | b,
  bitwise_xor: (a, b) => a ^ b,
  shift_left: (a, b) => (b >= 32 || b < 0 ? 0 : a << b),
  shift_right: (a, b) => (b >= 32 || b < 0 ? (a < 0 ? -1 : 0) : a >> b),
  xlogy: (a, b) => (a === 0 && b === b ? 0 : a * Math.log(b)),
};

function bigFloorDivide(a: bigint, b: bigint): bigint {
  if (b === 0n) throw new Error('ZeroDivisionError');
  const q = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? q - 1n : q;
}

const BIG_BINARY: Readonly<Record<string, BigBinary>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  floor_divide: bigFloorDivide,
  trunc_divide: (a, b) => {
    if (b === 0n) throw new Error('ZeroDivisionError');
    return a / b;
  },
  remainder: (a, b) => a - b * bigFloorDivide(a, b),
  fmod: (a, b) => {
    if (b === 0n) throw new Error('ZeroDivisionError');
    return a % b;
  },
  pow: bigPow,
  maximum: (a, b) => (a > b ? a : b),
  minimum: (a, b) => (a < b ? a : b),
  fmax: (a, b) => (a > b ? a : b),
  fmin: (a, b) => (a < b ? a : b),
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
  lt: (a, b) => a < b,
  le: (a, b) => a <= b,
  gt: (a, b) => a > b,
  ge: (a, b) => a >= b,
  logical_and: (a, b) => a !== 0n && b !== 0n,
  logical_or: (a, b) => a !== 0n || b !== 0n,
  logical_xor: (a, b) => (a !== 0n) !== (b !== 0n),
  bitwise_and: (a, b) => a & b,
  bitwise_or: (a, b) => a | b,
  bitwise_xor: (a, b) => a ^ b,
  shift_left: (a, b) => (b >= 64n || b < 0n ? 0n : a << b),
  shift_right: (a, b) => (b >= 64n || b < 0n ? (a < 0n ? -1n : 0n) : a >> b),
};

/** Wraps at 64 bits on the way, as repeated multiplication of int64 does. */
function bigPow(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n)
    return base === 1n ? 1n : base === -1n ? (exponent % 2n === 0n ? 1n : -1n) : 0n;
  let result = 1n;
  let square = base;
  for (let e = exponent; e > 0n; e >>= 1n) {
    if (e & 1n) result = BigInt.asIntN(64, result * square);
    square = BigInt.asIntN(64, square * square);
  }
  return result;
}

/** Results that are 0 or 1 whatever the operands are. */
const BOOLEAN = new Set(
  'eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan isinf isfinite signbit'.split(
    ' ',
  ),
);
export function resultDtype(name: string, compute: Dtype): Dtype {
  return BOOLEAN.has(name) ? 'bool' : compute;
}

/** The function of one element in f64, for the elements that a kernel does not compute itself. */
export function reference(op: string, name: string): Unary | Binary | undefined {
  return op === 'unary' ? UNARY[name] : op === 'binary' ? BINARY[name] : undefined;
}

/** @returns the results in `resultDtype(name, dtype)`'s compute form. */
export function unary(name: string, x: Values, dtype: Dtype): Values {
  const result = resultDtype(name, dtype);
  const out = computeArray(result, x.length);
  if (isBig(x)) {
    const f = BIG_UNARY[name];
    if (!f) throw new Error(`"${name}" not implemented for '${dtype}'`);
    if (isBig(out)) for (let i = 0; i < x.length; i++) out[i] = f(x[i]!) as bigint;
    else for (let i = 0; i < x.length; i++) out[i] = Number(f(x[i]!));
    return out;
  }
  const f = UNARY[name];
  if (!f) throw new Error(`"${name}" not implemented for '${dtype}'`);
  const to = out as NumberArray;
  if (name === 'square' && !isFloat(dtype))
    for (let i = 0; i < x.length; i++) to[i] = Math.imul(x[i]!, x[i]!);
  else for (let i = 0; i < x.length; i++) to[i] = f(x[i]!);
  if (dtype === 'bool' && result === 'bool') for (let i = 0; i < x.length; i++) to[i]! &= 1;
  roundTo(result, out);
  return out;
}

/** Operands of length 1 are repeated. */
export function binary(name: string, a: Values, b: Values, n: number, dtype: Dtype): Values {
  const result = resultDtype(name, dtype);
  const out = computeArray(result, n);
  const sa = a.length === 1 ? 0 : 1;
  const sb = b.length === 1 ? 0 : 1;
  if (isBig(a) || isBig(b)) {
    bigBinary(name, a as BigArray, sa, b as BigArray, sb, out, dtype);
    return out;
  }
  const to = out as NumberArray;
  switch (name) {
    case 'add':
      for (let i = 0; i < n; i++) to[i] = a[i * sa]! + b[i * sb]!;
      break;
    case 'sub':
      for (let i = 0; i < n; i++) to[i] = a[i * sa]! - b[i * sb]!;
      break;
    case 'mul':
      // A product of two 32-bit integers does not fit f64.
      if (dtype === 'int32' || dtype === 'uint32')
        for (let i = 0; i < n; i++) to[i] = Math.imul(a[i * sa]!, b[i * sb]!);
      else for (let i = 0; i < n; i++) to[i] = a[i * sa]! * b[i * sb]!;
      break;
    case 'div':
      for (let i = 0; i < n; i++) to[i] = a[i * sa]! / b[i * sb]!;
      break;
    default:
      generalBinary(name, a as NumberArray, sa, b as NumberArray, sb, to, dtype);
  }
  if (result === 'bool') for (let i = 0; i < n; i++) to[i] = to[i] ? 1 : 0;
  roundTo(result, out);
  return out;
}

function generalBinary(
  name: string,
  a: NumberArray,
  sa: number,
  b: NumberArray,
  sb: number,
  out: NumberArray,
  dtype: Dtype,
): void {
  const f = BINARY[name];
  if (!f) throw new Error(`"${name}" not implemented for '${dtype}'`);
  if (!isFloat(dtype) && /divide|remainder|fmod/.test(name)) {
    for (let i = 0; i < b.length; i++) if (b[i] === 0) throw new Error('ZeroDivisionError');
  }
  if (!isFloat(dtype) && name === 'pow') {
    // Exact through 64 bits, then wrapped.
    for (let i = 0; i < out.length; i++) {
      const exact = bigPow(BigInt(a[i * sa]!), BigInt(b[i * sb]!));
      out[i] = Number(BigInt.asUintN(32, exact));
    }
    return;
  }
  if (name === 'shift_right' && dtype === 'uint32') {
    for (let i = 0; i < out.length; i++) out[i] = b[i * sb]! >= 32 ? 0 : a[i * sa]! >>> b[i * sb]!;
    return;
  }
  for (let i = 0; i < out.length; i++) out[i] = f(a[i * sa]!, b[i * sb]!);
}

function bigBinary(
  name: string,
  a: BigArray,
  sa: number,
  b: BigArray,
  sb: number,
  out: Values,
  dtype: Dtype,
): void {
  const f = BIG_BINARY[name];
  if (!f) throw new Error(`"${name}" not implemented for '${dtype}'`);
  if (isBig(out)) for (let i = 0; i < out.length; i++) out[i] = f(a[i * sa]!, b[i * sb]!) as bigint;
  else for (let i = 0; i < out.length; i++) out[i] = Number(f(a[i * sa]!, b[i * sb]!));
}

/** `condition ? a : b`, element by element; operands of length 1 are repeated. */
export function where(condition: Values, a: Values, b: Values, n: number, dtype: Dtype): Values {
  const out = computeArray(dtype, n) as Float32Array;
  const flags = condition as NumberArray;
  const x = a as Float32Array;
  const y = b as Float32Array;
  const sc = condition.length === 1 ? 0 : 1;
  const sx = a.length === 1 ? 0 : 1;
  const sy = b.length === 1 ? 0 : 1;
  for (let i = 0; i < n; i++) out[i] = flags[i * sc] ? x[i * sx]! : y[i * sy]!;
  return out;
}
