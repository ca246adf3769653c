/** Conversions between numbers, and of the bits as another type. */
import { roundFloat, scalarBits, scalarFromBits } from '../numbers';
import { sameShape } from '../sameType';
import { asDType, type Kernel, type Numbers, type TileDType } from '../tile';
import { bitWidth, dtypeOf, isFloat, isInteger, shapeOf, type DType } from '../types';
import { constancyOnly, unchanged } from './axis';
import { oneOf, optional } from './attributes';
import type { Definitions, ElementwiseOp, LoopArrays, NoAttributes, TypeRule } from './definition';
import { asSigned, asUnsigned, floatToInteger, integerToFloat, special, wrapTo } from './element';
import { copied, copiedWide } from './loops';
import { sameRange, wholeRange } from './range';
import { need, stated } from './rules';

type Name =
  | `arith.${'extsi' | 'extui' | 'trunci' | 'extf' | 'truncf' | 'bitcast'}`
  | `arith.${'si' | 'ui'}tofp`
  | `arith.fpto${'si' | 'ui'}`;
export type CastOps = Record<Name, NoAttributes> & {
  'tt.fp_to_fp': { readonly rounding?: 'rtne' | 'rtz' };
};

/** A cast: the shape stays; `test` says of the two dtypes what is wrong. */
const cast = (test: (from: DType, to: DType) => string | undefined): TypeRule<unknown> => ({
  infer: stated,
  check: ({ operands }, results) => {
    if (!sameShape(shapeOf(operands[0]!), shapeOf(results[0]!))) return 'a cast keeps the shape';
    const [from, to] = [dtypeOf(operands[0]!), dtypeOf(results[0]!)];
    if (!from || !to) return 'a cast is between numbers';
    return test(from, to);
  },
});
const WIDENS = cast((from, to) =>
  need(isInteger(from) && isInteger(to) && bitWidth(to) > bitWidth(from), 'must widen an integer'),
);
const TO_FLOAT = cast((from, to) => need(isInteger(from) && isFloat(to), 'integer to float'));
const TO_INTEGER = cast((from, to) => need(isFloat(from) && isInteger(to), 'float to integer'));

const CAST = {
  kind: 'elementwise',
  operands: ['x'],
  results: 1,
  attributes: {},
  axis: constancyOnly,
  flops: 0,
} as const satisfies Partial<ElementwiseOp<NoAttributes>>;

const rounded = special<{ readonly rounding?: 'rtne' | 'rtz' }>(({ to, attributes }) => {
  if (!isFloat(to)) throw new Error(`${to} is no float`);
  const mode = attributes.rounding === 'rtz' ? 'rtz' : 'rtne';
  return (x) => roundFloat(to, x as number, mode);
});

export const CAST_OPS: Definitions<CastOps> = {
  'arith.extsi': {
    ...CAST,
    doc: 'Widens an integer with its sign.',
    type: WIDENS,
    element: special(
      ({ from, to }) =>
        (x) =>
          wrapTo(to, asSigned(from, x)),
    ),
    loops: {
      narrow: (arrays) => (arrays.from === 'i1' ? undefined : copied(arrays)),
      wide: (arrays) => (arrays.from === 'i1' ? undefined : copiedWide(arrays)),
    },
    axis: unchanged,
    range: (op, of) => (dtypeOf(op.operand(0).type) === 'i1' ? { low: -1, high: 0 } : of(0)),
  },
  'arith.extui': {
    ...CAST,
    doc: 'Widens an integer with zeros.',
    type: WIDENS,
    element: special(
      ({ from, to }) =>
        (x) =>
          wrapTo(to, asUnsigned(from, x)),
    ),
    loops: {
      narrow: (arrays) => (arrays.from === 'i1' ? copied(arrays) : undefined),
      wide: ({ from, a, o }) =>
        from !== 'i32' && from !== 'i1'
          ? undefined
          : (n) => {
              for (let i = 0; i < n; i++) o[i] = a[i]! >>> 0;
              return true;
            },
    },
    axis: unchanged,
    range: (op, of) => {
      const range = of(0);
      if (range.low >= 0) return range;
      const dtype = dtypeOf(op.operand(0).type);
      return dtype === 'i64' ? undefined : { low: 0, high: 2 * (wholeRange(dtype).high + 1) - 1 };
    },
  },
  'arith.trunci': {
    ...CAST,
    doc: 'Keeps the low bits of an integer.',
    type: cast((from, to) =>
      need(isInteger(from) && isInteger(to) && bitWidth(to) < bitWidth(from), 'must narrow'),
    ),
    element: special(
      ({ to }) =>
        (x) =>
          wrapTo(to, x),
    ),
    loops: {
      narrow: (arrays) => (arrays.to === 'i1' ? undefined : copied(arrays)),
      wide: ({ to, a, o }) => {
        // Storing wraps to the width; i1 keeps the lowest bit.
        const mask = to === 'i1' ? 1 : -1;
        return (n) => {
          for (let i = 0; i < n; i++) o[i] = a[i]! & mask;
          return true;
        };
      },
    },
    axis: unchanged,
    range: sameRange,
  },
  'arith.extf': {
    ...CAST,
    doc: 'Widens a float; exact.',
    type: cast((from, to) =>
      need(isFloat(from) && isFloat(to) && bitWidth(to) > bitWidth(from), 'must widen a float'),
    ),
    element: rounded,
    loops: { exact: true, narrow: copied },
  },
  'arith.truncf': {
    ...CAST,
    doc: 'Narrows a float, rounding to nearest even.',
    type: cast((from, to) =>
      need(isFloat(from) && isFloat(to) && bitWidth(to) < bitWidth(from), 'must narrow a float'),
    ),
    element: rounded,
    loops: {
      // From f64, a narrow format must be rounded to directly.
      narrow: (arrays) =>
        arrays.from === 'f64' && arrays.to !== 'f32' ? undefined : copied(arrays),
    },
  },
  'tt.fp_to_fp': {
    ...CAST,
    doc: 'Converts between floats; {rounding} is "rtne" (default) or "rtz".',
    attributes: { rounding: optional(oneOf('rtne', 'rtz')) },
    type: cast((from, to) => need(isFloat(from) && isFloat(to), 'must be floats')),
    element: rounded,
  },
  'arith.sitofp': {
    ...CAST,
    doc: 'Signed integer to float.',
    type: TO_FLOAT,
    element: special(
      ({ from, to }) =>
        (x) =>
          integerToFloat(to, asSigned(from, x)),
    ),
    loops: { narrow: signedToFloat, wide: wideToFloat },
  },
  'arith.uitofp': {
    ...CAST,
    doc: 'Unsigned integer to float.',
    type: TO_FLOAT,
    element: special(
      ({ from, to }) =>
        (x) =>
          integerToFloat(to, asUnsigned(from, x)),
    ),
  },
  'arith.fptosi': {
    ...CAST,
    doc: 'Float to signed integer, truncated toward zero.',
    type: TO_INTEGER,
    element: special(
      ({ from, to }) =>
        (x) =>
          floatToInteger(from, to, x as number, true),
    ),
  },
  'arith.fptoui': {
    ...CAST,
    doc: 'Float to unsigned integer, truncated toward zero.',
    type: TO_INTEGER,
    element: special(
      ({ from, to }) =>
        (x) =>
          floatToInteger(from, to, x as number, false),
    ),
  },
  'arith.bitcast': {
    ...CAST,
    doc: 'The same bits as another type of the same width.',
    type: cast((from, to) => need(bitWidth(from) === bitWidth(to), 'widths differ')),
    element: special(({ from, to }) => (x) => {
      const value = scalarFromBits(to, scalarBits(from, x));
      return typeof value === 'boolean' ? Number(value) : value;
    }),
    loops: { exact: true, narrow: ({ from, to, a, o }) => bitcastKernel(from, to, a, o) },
  },
};

function signedToFloat(arrays: LoopArrays<unknown>): Kernel | undefined {
  const { from, to } = arrays;
  if (from === 'i1' || (isInteger(asDType(from)) && to !== 'f32' && to !== 'f64')) return undefined;
  return copied(arrays);
}
/** A safe integer is rounded once; below f32 the format's own rounding would be a second one. */
function wideToFloat(arrays: LoopArrays<unknown>) {
  return arrays.to === 'f32' || arrays.to === 'f64' ? copiedWide(arrays) : undefined;
}
function bitcastKernel(from: TileDType, to: TileDType, a: Numbers, o: Numbers): Kernel | undefined {
  if (from === to)
    return (n) => {
      for (let i = 0; i < n; i++) o[i] = a[i]!;
    };
  const bits32 = new Set<TileDType>(['i32', 'f32']);
  if (!bits32.has(from) || !bits32.has(to)) return undefined;
  const source = new Int32Array(a.buffer);
  const target = new Int32Array(o.buffer);
  return (n) => {
    for (let i = 0; i < n; i++) target[i] = source[i]!;
  };
}
