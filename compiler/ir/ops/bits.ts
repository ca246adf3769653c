/** Bitwise logic and shifts; on i1, logic. */
import {
  asPower,
  constancyOnly,
  folded,
  ofBoth,
  product,
  quotient,
  rankOf,
  type AxisInfo,
} from './axis';
import type { Operation } from '../ir';
import type { Definitions, ElementwiseOp, NoAttributes } from './definition';
import { onesIn, reversedBits } from '../numbers';
import { u64, unsigned, wrapping } from './element';
import { bitWidth, dtypeOf } from '../types';
import { INTEGERS } from './rules';

export type BitOps = Record<
  | `arith.${'andi' | 'ori' | 'xori' | 'shli' | 'shrsi' | 'shrui'}`
  | `math.${'bitreverse' | 'ctlz' | 'ctpop'}`,
  NoAttributes
>;

const BINARY = {
  kind: 'elementwise',
  operands: ['lhs', 'rhs'],
  results: 1,
  attributes: {},
  type: INTEGERS,
  flops: 1,
} as const satisfies Partial<ElementwiseOp<NoAttributes>>;

const shiftedRight = (x: AxisInfo, y: AxisInfo, op: Operation, floors: boolean) => {
  const by = asPower(y, op);
  return by && quotient(x, by, rankOf(op.result), floors);
};

export const BIT_OPS: Definitions<BitOps> = {
  'arith.andi': {
    ...BINARY,
    doc: 'Bitwise and.',
    commutative: true,
    element: wrapping(
      (a, b) => a & b,
      (a, b) => a & b,
    ),
    loops: {
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! & b[i]!;
        },
      wide:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) {
            const [x, y] = [a[i]!, b[i]!];
            if ((x | 0) !== x || (y | 0) !== y) return false;
            o[i] = x & y;
          }
          return true;
        },
    },
    algebra: { identity: -1, annihilator: 0, self: 'same' },
    axis: constancyOnly,
    range: (_, of) => {
      const [a, b] = [of(0), of(1)];
      if (a.low >= 0 && b.low >= 0) return { low: 0, high: Math.min(a.high, b.high) };
      if (a.low >= 0) return { low: 0, high: a.high };
      return b.low >= 0 ? { low: 0, high: b.high } : undefined;
    },
  },
  'arith.ori': {
    ...BINARY,
    doc: 'Bitwise or.',
    commutative: true,
    element: wrapping(
      (a, b) => a | b,
      (a, b) => a | b,
    ),
    loops: {
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! | b[i]!;
        },
    },
    algebra: { identity: 0, absorbing: -1, self: 'same' },
    axis: constancyOnly,
  },
  'arith.xori': {
    ...BINARY,
    doc: 'Bitwise exclusive or.',
    commutative: true,
    element: wrapping(
      (a, b) => a ^ b,
      (a, b) => a ^ b,
    ),
    loops: {
      narrow:
        ({ a, b, o }) =>
        (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! ^ b[i]!;
        },
    },
    algebra: { identity: 0, self: 'zero' },
    axis: constancyOnly,
  },
  'arith.shli': {
    ...BINARY,
    doc: 'Shift left.',
    element: wrapping(
      (a, b, w) => a << (b & (w - 1)),
      (a, b) => a << (b & 63n),
    ),
    loops: {
      narrow: ({ from, a, b, o }) =>
        from !== 'i32'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = a[i]! << b[i]!;
            },
    },
    algebra: { identity: 0 },
    axis: ofBoth((x, y, op) => {
      const by = asPower(y, op);
      return by && folded(product(x, by), x, by, (a, b) => a * b);
    }),
  },
  'arith.shrsi': {
    ...BINARY,
    doc: 'Arithmetic shift right.',
    element: wrapping(
      (a, b, w) => a >> (b & (w - 1)),
      (a, b) => a >> (b & 63n),
    ),
    loops: {
      narrow: ({ from, a, b, o }) =>
        from !== 'i32'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = a[i]! >> b[i]!;
            },
    },
    algebra: { identity: 0 },
    axis: ofBoth((x, y, op) => shiftedRight(x, y, op, true)),
    range: (_, of) => {
      const { low: shift, high } = of(1);
      if (shift !== high || shift < 0 || shift > 31) return undefined;
      const by = 2 ** shift;
      return { low: Math.floor(of(0).low / by), high: Math.floor(of(0).high / by) };
    },
  },
  'arith.shrui': {
    ...BINARY,
    doc: 'Logical shift right.',
    element: wrapping(
      (a, b, w) => unsigned(w, a) >>> (b & (w - 1)),
      (a, b) => u64(a) >> (b & 63n),
    ),
    loops: {
      narrow: ({ from, a, b, o }) =>
        from !== 'i32'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = a[i]! >>> b[i]!;
            },
    },
    algebra: { identity: 0 },
    axis: ofBoth((x, y, op) => shiftedRight(x, y, op, false)),
  },
  'math.ctlz': {
    ...BINARY,
    operands: ['x'],
    doc: 'How many bits above the highest set one are 0; the width of 0.',
    element: wrapping(
      (a, _, w) => Math.clz32(unsigned(w, a)) - (32 - w),
      (a) => (a === 0n ? 64n : 64n - BigInt(u64(a).toString(2).length)),
    ),
    loops: {
      narrow: ({ from, a, o }) =>
        from !== 'i32'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = Math.clz32(a[i]!);
            },
    },
    axis: constancyOnly,
    range: (op) => ({ low: 0, high: bitWidth(dtypeOf(op.result.type)!) }),
  },
  'math.ctpop': {
    ...BINARY,
    operands: ['x'],
    doc: 'How many bits are 1.',
    element: wrapping(
      (a, _, w) => onesIn(unsigned(w, a)),
      (a) => BigInt(onesIn(Number(u64(a) >> 32n)) + onesIn(Number(u64(a) & 0xffffffffn))),
    ),
    loops: {
      narrow: ({ from, a, o }) =>
        from !== 'i32'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = onesIn(a[i]!);
            },
    },
    axis: constancyOnly,
    range: (op) => ({ low: 0, high: bitWidth(dtypeOf(op.result.type)!) }),
  },
  'math.bitreverse': {
    ...BINARY,
    operands: ['x'],
    doc: 'The bits in the opposite order.',
    element: wrapping(
      (a, _, w) => reversedBits(unsigned(w, a)) >>> (32 - w),
      (a) =>
        (BigInt(reversedBits(Number(u64(a) & 0xffffffffn))) << 32n) |
        BigInt(reversedBits(Number(u64(a) >> 32n))),
    ),
    loops: {
      narrow: ({ from, a, o }) =>
        from !== 'i32'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = reversedBits(a[i]!);
            },
    },
    axis: constancyOnly,
  },
};
