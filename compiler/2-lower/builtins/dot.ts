/** `tl.dot`. */
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
  publicName,
  sameDtype,
  showDtype,
  type Dtype,
  type NumberDtype,
} from '../dtypes';
import { define } from '../registry';
import { TL } from '../paths';
import { computable, constant, irType, showShape, tensorOf } from '../semantics/convert';
import { reshape } from '../semantics/shape';
import { dtypeArgument, staticBool, staticString, tensorArgument } from '../shapes';
import { describe, type Tensor } from '../values';

const PRECISIONS = ['ieee', 'tf32', 'tf32x3', 'bf16x3', 'bf16x6'];

function checkOperands(cx: Context, a: Tensor, b: Tensor, acc: Tensor | undefined): void {
  const both = `${describe(a)} and ${describe(b)}`;
  if (a.shape.length < 2 || a.shape.length !== b.shape.length)
    cx.fail('HC0202', `tl.dot takes tiles of one rank, 2 or more, got ${both}`);
  const rank = a.shape.length;
  if (a.shape.slice(0, -2).join() !== b.shape.slice(0, -2).join())
    cx.fail('HC0202', `tl.dot: the batch shapes of ${both} differ`);
  if (a.shape[rank - 1] !== b.shape[rank - 2])
    cx.fail(
      'HC0202',
      `tl.dot: ${showShape(a.shape)} and ${showShape(b.shape)} do not go together: the last ` +
        `dimension of the first (${a.shape[rank - 1]}) must equal the next-to-last of the second ` +
        `(${b.shape[rank - 2]})`,
    );
  const shape = [...a.shape.slice(0, -1), b.shape[rank - 1]!];
  if (acc && acc.shape.join() !== shape.join())
    cx.fail(
      'HC0202',
      `tl.dot: the accumulator is ${describe(acc)}, expected shape ${showShape(shape)}`,
    );
  if (isFp8(a.dtype) && isFp8(b.dtype)) return leastK(cx, a);
  const allowed: Dtype[] = [INT8, FP16, BF16, FP32, FP64];
  for (const x of [a, b])
    if (!allowed.includes(x.dtype)) cx.fail('HC0205', `tl.dot does not take ${describe(x)}`);
  if (!sameDtype(a.dtype, b.dtype))
    cx.fail(
      'HC0204',
      `tl.dot: both operands must have the same dtype, got ${showDtype(a.dtype)} and ` +
        `${showDtype(b.dtype)}. Cast one, for example with .to(tl.${publicName(a.dtype)})`,
    );
  computable(cx, a.dtype, 'tl.dot');
  leastK(cx, a);
}

/** CUDA's lower bound of K: 32 bytes, 8 elements at least. */
function leastK(cx: Context, a: Tensor): void {
  const least = { 8: 32, 16: 16, 32: 8 }[bits(a.dtype)] ?? 1;
  const k = a.shape.at(-1)!;
  if (k < least)
    cx.fail(
      'HC0202',
      `tl.dot of ${showDtype(a.dtype)} takes K >= ${least}, got ${describe(a)}: pad K`,
    );
}

define(
  TL,
  'dot(input, other, acc=None, input_precision=None, allow_tf32=None, ' +
    'max_num_imprecise_acc=None, out_dtype=None)',
  (cx, args) => {
    let a = tensorArgument(cx, args.get('input'), 'the first operand of tl.dot');
    let b = tensorArgument(cx, args.get('other'), 'the second operand of tl.dot');
    const given = args.optional('acc');
    let acc = given && tensorArgument(cx, given, 'acc of tl.dot');
    checkOperands(cx, a, b, acc);

    const precision = args.optional('input_precision');
    const tf32 = args.optional('allow_tf32');
    if (precision && tf32)
      cx.fail('HC0107', 'only one of input_precision and allow_tf32 can be specified');
    // The reference computes fp32 products in TF32 unless told otherwise.
    let inputPrecision = !tf32 || staticBool(cx, tf32, 'allow_tf32') ? 'tf32' : 'ieee';
    if (precision) inputPrecision = staticString(cx, precision, 'input_precision').toLowerCase();
    if (!PRECISIONS.includes(inputPrecision))
      cx.fail(
        'HC0215',
        `input_precision must be one of ${PRECISIONS.join(', ')}, got ${inputPrecision}`,
      );

    const wanted = args.optional('out_dtype');
    const out = wanted ? dtypeArgument(cx, wanted, 'out_dtype') : (acc?.dtype ?? FP32);
    const result = resultDtype(cx, a.dtype, out);
    const expected = isInt(a.dtype) && !wanted && acc ? acc.dtype : out;
    if (acc && !sameDtype(acc.dtype, wanted || !isInt(a.dtype) ? out : expected))
      cx.fail(
        'HC0204',
        `tl.dot: expected an accumulator of dtype ${showDtype(out)}, got ${showDtype(acc.dtype)}. ` +
          `Pass out_dtype=tl.${publicName(acc.dtype)} to use it`,
      );
    if (acc && !sameDtype(acc.dtype, result))
      cx.fail(
        'HC0204',
        `tl.dot of ${showDtype(a.dtype)} gives ${showDtype(result)}, but the accumulator is ` +
          showDtype(acc.dtype),
      );

    const rank = a.shape.length;
    const shape = [...a.shape.slice(0, -1), b.shape[rank - 1]!];
    if (rank > 3) {
      const batch = shape.slice(0, -2).reduce((p, q) => p * q, 1);
      const flat = (x: Tensor): Tensor => reshape(cx, x, [batch, ...x.shape.slice(-2)], false);
      [a, b, acc] = [flat(a), flat(b), acc && flat(acc)];
    }
    const inner = rank > 3 ? [a.shape[0]!, ...shape.slice(-2)] : shape;
    const start = acc ?? constant(cx, 0, result, inner);
    const handle = cx.builder.value(
      'tt.dot',
      [a.handle, b.handle, start.handle],
      irType(result, inner),
      { inputPrecision },
    );
    const product = tensorOf(handle, result, inner);
    return rank > 3 ? reshape(cx, product, shape, false) : product;
  },
);

function resultDtype(cx: Context, operand: Dtype, out: Dtype): NumberDtype {
  if (isInt(operand)) return INT32;
  if (out === BF16)
    return cx.fail(
      'HC0205',
      'out_dtype=bfloat16 is unsupported: use out_dtype=tl.float32 and cast with .to(tl.bfloat16)',
    );
  const isWide = operand.kind === 'number' && (operand === FP32 || operand === BF16);
  if (isWide) return FP32;
  if (out.kind !== 'number') return cx.fail('HC0205', 'out_dtype must be a number type');
  return out;
}
