/**
 * `tl.dot`: the rules of Triton 3.8 for CUDA. Products are never less precise than was requested.
 */
import { MESSAGES } from '../codes';
import type { Context } from '../context';
import {
  BF16,
  FP16,
  FP32,
  FP64,
  INT32,
  INT8,
  bits,
  isFp8,
  isInt,
  num,
  publicName,
  sameDtype,
  showDtype,
  type Dtype,
  type NumberDtype,
} from '../dtypes';
import { define } from '../registry';
import { TL } from '../paths';
import { FP8E4B15, checkFp8, constant, irType, showShape, tensorOf } from '../semantics/convert';
import { reshape } from '../semantics/shape';
import { dtypeArgument, staticBool, staticInt, staticString, tensorArgument } from '../shapes';
import { describe, type Tensor } from '../values';

const PRECISIONS = ['ieee', 'tf32', 'tf32x3', 'bf16x3', 'bf16x6'];
const OPERANDS: readonly Dtype[] = [INT8, num('uint8'), FP16, BF16, FP32, FP64];
/** CUDA's lower bounds of K, by the bits of an operand's element. */
const LEAST_K: Readonly<Record<number, number>> = { 8: 32, 16: 16, 32: 8, 64: 4 };

/** The shape of the product; checks that ranks and sizes go together. */
export function productShape(
  cx: Context,
  what: string,
  a: Tensor,
  b: Tensor,
  inner: readonly [number, number],
): void {
  const both = `${describe(a)} and ${describe(b)}`;
  if (a.shape.length < 2 || a.shape.length !== b.shape.length)
    cx.fail('HC0202', MESSAGES.HC0202.takesTilesOne({ what, both }));
  if (a.shape.slice(0, -2).join() !== b.shape.slice(0, -2).join())
    cx.fail('HC0202', MESSAGES.HC0202.batchShapesDiffer({ what, both }));
  if (inner[0] !== inner[1])
    cx.fail(
      'HC0202',
      MESSAGES.HC0202.doNotGo({
        what,
        shape: showShape(a.shape),
        shape2: showShape(b.shape),
        value: inner[0],
        value2: inner[1],
      }),
    );
}

/** An accumulator of this shape and dtype. */
export function checkAccumulator(
  cx: Context,
  what: string,
  acc: Tensor,
  shape: readonly number[],
  dtype: Dtype,
): void {
  if (acc.shape.join() !== shape.join())
    cx.fail(
      'HC0202',
      MESSAGES.HC0202.accumulatorExpectedShape({
        what,
        acc: describe(acc),
        shape: showShape(shape),
      }),
    );
  if (!sameDtype(acc.dtype, dtype))
    cx.fail(
      'HC0204',
      MESSAGES.HC0204.expectedAccumulatorDtype({
        what,
        dtype: showDtype(dtype),
        dtype2: showDtype(acc.dtype),
        dtype3: publicName(acc.dtype),
      }),
    );
}

function checkDtypes(cx: Context, a: Tensor, b: Tensor): void {
  if (!(isFp8(a.dtype) && isFp8(b.dtype))) {
    for (const x of [a, b])
      if (!OPERANDS.includes(x.dtype))
        cx.fail('HC0205', MESSAGES.HC0205.dotDoesNot({ x: describe(x) }));
    if (!sameDtype(a.dtype, b.dtype))
      cx.fail(
        'HC0204',
        MESSAGES.HC0204.dotBothOperands({
          dtype: showDtype(a.dtype),
          dtype2: showDtype(b.dtype),
          dtype3: publicName(a.dtype),
        }),
      );
  }
  for (const { dtype } of [a, b]) {
    checkFp8(cx, dtype);
    if (dtype === FP8E4B15) cx.warn('HC0301', MESSAGES.HC0301.b15Dot());
  }
  const least = LEAST_K[bits(a.dtype)] ?? 1;
  if (a.shape.at(-1)! < least)
    cx.fail('HC0202', MESSAGES.HC0202.inputShapesShould({ least, a: describe(a) }));
}

/** `acc + a · b` of tiles whose shapes and dtypes go together; 4 dimensions and more as batches. */
export function product(
  cx: Context,
  a: Tensor,
  b: Tensor,
  acc: Tensor | undefined,
  result: NumberDtype,
  inputPrecision: string,
): Tensor {
  const shape = [...a.shape.slice(0, -1), b.shape.at(-1)!];
  const batch = shape.slice(0, -2).reduce((p, q) => p * q, 1);
  const flat = (x: Tensor): Tensor =>
    shape.length > 3 ? reshape(cx, x, [batch, ...x.shape.slice(-2)], false) : x;
  const [left, right] = [flat(a), flat(b)];
  const start = acc ? flat(acc) : flat(constant(cx, 0, result, shape));
  const handle = cx.builder.value(
    'tt.dot',
    [left.handle, right.handle, start.handle],
    irType(result, start.shape),
    { inputPrecision },
  );
  const sum = tensorOf(handle, result, start.shape);
  return shape.length > 3 ? reshape(cx, sum, shape, false) : sum;
}

define(
  TL,
  'dot(input, other, acc=None, input_precision=None, allow_tf32=None, ' +
    'max_num_imprecise_acc=None, out_dtype=None)',
  (cx, args) => {
    const a = tensorArgument(cx, args.get('input'), 'the first operand of tl.dot');
    const b = tensorArgument(cx, args.get('other'), 'the second operand of tl.dot');
    const given = args.optional('acc');
    const acc = given && tensorArgument(cx, given, 'acc of tl.dot');
    productShape(cx, 'tl.dot', a, b, [a.shape.at(-1)!, b.shape.at(-2)!]);
    checkDtypes(cx, a, b);

    const precision = args.optional('input_precision');
    const tf32 = args.optional('allow_tf32');
    if (precision && tf32) cx.fail('HC0107', MESSAGES.HC0107.onlyOneInput());
    // The reference computes fp32 products in TF32 by default.
    let inputPrecision = !tf32 || staticBool(cx, tf32, 'allow_tf32') ? 'tf32' : 'ieee';
    if (precision) inputPrecision = staticString(cx, precision, 'input_precision').toLowerCase();
    if (!PRECISIONS.includes(inputPrecision))
      cx.fail(
        'HC0215',
        MESSAGES.HC0215.inputPrecisionOne({ limit: PRECISIONS.join(', '), inputPrecision }),
      );

    const imprecise = args.optional('max_num_imprecise_acc');
    if (imprecise && isFp8(a.dtype) && isFp8(b.dtype)) {
      const count = staticInt(cx, imprecise, 'max_num_imprecise_acc');
      const k = a.shape.at(-1)!;
      if (count > k) cx.fail('HC0215', `max_num_imprecise_acc (${count}) must be <= K (${k})`);
    }
    const wanted = args.optional('out_dtype');
    const out = wanted ? dtypeArgument(cx, wanted, 'out_dtype') : (acc?.dtype ?? FP32);
    const result = resultDtype(cx, a.dtype, out);
    if (acc) {
      checkAccumulator(cx, 'tl.dot', acc, [...a.shape.slice(0, -1), b.shape.at(-1)!], out);
      if (!sameDtype(acc.dtype, result))
        cx.fail(
          'HC0204',
          MESSAGES.HC0204.dotGivesBut({
            dtype: showDtype(a.dtype),
            result: showDtype(result),
            dtype2: showDtype(acc.dtype),
          }),
        );
    }
    return product(cx, a, b, acc, result, inputPrecision);
  },
);

function resultDtype(cx: Context, operand: Dtype, out: Dtype): NumberDtype {
  if (isInt(operand))
    return operand === INT8
      ? INT32
      : cx.fail('HC0205', MESSAGES.HC0205.dotIntegersTakes({ operand: showDtype(operand) }));
  if (out === BF16) return cx.fail('HC0205', MESSAGES.HC0205.outDtypeBfloat());
  if (operand === FP32 || operand === BF16) return FP32;
  if (operand === FP64) return FP64;
  if (out === FP16 || out === FP32) return out;
  return cx.fail(
    'HC0205',
    MESSAGES.HC0205.dotGivesFloat({ operand: showDtype(operand), out: publicName(out) }),
  );
}
