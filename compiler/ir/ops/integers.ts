/** Integer arithmetic. It wraps at the width; the operation says how it reads the bits. */
import {
  constancyOnly,
  everyElement,
  folded,
  ofBoth,
  product,
  quotient,
  remainder,
  sum,
} from './axis';
import type { AxisInfo } from './axis';
import type { AxisTransfer, Definitions, ElementwiseOp, NoAttributes } from './definition';
import { signedIn, u64, unsigned, wrapping } from './element';
import { wideDifference, wideProduct, wideSum } from './loops';
import { divide, hull, remainder as remainderRange } from './range';
import { INTEGERS } from './rules';
import { rankOf } from './axis';
import { shapeOf } from '../types';

type Name =
  | `arith.${'add' | 'sub' | 'mul'}i`
  | `arith.${'div' | 'rem' | 'max' | 'min'}${'s' | 'u'}i`
  | 'tt.mulhiui'
  | 'math.absi';
export type IntegerOps = Record<Name, NoAttributes>;

const BINARY = {
  kind: 'elementwise',
  operands: ['lhs', 'rhs'],
  results: 1,
  attributes: {},
  type: INTEGERS,
  flops: 1,
} as const satisfies Partial<ElementwiseOp<NoAttributes>>;

const extremum: AxisTransfer<NoAttributes> = ofBoth((x, y) => ({
  ...everyElement(x, y),
  ...(x.mayBeNegative || y.mayBeNegative ? { mayBeNegative: true } : {}),
}));
const division = (x: AxisInfo, y: AxisInfo, op: Parameters<typeof rankOf>[0]): AxisInfo =>
  quotient(x, y, rankOf(op), false);

export const INTEGER_OPS: Definitions<IntegerOps> = {
  'arith.addi': {
    ...BINARY,
    doc: 'Integer addition, wrapping at the width.',
    commutative: true,
    element: wrapping(
      (a, b) => a + b,
      (a, b) => a + b,
    ),
    loops: {
      narrow: ({ from, a, b, o }) =>
        from === 'i1'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = a[i]! + b[i]!;
            },
      wide: wideSum,
    },
    algebra: { identity: 0, associative: true },
    axis: ofBoth((x, y) => folded(sum(x, y, 1, true), x, y, (a, b) => a + b)),
    range: (_, of) => ({ low: of(0).low + of(1).low, high: of(0).high + of(1).high }),
  },
  'arith.subi': {
    ...BINARY,
    doc: 'Integer subtraction, wrapping.',
    element: wrapping(
      (a, b) => a - b,
      (a, b) => a - b,
    ),
    loops: {
      narrow: ({ from, a, b, o }) =>
        from === 'i1'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = a[i]! - b[i]!;
            },
      wide: wideDifference,
    },
    algebra: { identity: 0, self: 'zero' },
    axis: ofBoth((x, y, op) => {
      const difference = folded(sum(x, y, 1, false), x, y, (a, b) => a - b);
      return shapeOf(op.result.type).length > 0
        ? { ...difference, mayBeNegative: true }
        : difference;
    }),
    range: (_, of) => ({ low: of(0).low - of(1).high, high: of(0).high - of(1).low }),
  },
  'arith.muli': {
    ...BINARY,
    doc: 'Integer multiplication, wrapping.',
    commutative: true,
    element: wrapping(Math.imul, (a, b) => a * b),
    loops: {
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = Math.imul(a[i]!, b[i]!);
        },
      wide: wideProduct,
    },
    algebra: { identity: 1, annihilator: 0, associative: true },
    axis: ofBoth((x, y) => folded(product(x, y), x, y, (a, b) => a * b)),
    range: (_, of) => hull(of(0), of(1), (a, b) => a * b),
  },
  'arith.divsi': {
    ...BINARY,
    doc: 'Signed division, truncated toward zero.',
    element: wrapping(
      (a, b, w) => (b === 0 ? a : signedIn(a, w) / signedIn(b, w)),
      (a, b) => (b === 0n ? a : a / b),
    ),
    loops: {
      narrow: ({ from, a, b, o }) =>
        from === 'i1'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = b[i] === 0 ? a[i]! : (a[i]! / b[i]!) | 0;
            },
      wide:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) {
            const [x, y] = [a[i]!, b[i]!];
            // The dividend less the remainder divides exactly; the plain quotient may be rounded
            // up.
            o[i] = y === 0 ? x : (x - (x % y)) / y + 0;
          }
          return true;
        },
    },
    algebra: { identity: 1, traps: true },
    axis: ofBoth((x, y, op) => division(x, y, op.result)),
    range: (_, of) => divide(of(0), of(1)),
  },
  'arith.divui': {
    ...BINARY,
    doc: 'Unsigned division.',
    element: wrapping(
      (a, b, w) => (b === 0 ? a : Math.floor(unsigned(w, a) / unsigned(w, b))),
      (a, b) => (b === 0n ? a : u64(a) / u64(b)),
    ),
    algebra: { identity: 1, traps: true },
    axis: ofBoth((x, y, op) => division(x, y, op.result)),
  },
  'arith.remsi': {
    ...BINARY,
    doc: 'Signed remainder, with the sign of {lhs}.',
    element: wrapping(
      (a, b) => (b === 0 ? 0 : a % b),
      (a, b) => (b === 0n ? 0n : a % b),
    ),
    loops: {
      narrow: ({ from, a, b, o }) =>
        from === 'i1'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = b[i] === 0 ? 0 : a[i]! % b[i]!;
            },
      wide:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = b[i] === 0 ? 0 : (a[i]! % b[i]!) + 0;
          return true;
        },
    },
    algebra: { annihilator: 1, traps: true },
    axis: ofBoth((x, y) => remainder(x, y, false)),
    range: (_, of) => remainderRange(of(0), of(1)),
  },
  'arith.remui': {
    ...BINARY,
    doc: 'Unsigned remainder.',
    element: wrapping(
      (a, b, w) => (b === 0 ? 0 : unsigned(w, a) % unsigned(w, b)),
      (a, b) => (b === 0n ? 0n : u64(a) % u64(b)),
    ),
    algebra: { annihilator: 1, traps: true },
    axis: ofBoth((x, y) => remainder(x, y, true)),
  },
  'arith.maxsi': {
    ...BINARY,
    doc: 'Signed maximum.',
    commutative: true,
    element: wrapping(
      (a, b, w) => (signedIn(a, w) > signedIn(b, w) ? a : b),
      (a, b) => (a > b ? a : b),
    ),
    loops: {
      narrow: ({ from, a, b, o }) =>
        from === 'i1'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = a[i]! > b[i]! ? a[i]! : b[i]!;
            },
      wide:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! > b[i]! ? a[i]! : b[i]!;
          return true;
        },
    },
    algebra: { self: 'same' },
    axis: extremum,
    range: (_, of) => ({
      low: Math.max(of(0).low, of(1).low),
      high: Math.max(of(0).high, of(1).high),
    }),
  },
  'arith.minsi': {
    ...BINARY,
    doc: 'Signed minimum.',
    commutative: true,
    element: wrapping(
      (a, b, w) => (signedIn(a, w) < signedIn(b, w) ? a : b),
      (a, b) => (a < b ? a : b),
    ),
    loops: {
      narrow: ({ from, a, b, o }) =>
        from === 'i1'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? a[i]! : b[i]!;
            },
      wide:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? a[i]! : b[i]!;
          return true;
        },
    },
    algebra: { self: 'same' },
    axis: extremum,
    range: (_, of) => ({
      low: Math.min(of(0).low, of(1).low),
      high: Math.min(of(0).high, of(1).high),
    }),
  },
  'arith.maxui': {
    ...BINARY,
    doc: 'Unsigned maximum.',
    commutative: true,
    element: wrapping(
      (a, b, w) => (unsigned(w, a) > unsigned(w, b) ? a : b),
      (a, b) => (u64(a) > u64(b) ? a : b),
    ),
    algebra: { self: 'same' },
    axis: extremum,
  },
  'arith.minui': {
    ...BINARY,
    doc: 'Unsigned minimum.',
    commutative: true,
    element: wrapping(
      (a, b, w) => (unsigned(w, a) < unsigned(w, b) ? a : b),
      (a, b) => (u64(a) < u64(b) ? a : b),
    ),
    algebra: { self: 'same' },
    axis: extremum,
  },
  'tt.mulhiui': {
    ...BINARY,
    doc: 'High half of the unsigned product.',
    commutative: true,
    element: wrapping(
      (a, b, w) => Number((BigInt(unsigned(w, a)) * BigInt(unsigned(w, b))) >> BigInt(w)),
      (a, b) => (u64(a) * u64(b)) >> 64n,
    ),
    axis: constancyOnly,
  },
  'math.absi': {
    ...BINARY,
    operands: ['x'],
    doc: 'Absolute value of a signed integer.',
    element: wrapping(
      (a) => Math.abs(a),
      (a) => (a < 0n ? -a : a),
    ),
    axis: constancyOnly,
    flops: 0,
    costly: true,
  },
};
