/**
 * Python's `math` on compile-time values: what a kernel may call of it, as Triton lets it. Whole numbers
 * are bigints, floats numbers. Where Python raises, these throw its words.
 */
import type { MathFunction } from '../1-parse/moduleScope';

type Real = number | bigint;

const number = (f: (x: number) => number, from = -Infinity, to = Infinity) => {
  return (x: Real): Real => {
    const value = Number(x);
    if (value < from || value > to) throw new Error('math domain error');
    const found = f(value);
    if (!Number.isFinite(found) && Number.isFinite(value)) throw new Error('math range error');
    return found;
  };
};

/** Above 0, of whole numbers beyond a float's range too. */
const logarithm = (f: (x: number) => number, bit: number) => {
  return (x: Real): number => {
    if (!(Number(x) > 0) && !Number.isNaN(x)) throw new Error('math domain error');
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
  let root = BigInt(Math.floor(Math.sqrt(Number(n))));
  while (root * root > n) root--;
  while ((root + 1n) * (root + 1n) <= n) root++;
  return root;
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
  acos: [1, 1, number(Math.acos, -1, 1)],
  acosh: [1, 1, number(Math.acosh, 1)],
  asin: [1, 1, number(Math.asin, -1, 1)],
  asinh: [1, 1, number(Math.asinh)],
  atan: [1, 1, number(Math.atan)],
  atan2: [2, 2, (y, x) => Math.atan2(Number(y), Number(x!))],
  atanh: [1, 1, number(Math.atanh, -1, 1)],
  cbrt: [1, 1, number(Math.cbrt)],
  ceil: [1, 1, whole(Math.ceil)],
  copysign: [2, 2, (x, y) => Math.abs(Number(x)) * (signed(Number(y)) ? -1 : 1)],
  cos: [1, 1, number(Math.cos)],
  cosh: [1, 1, number(Math.cosh)],
  degrees: [1, 1, number((x) => x * (180 / Math.PI))],
  exp: [1, 1, number(Math.exp)],
  exp2: [1, 1, number((x) => 2 ** x)],
  expm1: [1, 1, number(Math.expm1)],
  fabs: [1, 1, number(Math.abs)],
  factorial: [1, 1, factorial],
  floor: [1, 1, whole(Math.floor)],
  fmod: [2, 2, (x, y) => number((a) => a % Number(y))(x)],
  gcd: [0, Infinity, (...xs) => xs.map(integer).reduce(gcd, 0n)],
  hypot: [0, Infinity, (...xs) => Math.hypot(...xs.map(Number))],
  isfinite: [1, 1, (x) => Number.isFinite(Number(x))],
  isinf: [1, 1, (x) => Math.abs(Number(x)) === Infinity],
  isnan: [1, 1, (x) => Number.isNaN(Number(x))],
  isqrt: [1, 1, squareRoot],
  lcm: [0, Infinity, (...xs) => xs.map(integer).reduce(lcm, 1n)],
  log: [1, 2, (x, base) => (base === undefined ? log(x) : over(log(x), log(base)))],
  log10: [1, 1, logarithm(Math.log10, Math.log10(2))],
  log1p: [1, 1, number(Math.log1p)],
  log2: [1, 1, logarithm(Math.log2, 1)],
  pow: [2, 2, (x, y) => number((a) => a ** Number(y))(x)],
  radians: [1, 1, number((x) => x * (Math.PI / 180))],
  sin: [1, 1, number(Math.sin)],
  sinh: [1, 1, number(Math.sinh)],
  sqrt: [1, 1, number(Math.sqrt, 0)],
  tan: [1, 1, number(Math.tan)],
  tanh: [1, 1, number(Math.tanh)],
  trunc: [1, 1, whole(Math.trunc)],
};

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
