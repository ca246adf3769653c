/** Float arithmetic: in double precision, rounded once to the format. */
import { constancyOnly } from './axis';
import { oneOf } from './attributes';
import type { Definitions, ElementwiseOp, NoAttributes } from './definition';
import { float, maximum, maxnum, minimum, minnum, special } from './element';
import { FLOATS } from './rules';

type Plain =
  | `arith.${'add' | 'sub' | 'mul' | 'div' | 'rem' | 'neg'}f`
  | `arith.${'maximum' | 'maxnum' | 'minimum' | 'minnum'}f`
  | 'tt.precise_divf'
  | 'tt.precise_sqrt';
export type FloatOps = Record<Plain, NoAttributes> & {
  'tt.clampf': { readonly propagateNan: 'none' | 'all' };
};

const BINARY = {
  kind: 'elementwise',
  operands: ['lhs', 'rhs'],
  results: 1,
  attributes: {},
  type: FLOATS,
  axis: constancyOnly,
  flops: 1,
} as const satisfies Partial<ElementwiseOp<NoAttributes>>;

export const FLOAT_OPS: Definitions<FloatOps> = {
  'arith.addf': {
    ...BINARY,
    doc: 'Float addition.',
    commutative: true,
    element: float((a, b) => a + b),
    loops: {
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! + b[i]!;
        },
    },
    algebra: { identity: -0, signedZero: true },
  },
  'arith.subf': {
    ...BINARY,
    doc: 'Float subtraction.',
    element: float((a, b) => a - b),
    loops: {
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! - b[i]!;
        },
    },
    algebra: { identity: 0, signedZero: true },
  },
  'arith.mulf': {
    ...BINARY,
    doc: 'Float multiplication.',
    commutative: true,
    element: float((a, b) => a * b),
    loops: {
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! * b[i]!;
        },
    },
    algebra: { identity: 1 },
  },
  'arith.divf': {
    ...BINARY,
    doc: 'Float division.',
    element: float((a, b) => a / b),
    loops: {
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! / b[i]!;
        },
    },
    algebra: { identity: 1 },
    costly: true,
  },
  'tt.precise_divf': {
    ...BINARY,
    doc: 'IEEE-rounded f32 division.',
    element: float((a, b) => a / b),
    loops: {
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! / b[i]!;
        },
    },
    algebra: { identity: 1 },
    costly: true,
  },
  'arith.remf': {
    ...BINARY,
    doc: 'Float remainder (C fmod).',
    element: float((a, b) => a % b),
    costly: true,
  },
  'arith.negf': {
    ...BINARY,
    operands: ['x'],
    doc: 'Negation; flips the sign bit.',
    element: float((a) => -a),
    loops: {
      exact: true,
      narrow:
        ({ a, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = -a[i]!;
        },
    },
    flops: 0,
  },
  'arith.maximumf': {
    ...BINARY,
    doc: 'Maximum; NaN if either is NaN.',
    commutative: true,
    element: float(maximum),
    algebra: { self: 'same' },
  },
  'arith.maxnumf': {
    ...BINARY,
    doc: 'Maximum; a NaN loses.',
    commutative: true,
    element: float(maxnum),
    loops: {
      simd: 'max',
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) {
            const [x, y] = [a[i]!, b[i]!];
            const z = Math.max(x, y);
            // A NaN only where both are.
            o[i] = z === z ? z : x !== x ? y : x;
          }
        },
    },
    algebra: { self: 'same' },
  },
  'arith.minimumf': {
    ...BINARY,
    doc: 'Minimum; NaN if either is NaN.',
    commutative: true,
    element: float(minimum),
    algebra: { self: 'same' },
  },
  'arith.minnumf': {
    ...BINARY,
    doc: 'Minimum; a NaN loses.',
    commutative: true,
    element: float(minnum),
    loops: {
      simd: 'min',
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) {
            const [x, y] = [a[i]!, b[i]!];
            const z = Math.min(x, y);
            o[i] = z === z ? z : x !== x ? y : x;
          }
        },
    },
    algebra: { self: 'same' },
  },
  'tt.clampf': {
    ...BINARY,
    operands: ['x', 'min', 'max'],
    attributes: { propagateNan: oneOf('none', 'all') },
    doc: '{x} limited to [{min}, {max}]; {propagateNan} is "none" or "all".',
    element: special(({ attributes }) => {
      const all = attributes.propagateNan === 'all';
      return (x, low, high) => {
        const [a, b, c] = [x as number, low as number, high as number];
        return all ? minimum(maximum(a, b), c) : minnum(maxnum(a, b), c);
      };
    }),
  },
  'tt.precise_sqrt': {
    ...BINARY,
    operands: ['x'],
    doc: 'IEEE-rounded f32 square root.',
    element: float(Math.sqrt),
    loops: {
      narrow:
        ({ a, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = Math.sqrt(a[i]!);
        },
    },
    costly: true,
  },
};
