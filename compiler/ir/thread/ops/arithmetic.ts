/**
 * Arithmetic, comparisons, choices and conversions of numbers, component by component. Meanings are
 * WGSL's: integers wrap, a shift takes its amount modulo 32, dividing by 0 gives the dividend, and
 * the remainder by 0 is 0.
 */
import { floatBits, floatFromBits, onesIn, reversedBits } from '../../numbers';
import { number } from '../types';
import type { ScalarName, ThreadType } from '../types';
import {
  combined,
  COMMUTATIVE,
  FLOATS,
  INTEGERS,
  NUMBERS,
  PURE,
  same,
  type ScalarFunction,
  type ThreadOpSpec,
} from './spec';

const unary = (
  doc: string,
  types: ThreadOpSpec['types'],
  evaluate: (scalar: string) => (x: number) => number,
): ThreadOpSpec => ({ traits: PURE, operands: ['x'], types, evaluate, doc });
const binary = (
  doc: string,
  types: ThreadOpSpec['types'],
  evaluate: (scalar: string) => ScalarFunction,
  traits = PURE,
): ThreadOpSpec => ({ traits, operands: ['lhs', 'rhs'], types, evaluate, doc });
const float = (doc: string, f: (x: number) => number): ThreadOpSpec =>
  unary(doc, same(...FLOATS), () => f);

/** i32 or u32 of any number that JavaScript's integer operations give. */
const wrap = (scalar: string) => (scalar === 'u32' ? (x: number) => x >>> 0 : (x: number) => x | 0);
/** As `wrap`, for floats the number itself: typed arrays round it. */
const held =
  (f: (x: number, y: number) => number) =>
  (scalar: string): ScalarFunction => {
    if (scalar !== 'i32' && scalar !== 'u32') return f;
    const cut = wrap(scalar);
    return (x, y) => cut(f(x, y));
  };

const comparison = (doc: string, f: (x: number, y: number) => boolean): ThreadOpSpec =>
  binary(
    doc,
    (operands) => {
      const type = combined(operands);
      return typeof type === 'string' ? type : [number('bool', type.size)];
    },
    () => (x, y) => (f(x, y) ? 1 : 0),
  );

/** The second operand is the amount: u32, a scalar or of the same size. */
const shiftTypes: ThreadOpSpec['types'] = ([x, by]) => {
  if (x?.kind !== 'number' || by?.kind !== 'number') return 'shifts take numbers';
  if (x.scalar !== 'i32' && x.scalar !== 'u32') return `no shift of ${x.scalar}`;
  if (by.scalar !== 'u32') return 'the amount of a shift is u32';
  return by.size === 1 || by.size === x.size ? [x] : 'vectors of different sizes do not mix';
};
const bits = same('i32', 'u32', 'bool');

function divide(x: number, y: number): number {
  return y === 0 ? x : Math.trunc(x / y);
}
function remainder(x: number, y: number): number {
  return y === 0 ? 0 : x % y;
}
/** Rounds to the nearest integer, halves to even. */
function roundEven(x: number): number {
  const floor = Math.floor(x);
  const rest = x - floor;
  if (rest < 0.5) return floor === 0 && x < 0 ? -0 : floor;
  const up = rest > 0.5 || floor % 2 !== 0 ? floor + 1 : floor;
  return up === 0 && x < 0 ? -0 : up;
}

export const ARITHMETIC = {
  'thread.add': binary(
    'Sum; integers wrap.',
    same(...NUMBERS),
    held((x, y) => x + y),
    COMMUTATIVE,
  ),
  'thread.sub': binary(
    'Difference; integers wrap.',
    same(...NUMBERS),
    held((x, y) => x - y),
  ),
  'thread.mul': binary(
    'Product; integers wrap.',
    same(...NUMBERS),
    (scalar) =>
      scalar === 'u32'
        ? (x, y) => Math.imul(x, y) >>> 0
        : scalar === 'i32'
          ? Math.imul
          : (x, y) => x * y,
    COMMUTATIVE,
  ),
  'thread.div': binary(
    'Quotient; of integers towards zero, by 0 the dividend.',
    same(...NUMBERS),
    (scalar) => (scalar === 'i32' || scalar === 'u32' ? held(divide)(scalar) : (x, y) => x / y),
  ),
  'thread.rem': binary(
    'Remainder with the sign of the dividend; by 0 it is 0.',
    same(...NUMBERS),
    (scalar) => (scalar === 'i32' || scalar === 'u32' ? held(remainder)(scalar) : (x, y) => x % y),
  ),
  'thread.neg': unary('Negation.', same('i32', ...FLOATS), (scalar) =>
    scalar === 'i32' ? (x) => -x | 0 : (x) => -x,
  ),
  'thread.abs': unary('Absolute value.', same(...NUMBERS), (scalar) =>
    scalar === 'i32' ? (x) => Math.abs(x) | 0 : Math.abs,
  ),
  'thread.min': binary(
    'The smaller number.',
    same(...NUMBERS),
    () => (x, y) => Math.min(x, y),
    COMMUTATIVE,
  ),
  'thread.max': binary(
    'The larger number.',
    same(...NUMBERS),
    () => (x, y) => Math.max(x, y),
    COMMUTATIVE,
  ),
  'thread.clamp': {
    traits: PURE,
    operands: ['x', 'low', 'high'],
    types: same(...NUMBERS),
    evaluate: () => (x, low, high) => Math.min(Math.max(x, low), high),
    doc: '{x} limited to [{low}, {high}].',
  },
  'thread.and': binary(
    'Bitwise and.',
    bits,
    held((x, y) => x & y),
    COMMUTATIVE,
  ),
  'thread.or': binary(
    'Bitwise or.',
    bits,
    held((x, y) => x | y),
    COMMUTATIVE,
  ),
  'thread.xor': binary(
    'Bitwise exclusive or.',
    same(...INTEGERS),
    held((x, y) => x ^ y),
    COMMUTATIVE,
  ),
  'thread.not': unary('Every bit flipped; of bool the other truth value.', bits, (scalar) =>
    scalar === 'bool' ? (x) => 1 - x : scalar === 'u32' ? (x) => ~x >>> 0 : (x) => ~x,
  ),
  'thread.shl': binary(
    'Shift to the left.',
    shiftTypes,
    (scalar) => (x, by) => wrap(scalar)(x << by),
  ),
  'thread.shr': binary(
    'Shift to the right, with the sign where there is one.',
    shiftTypes,
    (scalar) => (scalar === 'u32' ? (x, by) => x >>> by : (x, by) => x >> by),
  ),
  'thread.count_leading_zeros': unary(
    'Zero bits above the highest one.',
    same(...INTEGERS),
    () => Math.clz32,
  ),
  'thread.count_one_bits': unary('How many bits are 1.', same(...INTEGERS), () => onesIn),
  'thread.reverse_bits': unary(
    'The bits in the opposite order.',
    same(...INTEGERS),
    (scalar) => (x) => wrap(scalar)(reversedBits(x)),
  ),
  'thread.eq': comparison('Equal.', (x, y) => x === y),
  'thread.ne': comparison('Not equal.', (x, y) => x !== y),
  'thread.lt': comparison('Less.', (x, y) => x < y),
  'thread.le': comparison('Less or equal.', (x, y) => x <= y),
  'thread.gt': comparison('Greater.', (x, y) => x > y),
  'thread.ge': comparison('Greater or equal.', (x, y) => x >= y),
  'thread.select': {
    traits: PURE,
    operands: ['condition', 'yes', 'no'],
    types: ([condition, yes, no]) => {
      if (condition?.kind !== 'number' || condition.scalar !== 'bool') return 'no condition';
      const type = combined([yes!, no!]);
      if (typeof type === 'string') return type;
      return condition.size === 1 || condition.size === type.size ? [type] : 'sizes differ';
    },
    evaluate: () => (condition, yes, no) => (condition ? yes : no),
    doc: '{yes} where {condition}, else {no}.',
  },
  'thread.fma': {
    traits: PURE,
    operands: ['x', 'y', 'z'],
    types: same(...FLOATS),
    evaluate: () => (x, y, z) => x * y + z,
    doc: 'x * y + z, rounded once.',
  },
  'thread.exp': float('e to the power x.', Math.exp),
  'thread.exp2': float('2 to the power x.', (x) => 2 ** x),
  'thread.log': float('Natural logarithm.', Math.log),
  'thread.log2': float('Logarithm to base 2.', Math.log2),
  'thread.sin': float('Sine.', Math.sin),
  'thread.cos': float('Cosine.', Math.cos),
  'thread.cosh': float('Hyperbolic cosine.', Math.cosh),
  'thread.sqrt': float('Square root.', Math.sqrt),
  'thread.inverse_sqrt': float('1 / sqrt(x).', (x) => 1 / Math.sqrt(x)),
  'thread.floor': float('Largest integer not above x.', Math.floor),
  'thread.ceil': float('Smallest integer not below x.', Math.ceil),
  'thread.trunc': float('Integer part.', Math.trunc),
  'thread.round': float('Nearest integer, halves to even.', roundEven),
  'thread.sign': float('-1, 0 or 1.', Math.sign),
  'thread.pow': binary('lhs to the power rhs.', same(...FLOATS), () => (x, y) => x ** y),
  'thread.ldexp': {
    traits: PURE,
    operands: ['x', 'exponent'],
    types: ([x, exponent]) =>
      x?.kind === 'number' && exponent?.kind === 'number' && exponent.scalar === 'i32'
        ? [x]
        : 'takes a float and an i32',
    evaluate: () => (x, exponent) => x * 2 ** exponent,
    doc: 'x times 2 to the power {exponent}.',
  },
  'thread.convert': {
    traits: PURE,
    operands: ['x'],
    types: ([x], _, [to]) => casts(x, to),
    evaluate: castTo,
    doc: 'The number as another type: floats to integers towards zero, integers by their low bits.',
  },
  'thread.optimization_barrier': {
    traits: PURE,
    operands: ['x', 'zero'],
    types: ([x]) => (x?.kind === 'number' ? [x] : 'takes a number'),
    evaluate: hidden,
    doc:
      '{x}, whose value no driver can see: its bits are combined with {zero}, a word of the arguments ' +
      'that is always 0. Keeps a driver from doing algebra with floats.',
  },
} satisfies Record<string, ThreadOpSpec>;

/** As it is printed: a word that is not 0, a fault, changes the value. */
function hidden(scalar: ScalarName): ScalarFunction {
  if (scalar !== 'f32' && scalar !== 'f16') return (x, zero) => (x ^ zero) >>> 0;
  return (x, zero) =>
    zero === 0 ? x : floatFromBits(scalar, floatBits(scalar, x) ^ (BigInt(zero) & BITS[scalar]));
}
const BITS = { f32: 0xffffffffn, f16: 0xffffn } as const;

/** Floats beyond an integer's range become its limit, and NaN becomes 0, as drivers have it. */
function castTo(from: ScalarName, to: ScalarName): (x: number) => number {
  if (to === 'bool') return (x) => (x === 0 ? 0 : 1);
  if (to !== 'i32' && to !== 'u32') return (x) => x;
  if (from !== 'f32' && from !== 'f16') return wrap(to);
  const [low, high] = to === 'u32' ? [0, 0xffffffff] : [-0x80000000, 0x7fffffff];
  return (x) => (Number.isNaN(x) ? 0 : Math.trunc(Math.min(Math.max(x, low), high)) + 0);
}

function casts(
  x: ThreadType | undefined,
  to: ThreadType | undefined,
): readonly ThreadType[] | string {
  if (x?.kind !== 'number' || to?.kind !== 'number') return 'converts numbers';
  return x.size === to.size ? [to] : 'sizes differ';
}
