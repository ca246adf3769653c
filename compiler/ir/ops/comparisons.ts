/** Comparisons, and the choice between two values. */
import { sameShape, sameTypeIgnoringLayout as sameType } from '../sameType';
import type { Kernel, Numbers, TileDType } from '../tile';
import { I1, dtypeOf, shapeOf } from '../types';
import { comparison, divisibilityAt, meet, ofBoth, constancyOnly, rankOf } from './axis';
import { oneOf } from './attributes';
import type { Definitions, NoAttributes, TypeRule, WideLoop } from './definition';
import { asSigned, asUnsigned, special, type Element } from './element';
import { chosen } from './loops';
import { union } from './range';
import { floats, integers, need, withElementType, type Check } from './rules';

export type IntPredicate =
  'eq' | 'ne' | 'slt' | 'sle' | 'sgt' | 'sge' | 'ult' | 'ule' | 'ugt' | 'uge';
export type FloatPredicate = 'oeq' | 'ogt' | 'oge' | 'olt' | 'ole' | 'une';

export interface ComparisonOps {
  'arith.cmpi': { readonly predicate: IntPredicate };
  'arith.cmpf': { readonly predicate: FloatPredicate };
  'arith.select': NoAttributes;
}

type Compare = (a: Element, b: Element) => boolean;
const INT_PREDICATES: Record<IntPredicate, [signed: boolean, Compare]> = {
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
const FLOAT_PREDICATES: Record<FloatPredicate, Compare> = {
  oeq: (a, b) => a === b,
  ogt: (a, b) => a > b,
  oge: (a, b) => a >= b,
  olt: (a, b) => a < b,
  ole: (a, b) => a <= b,
  une: (a, b) => a !== b,
};

const compared = (check: Check): TypeRule<unknown> => ({
  infer: ({ operands }) => [withElementType(operands[0]!, I1)],
  check,
});

export const COMPARISON_OPS: Definitions<ComparisonOps> = {
  'arith.cmpi': {
    kind: 'elementwise',
    doc: 'Integer comparison to i1; {predicate}: eq ne slt sle sgt sge ult ule ugt uge.',
    operands: ['lhs', 'rhs'],
    results: 1,
    attributes: {
      predicate: oneOf('eq', 'ne', 'slt', 'sle', 'sgt', 'sge', 'ult', 'ule', 'ugt', 'uge'),
    },
    type: compared(integers),
    element: special(({ from, attributes }) => {
      const [isSigned, compare] = INT_PREDICATES[attributes.predicate];
      const read = isSigned ? asSigned : asUnsigned;
      return (a, b) => (compare(read(from, a), read(from, b)) ? 1 : 0);
    }),
    loops: {
      narrow: ({ attributes: { predicate }, from, a, b, o }) => {
        if (from === 'i1' && predicate.length > 2) return undefined;
        return predicate.startsWith('u')
          ? unsignedCompare(predicate, from, a, b, o)
          : compareLoop(predicate, a, b, o);
      },
      wide: ({ attributes: { predicate }, a, b, o }) => wideCompare(predicate, a, b, o),
    },
    axis: ofBoth((x, y, op) => comparison(String(op.attributes['predicate']), x, y)),
    flops: 1,
  },
  'arith.cmpf': {
    kind: 'elementwise',
    doc: 'Float comparison to i1; {predicate}: oeq ogt oge olt ole une (o: false on NaN, u: true).',
    operands: ['lhs', 'rhs'],
    results: 1,
    attributes: { predicate: oneOf('oeq', 'ogt', 'oge', 'olt', 'ole', 'une') },
    type: compared(floats),
    element: special(({ attributes }) => {
      const compare = FLOAT_PREDICATES[attributes.predicate];
      return (a, b) => (compare(a, b) ? 1 : 0);
    }),
    loops: { narrow: ({ attributes, a, b, o }) => compareLoop(attributes.predicate, a, b, o) },
    axis: constancyOnly,
    flops: 0,
  },
  'arith.select': {
    kind: 'elementwise',
    doc: '{yes} where {condition}, else {no}. A scalar {condition} chooses between whole tiles.',
    operands: ['condition', 'yes', 'no'],
    results: 1,
    attributes: {},
    type: {
      infer: ({ operands }) => [operands[1]!],
      check: ({ operands: [condition, yes, no] }) => {
        if (!sameType(yes!, no!)) return 'the two values differ in type';
        if (dtypeOf(condition!) !== 'i1') return 'the condition must be i1';
        const shape = shapeOf(condition!);
        return need(
          shape.length === 0 || sameShape(shape, shapeOf(yes!)),
          'condition and values differ in shape',
        );
      },
    },
    element: special(() => (condition, yes, no) => (condition ? yes : no)),
    loops: {
      exact: true,
      narrow: chosen,
      wide: (arrays) => {
        const loop = chosen(arrays);
        return (n) => {
          loop(n);
          return true;
        };
      },
    },
    axis: (op, [x, y, z]) => {
      if (!x || !y || !z) return undefined;
      const whole = shapeOf(op.operand(0).type).length === 0;
      const steady = rankOf(op.result).map((size, d) => (whole ? size : x.constancy[d]!));
      const either = meet(y, z);
      const contiguity = either.contiguity.map((c, d) => Math.min(c, steady[d]!));
      return {
        ...either,
        contiguity,
        divisibility: contiguity.map((run, d) => divisibilityAt(either, d, run)),
        constancy: either.constancy.map((c, d) => Math.min(c, steady[d]!)),
      };
    },
    range: (_, of) => union(of(1), of(2)),
    flops: 0,
  },
};

function compareLoop(predicate: string, a: Numbers, b: Numbers, o: Numbers): Kernel | undefined {
  switch (predicate) {
    case 'eq':
    case 'oeq':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! === b[i]! ? 1 : 0;
      };
    case 'ne':
    case 'une':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! !== b[i]! ? 1 : 0;
      };
    case 'slt':
    case 'olt':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! < b[i]! ? 1 : 0;
      };
    case 'sle':
    case 'ole':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! <= b[i]! ? 1 : 0;
      };
    case 'sgt':
    case 'ogt':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! > b[i]! ? 1 : 0;
      };
    case 'sge':
    case 'oge':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >= b[i]! ? 1 : 0;
      };
    default:
      return undefined;
  }
}

function unsignedCompare(
  predicate: string,
  from: TileDType,
  a: Numbers,
  b: Numbers,
  o: Numbers,
): Kernel | undefined {
  // Sign extension keeps the unsigned order of narrow integers too.
  if (from === 'i1') return undefined;
  switch (predicate) {
    case 'ult':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >>> 0 < b[i]! >>> 0 ? 1 : 0;
      };
    case 'ule':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >>> 0 <= b[i]! >>> 0 ? 1 : 0;
      };
    case 'ugt':
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >>> 0 > b[i]! >>> 0 ? 1 : 0;
      };
    default:
      return (n) => {
        for (let i = 0; i < n; i++) o[i] = a[i]! >>> 0 >= b[i]! >>> 0 ? 1 : 0;
      };
  }
}

function wideCompare(predicate: string, a: Numbers, b: Numbers, o: Numbers): WideLoop | undefined {
  const signed = compareLoop(predicate, a, b, o);
  if (!signed || predicate.startsWith('u')) return undefined;
  return (n) => {
    signed(n);
    return true;
  };
}
