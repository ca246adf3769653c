/**
 * Python's `math` on compile-time values: what a kernel may call of it, as Triton lets it. Whole
 * numbers are bigints, floats numbers. Where Python raises, these throw its words.
 */
import type { MathFunction } from '../1-parse/moduleScope';
import { powFloat } from '../ir/functions';

type Real = number | bigint;

const DOMAIN = 'math domain error';

function toFloat(x: Real): number {
  const value = Number(x);
  if (typeof x === 'bigint' && !Number.isFinite(value))
    throw new Error('int too large to convert to float');
  return value;
}

/**
 * As CPython calls C: a NaN that no argument is raises, and so does infinity of finite arguments.
 */
const number = (f: (...xs: number[]) => number, ofInfinity = 'math range error') => {
  return (...args: Real[]): number => {
    const values = args.map(toFloat);
    const found = f(...values);
    if (Number.isNaN(found) && !values.some(Number.isNaN)) throw new Error(DOMAIN);
    if (Math.abs(found) === Infinity && values.every(Number.isFinite)) throw new Error(ofInfinity);
    return found;
  };
};

/** Above 0, of whole numbers beyond a float's range too. */
const logarithm = (f: (x: number) => number, bit: number) => {
  return (x: Real): number => {
    if (!(Number(x) > 0) && !Number.isNaN(x)) throw new Error(DOMAIN);
    if (typeof x === 'number' || x < 2n ** 1000n) return f(Number(x));
    const shift = x.toString(2).length - 64;
    return f(Number(x >> BigInt(shift))) + shift * bit;
  };
};
const log = logarithm(Math.log, Math.LN2);

const whole = (f: (x: number) => number) => {
  return (x: Real): Real => {
    if (typeof x === 'bigint') return x;
    if (Number.isNaN(x)) throw new Error('cannot convert float NaN to integer');
    if (!Number.isFinite(x)) throw new Error('cannot convert float infinity to integer');
    return BigInt(f(x));
  };
};

function integer(x: Real): bigint {
  if (typeof x === 'bigint') return x;
  throw new Error("'float' object cannot be interpreted as an integer");
}
const absolute = (x: bigint): bigint => (x < 0n ? -x : x);
function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return absolute(a);
}
function lcm(a: bigint, b: bigint): bigint {
  return a === 0n || b === 0n ? 0n : absolute(a * b) / gcd(a, b);
}
function squareRoot(x: Real): bigint {
  const n = integer(x);
  if (n < 0n) throw new Error('isqrt() argument must be nonnegative');
  if (n < 2n) return n;
  // Newton's steps, from above.
  let root = 1n << BigInt(Math.ceil(n.toString(2).length / 2));
  for (;;) {
    const next = (root + n / root) / 2n;
    if (next >= root) return root;
    root = next;
  }
}
function factorial(x: Real): bigint {
  const n = integer(x);
  if (n < 0n) throw new Error('factorial() not defined for negative values');
  if (n > 1000n) throw new Error('that is too large a number for a kernel');
  let product = 1n;
  for (let k = 2n; k <= n; k++) product *= k;
  return product;
}

/** By name: the number of arguments, the least and the most, and the function. */
const TABLE: Readonly<
  Record<MathFunction, readonly [number, number, (...args: Real[]) => Real | boolean]>
> = {
  acos: [1, 1, number(Math.acos)],
  acosh: [1, 1, number(Math.acosh)],
  asin: [1, 1, number(Math.asin)],
  asinh: [1, 1, number(Math.asinh)],
  atan: [1, 1, number(Math.atan)],
  atan2: [2, 2, number(Math.atan2)],
  atanh: [1, 1, number(Math.atanh, DOMAIN)],
  cbrt: [1, 1, number(Math.cbrt)],
  ceil: [1, 1, whole(Math.ceil)],
  copysign: [2, 2, number((x, y) => Math.abs(x) * (signed(y) ? -1 : 1))],
  cos: [1, 1, number(Math.cos)],
  cosh: [1, 1, number(Math.cosh)],
  degrees: [1, 1, (x) => toFloat(x) * (180 / Math.PI)],
  exp: [1, 1, number(Math.exp)],
  exp2: [1, 1, number((x) => 2 ** x)],
  expm1: [1, 1, number(Math.expm1)],
  fabs: [1, 1, number(Math.abs)],
  factorial: [1, 1, factorial],
  floor: [1, 1, whole(Math.floor)],
  fmod: [2, 2, number((x, y) => x % y)],
  gcd: [0, Infinity, (...xs) => xs.map(integer).reduce(gcd, 0n)],
  hypot: [0, Infinity, (...xs) => Math.hypot(...xs.map(toFloat))],
  isfinite: [1, 1, (x) => Number.isFinite(toFloat(x))],
  isinf: [1, 1, (x) => Math.abs(toFloat(x)) === Infinity],
  isnan: [1, 1, (x) => Number.isNaN(toFloat(x))],
  isqrt: [1, 1, squareRoot],
  lcm: [0, Infinity, (...xs) => xs.map(integer).reduce(lcm, 1n)],
  log: [1, 2, (x, base) => (base === undefined ? log(x) : over(log(x), log(base)))],
  log10: [1, 1, logarithm(Math.log10, Math.log10(2))],
  log1p: [1, 1, number(Math.log1p, DOMAIN)],
  log2: [1, 1, logarithm(Math.log2, 1)],
  pow: [2, 2, number((x, y) => power(x, y))],
  radians: [1, 1, number((x) => x * (Math.PI / 180))],
  sin: [1, 1, number(Math.sin)],
  sinh: [1, 1, number(Math.sinh)],
  sqrt: [1, 1, number(Math.sqrt)],
  tan: [1, 1, number(Math.tan)],
  tanh: [1, 1, number(Math.tanh)],
  trunc: [1, 1, whole(Math.trunc)],
};

/** C's, except that 0 has no negative powers. */
function power(x: number, y: number): number {
  return x === 0 && y < 0 && y !== -Infinity ? NaN : powFloat(x, y);
}
function signed(x: number): boolean {
  return x < 0 || Object.is(x, -0);
}
function over(a: number, b: number): number {
  if (b === 0) throw new Error('division by zero');
  return a / b;
}

/** Calls a function of `math`; undefined for one that is not here. @throws what Python says. */
export function callMath(name: string, args: readonly Real[]): Real | boolean | undefined {
  if (!Object.hasOwn(TABLE, name)) return undefined;
  const [least, most, f] = TABLE[name as MathFunction];
  if (args.length < least || args.length > most) {
    const wanted = least === most ? `exactly ${least} argument${least === 1 ? '' : 's'}` : 'others';
    throw new Error(`it takes ${wanted} (${args.length} given)`);
  }
  return f(...(args as Real[]));
}
