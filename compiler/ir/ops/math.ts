/** Functions of floats. */
import { erf, fma, fma64, powFloat, roundAway, roundEven } from '../functions';
import { roundFloat } from '../numbers';
import { isFloat } from '../types';
import { constancyOnly } from './axis';
import type { Definitions, ElementwiseOp, Loops, NoAttributes } from './definition';
import { float, special } from './element';
import { exponentials } from './exponentials';
import { FLOATS } from './rules';

type Name =
  | 'exp'
  | 'exp2'
  | 'expm1'
  | 'log'
  | 'log2'
  | 'log1p'
  | 'sin'
  | 'cos'
  | 'tan'
  | 'asin'
  | 'acos'
  | 'atan'
  | 'atan2'
  | 'sinh'
  | 'cosh'
  | 'tanh'
  | 'powf'
  | 'sqrt'
  | 'rsqrt'
  | 'erf'
  | 'floor'
  | 'ceil'
  | 'round'
  | 'roundeven'
  | 'trunc'
  | 'absf'
  | 'fma';
export type MathOps = Record<`math.${Name}`, NoAttributes>;

const FUNCTION = {
  kind: 'elementwise',
  operands: ['x'],
  results: 1,
  attributes: {},
  type: FLOATS,
  axis: constancyOnly,
  flops: 1,
  costly: true,
} as const satisfies Partial<ElementwiseOp<NoAttributes>>;

const unary = (
  doc: string,
  f: (x: number) => number,
  loops?: Loops<NoAttributes>,
): ElementwiseOp<NoAttributes> => ({
  ...FUNCTION,
  doc,
  element: float(f),
  ...(loops && { loops }),
});
const binary = (doc: string, f: (x: number, y: number) => number): ElementwiseOp<NoAttributes> => ({
  ...FUNCTION,
  operands: ['lhs', 'rhs'],
  doc,
  element: float(f),
});

export const MATH_OPS: Definitions<MathOps> = {
  'math.exp': unary('e to the power x.', Math.exp, {
    narrow:
      ({ a, o }) =>
      (n) => {
        if (o instanceof Float32Array) exponentials(a, Math.LOG2E, Math.exp, o, n);
        else for (let i = 0; i < n; i++) o[i] = Math.exp(a[i]!);
      },
  }),
  'math.exp2': unary('2 to the power x.', (x) => 2 ** x, {
    narrow:
      ({ a, o }) =>
      (n) => {
        if (o instanceof Float32Array) exponentials(a, 1, (x) => 2 ** x, o, n);
        else for (let i = 0; i < n; i++) o[i] = 2 ** a[i]!;
      },
  }),
  'math.log': unary('Natural logarithm.', Math.log, {
    narrow:
      ({ a, o }) =>
      (n) => {
        for (let i = 0; i < n; i++) o[i] = Math.log(a[i]!);
      },
  }),
  'math.log2': unary('Logarithm to base 2.', Math.log2),
  'math.log1p': unary('log(1 + x).', Math.log1p),
  'math.expm1': unary('exp(x) - 1.', Math.expm1),
  'math.sin': unary('Sine.', Math.sin),
  'math.cos': unary('Cosine.', Math.cos),
  'math.tan': unary('Tangent.', Math.tan),
  'math.asin': unary('Arc sine.', Math.asin),
  'math.acos': unary('Arc cosine.', Math.acos),
  'math.atan': unary('Arc tangent.', Math.atan),
  'math.atan2': binary('Angle of the point (rhs, lhs).', Math.atan2),
  'math.sinh': unary('Hyperbolic sine.', Math.sinh),
  'math.cosh': unary('Hyperbolic cosine.', Math.cosh),
  'math.tanh': unary('Hyperbolic tangent.', Math.tanh),
  'math.powf': binary('lhs to the power rhs.', powFloat),
  'math.sqrt': unary('Square root.', Math.sqrt, {
    narrow:
      ({ a, o }) =>
      (n) => {
        for (let i = 0; i < n; i++) o[i] = Math.sqrt(a[i]!);
      },
  }),
  'math.rsqrt': unary('1 / sqrt(x).', (x) => 1 / Math.sqrt(x)),
  'math.erf': unary('Error function.', erf),
  'math.floor': unary('Largest integer not above x.', Math.floor),
  'math.ceil': unary('Smallest integer not below x.', Math.ceil),
  'math.round': unary('Nearest integer, halves away from zero.', roundAway),
  'math.roundeven': unary('Nearest integer, halves to even.', roundEven),
  'math.trunc': unary('Integer part.', Math.trunc),
  'math.absf': {
    ...FUNCTION,
    doc: 'Absolute value; clears the sign bit.',
    element: float(Math.abs),
    loops: {
      exact: true,
      narrow:
        ({ a, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = Math.abs(a[i]!);
        },
    },
    flops: 0,
  },
  'math.fma': {
    ...FUNCTION,
    operands: ['x', 'y', 'z'],
    doc: 'x * y + z, rounded once.',
    element: special(({ to }) => {
      if (!isFloat(to)) throw new Error(`${to} is no float`);
      if (to === 'f64') return (x, y, z) => fma64(x as number, y as number, z as number);
      return (x, y, z) => roundFloat(to, fma(x as number, y as number, z as number));
    }),
    flops: 2,
  },
};
