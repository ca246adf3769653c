/**
 * Values into tensors, casts, and broadcasting, by Triton's rules. Every function emits what is
 * needed at the insertion point and gives back a tensor.
 */
import { MESSAGES } from '../codes';
import { tensor as tensorType, type Type } from '../../ir/types';
import type { OpName } from '../../ir/ops';
import type { Value } from '../../ir/ir';
import type { Context } from '../context';
import {
  BF16,
  FP16,
  FP32,
  INT1,
  INT64,
  bits,
  dtypeOfFloat,
  dtypeOfInteger,
  intRange,
  irElement,
  isFloating,
  isFp8,
  isInt,
  isSigned,
  isStandardFloating,
  num,
  publicName,
  sameDtype,
  showDtype,
  type Dtype,
  type NumberDtype,
} from '../dtypes';
import { describe, show, type Static, type Tensor, type Val } from '../values';

export function tensorOf(handle: Value, dtype: Dtype, shape: readonly number[]): Tensor {
  return { kind: 'tensor', handle, dtype, shape };
}
export function irType(dtype: Dtype, shape: readonly number[]): Type {
  return tensorType(shape, irElement(dtype));
}
export const FP8E4B15 = num('fp8e4b15');
/** AMD's; Triton refuses them for every NVIDIA GPU. */
const FNUZ: readonly Dtype[] = [num('fp8e4b8'), num('fp8e5b16')];

/** Refuses to make or multiply what no CUDA GPU has: conversions are all there is of it here. */
export function checkFp8(cx: Context, dtype: Dtype): void {
  if (FNUZ.includes(dtype))
    cx.fail('HC0205', MESSAGES.HC0205.fp8NotSupported({ dtype: showDtype(dtype) }));
}
/** The name that IR numbers have by dtype, for constants. */
type PythonNumber = Static & { kind: 'bool' | 'int' | 'float' };

/** A constant of a dtype, full of one value. */
export function constant(
  cx: Context,
  value: number | bigint | boolean,
  dtype: NumberDtype,
  shape: readonly number[] = [],
): Tensor {
  let content: number | bigint | boolean = value;
  if (isFloating(dtype)) content = Number(value);
  else if (dtype === INT1) content = value !== 0 && value !== 0n && value !== false;
  else {
    const whole = typeof value === 'bigint' ? value : BigInt(Math.trunc(Number(value)));
    const wrapped = BigInt.asIntN(bits(dtype), whole);
    content = bits(dtype) === 64 ? wrapped : Number(wrapped);
  }
  return tensorOf(cx.builder.constant(irType(dtype, shape), content), dtype, shape);
}

/** A Python number as a constant of a given dtype; a float into an integer dtype is an error. */
export function scalarConstant(cx: Context, v: PythonNumber, dtype: Dtype): Tensor {
  if (dtype.kind === 'pointer')
    cx.fail('HC0204', MESSAGES.HC0204.cannotMake({ dtype: showDtype(dtype), v: show(v) }));
  if (v.kind === 'float' && isInt(dtype) && v.value !== 0)
    cx.fail('HC0204', MESSAGES.HC0204.floatDoesNot({ v: show(v), dtype: publicName(dtype) }));
  if (v.kind === 'int' && isInt(dtype) && dtype !== INT1) {
    const { min, max } = intRange(dtype);
    const range = { min: isSigned(dtype) ? min : -(max + 1n) / 2n, max };
    if (v.value < range.min || v.value > range.max)
      cx.fail('HC0207', MESSAGES.HC0207.outRangeType({ value: v.value, dtype: showDtype(dtype) }));
  }
  return constant(cx, v.value, dtype);
}

/** The dtype a Python number gets when it becomes a tensor. */
export function naturalDtype(cx: Context, v: PythonNumber): NumberDtype {
  if (v.kind === 'bool') return INT1;
  if (v.kind === 'float') return dtypeOfFloat(v.value);
  const dtype = dtypeOfInteger(v.value);
  return dtype ?? cx.fail('HC0207', MESSAGES.HC0207.integerFitsNo({ value: v.value }));
}

export function toTensor(cx: Context, v: Val): Tensor {
  switch (v.kind) {
    case 'tensor':
      return v;
    case 'bool':
    case 'int':
    case 'float':
      return scalarConstant(cx, v, naturalDtype(cx, v));
    default:
      return cx.fail('HC0204', MESSAGES.HC0204.expectedTensorOr({ v: describe(v) }));
  }
}

function convert(cx: Context, name: OpName, x: Tensor, dtype: Dtype): Tensor {
  return tensorOf(cx.builder.cast(name, x.handle, irElement(dtype)), dtype, x.shape);
}
/** The same bits under another dtype of the same IR type: nothing to emit. */
function relabel(x: Tensor, dtype: Dtype): Tensor {
  return { ...x, dtype };
}

export function castInteger(cx: Context, x: Tensor, dtype: NumberDtype, signed: boolean): Tensor {
  const from = bits(x.dtype);
  const to = bits(dtype);
  if (from === to) return relabel(x, dtype);
  if (from > to) return convert(cx, 'arith.trunci', x, dtype);
  return convert(cx, signed ? 'arith.extsi' : 'arith.extui', x, dtype);
}

function notZero(cx: Context, x: Tensor): Tensor {
  const zero = constant(cx, 0, x.dtype as NumberDtype, x.shape);
  const predicate = isFloating(x.dtype) ? 'une' : 'ne';
  return tensorOf(cx.builder.cmp(predicate, x.handle, zero.handle), INT1, x.shape);
}

export type Rounding = 'rtne' | 'rtz';

/** `x.to(dtype)`: converts the numbers. */
export function cast(cx: Context, x: Tensor, to: Dtype, rounding?: Rounding): Tensor {
  const from = x.dtype;
  if (sameDtype(from, to)) return x;
  const narrows = isFloating(from) && isFloating(to) && bits(to) < bits(from);
  if (rounding && !narrows)
    cx.fail(
      'HC0215',
      MESSAGES.HC0215.fpDowncastRounding({ from: showDtype(from), to: showDtype(to) }),
    );
  if (from.kind === 'pointer' || to.kind === 'pointer') return castPointer(cx, x, to);
  const foreign = [from, to].find((dtype) => FNUZ.includes(dtype));
  if (foreign) cx.warn('HC0302', MESSAGES.HC0302.fp8({ dtype: showDtype(foreign) }));
  if (from === FP8E4B15 || to === FP8E4B15) return castB15(cx, x, to);
  if ((isFp8(from) && isFloating(to)) || (isFloating(from) && isFp8(to)) || rounding === 'rtz') {
    const type = x.shape.length ? irType(to, x.shape) : irElement(to);
    const handle = narrows
      ? cx.builder.value('tt.fp_to_fp', [x.handle], type, { rounding: rounding ?? 'rtne' })
      : cx.builder.value('tt.fp_to_fp', [x.handle], type);
    return tensorOf(handle, to, x.shape);
  }
  if ((from === FP16 || from === BF16) && to !== FP32) return cast(cx, cast(cx, x, FP32), to);
  if (isFloating(from) && isFloating(to)) {
    return convert(cx, narrows ? 'arith.truncf' : 'arith.extf', x, to);
  }
  if (isInt(from) && isInt(to)) {
    if (to === INT1) return notZero(cx, x);
    return castInteger(cx, x, to, isSigned(from));
  }
  if (isStandardFloating(from) && isInt(to)) {
    if (to === INT1) return notZero(cx, x);
    return convert(cx, isSigned(to) ? 'arith.fptosi' : 'arith.fptoui', x, to);
  }
  if (isInt(from) && isStandardFloating(to))
    return convert(cx, isSigned(from) ? 'arith.sitofp' : 'arith.uitofp', x, to);
  return cx.fail('HC0205', MESSAGES.HC0205.cannotCast({ x: describe(x), to: showDtype(to) }));
}

/** float8e4b15 is converted by code of Triton's own, which supports fp16 and fp32 only. */
function castB15(cx: Context, x: Tensor, to: Dtype): Tensor {
  const other = x.dtype === FP8E4B15 ? to : x.dtype;
  if (other !== FP16 && other !== FP32)
    cx.fail('HC0205', MESSAGES.HC0205.cannotCast({ x: describe(x), to: showDtype(to) }));
  const type = irType(to, x.shape);
  return tensorOf(cx.builder.value('tt.fp_to_fp', [x.handle], type), to, x.shape);
}

function castPointer(cx: Context, x: Tensor, to: Dtype): Tensor {
  const from = x.dtype;
  if (from.kind === 'pointer' && to.kind === 'pointer') return convert(cx, 'tt.bitcast', x, to);
  if (from.kind === 'pointer') {
    if (to.kind === 'number' && isInt(to) && bits(to) === 64)
      return convert(cx, 'tt.ptr_to_int', x, to);
    if (to === INT1) return notZero(cx, convert(cx, 'tt.ptr_to_int', x, INT64));
  } else if (to.kind === 'pointer' && isInt(from)) {
    if (bits(from) !== 64) cx.fail('HC0205', MESSAGES.HC0205.noAddressPointer({ x: describe(x) }));
    return convert(cx, 'tt.int_to_ptr', x, to);
  }
  return cx.fail('HC0205', MESSAGES.HC0205.cannotCast({ x: describe(x), to: showDtype(to) }));
}

/** `x.to(dtype, bitcast=True)`: the same bits. */
export function bitcast(cx: Context, x: Tensor, to: Dtype): Tensor {
  if (sameDtype(x.dtype, to)) return x;
  if (x.dtype.kind === 'pointer' || to.kind === 'pointer') return cast(cx, x, to);
  if (bits(x.dtype) !== bits(to))
    cx.fail('HC0204', MESSAGES.HC0204.cannotBitcastData({ dtype: bits(x.dtype), to: bits(to) }));
  if (isInt(x.dtype) && isInt(to)) return relabel(x, to);
  return convert(cx, 'arith.bitcast', x, to);
}

export function splat(cx: Context, x: Tensor, shape: readonly number[]): Tensor {
  if (shape.length === 0) return x;
  return tensorOf(cx.builder.splat(x.handle, shape), x.dtype, shape);
}

export function expandDims(cx: Context, x: Tensor, axis: number): Tensor {
  const shape = [...x.shape.slice(0, axis), 1, ...x.shape.slice(axis)];
  if (x.shape.length === 0) return splat(cx, x, shape);
  const handle = cx.builder.value('tt.expand_dims', [x.handle], irType(x.dtype, shape), { axis });
  return tensorOf(handle, x.dtype, shape);
}

export function showShape(shape: readonly number[]): string {
  return `[${shape.join(', ')}]`;
}
function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((n, i) => n === b[i]);
}

/** Repeats `x` to `shape`, of the same rank; a scalar is splat. */
export function broadcastTo(cx: Context, x: Tensor, shape: readonly number[]): Tensor {
  if (x.shape.length === 0) return splat(cx, x, shape);
  if (sameShape(x.shape, shape)) return x;
  if (x.shape.length !== shape.length)
    cx.fail(
      'HC0202',
      MESSAGES.HC0202.cannotBroadcastRank({ shape: showShape(x.shape), shape2: showShape(shape) }),
    );
  x.shape.forEach((size, i) => {
    if (size !== shape[i] && size !== 1)
      cx.fail(
        'HC0202',
        MESSAGES.HC0202.cannotBroadcastSize({
          shape: showShape(x.shape),
          shape2: showShape(shape),
          value: shape[i]!,
          size,
          i,
        }),
      );
  });
  const type = irType(x.dtype, shape);
  return tensorOf(cx.builder.value('tt.broadcast', [x.handle], type), x.dtype, shape);
}

/** NumPy broadcasting of two values; two scalars stay scalars. */
export function broadcastPair(cx: Context, a: Tensor, b: Tensor): [Tensor, Tensor] {
  if (a.shape.length === 0 && b.shape.length === 0) return [a, b];
  if (b.shape.length === 0) return [a, splat(cx, b, a.shape)];
  if (a.shape.length === 0) return [splat(cx, a, b.shape), b];
  const [wholeA, wholeB] = [a.shape, b.shape];
  while (a.shape.length < b.shape.length) a = expandDims(cx, a, 0);
  while (b.shape.length < a.shape.length) b = expandDims(cx, b, 0);
  const shape = a.shape.map((left, i) => {
    const right = b.shape[i]!;
    if (left !== 1 && right !== 1 && left !== right)
      cx.fail(
        'HC0202',
        MESSAGES.HC0202.shapesDoNot({
          wholeA: showShape(wholeA),
          wholeB: showShape(wholeB),
          i,
          left,
          right,
        }),
      );
    return left === 1 ? right : left;
  });
  return [broadcastTo(cx, a, shape), broadcastTo(cx, b, shape)];
}

/** NumPy broadcasting of any number of values; scalars stay scalars only together. */
export function broadcastAll(cx: Context, values: readonly Tensor[]): Tensor[] {
  let widest = values[0]!;
  for (const x of values) widest = broadcastPair(cx, x, widest)[1];
  return values.map((x) => broadcastPair(cx, x, widest)[0]);
}

/** A scalar of a tile with one element. */
export function unsplat(cx: Context, x: Tensor): Tensor {
  if (x.shape.length === 0) return x;
  if (x.shape.some((n) => n !== 1))
    cx.fail('HC0202', MESSAGES.HC0202.onlyTileWith({ x: describe(x) }));
  return tensorOf(cx.builder.value('tt.unsplat', [x.handle], irElement(x.dtype)), x.dtype, []);
}
