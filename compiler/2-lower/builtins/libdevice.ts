/**
 * `triton.language.extra.libdevice`: the functions that programs use, on the IR's own operations or
 * composed of them. They take fp32 (and the halves, computed in fp32); fp64 is refused.
 */
import type { OpName } from '../../ir/ops';
import type { Context } from '../context';
import { BF16, FP16, FP32, INT32, INT64, isFloating, isInt, showDtype } from '../dtypes';
import { define } from '../registry';
import { LIBDEVICE } from '../paths';
import {
  bitwise,
  compare,
  emitBinary,
  extremum,
  mul,
  operands,
  sub,
  trueDivide,
} from '../semantics/arithmetic';
import { bitcast, cast, computable, constant, tensorOf, toTensor } from '../semantics/convert';
import { describe, float, int, type Tensor, type Val } from '../values';
import { absolute, fma } from './math';

function single(cx: Context, v: Val, name: string): Tensor {
  const x = toTensor(cx, v);
  if (x.dtype === FP16 || x.dtype === BF16) return cast(cx, x, FP32);
  computable(cx, x.dtype, `libdevice.${name}`);
  if (x.dtype !== FP32)
    cx.fail(
      'HC0205',
      `libdevice.${name} takes fp32, got ${showDtype(x.dtype)}. Convert with .to(tl.float32)`,
    );
  return x;
}
function emit(cx: Context, op: OpName, x: Tensor): Tensor {
  return tensorOf(cx.builder.unary(op, x.handle), x.dtype, x.shape);
}
type Float = (cx: Context, x: Tensor) => Tensor;
const op =
  (name: OpName): Float =>
  (cx, x) =>
    emit(cx, name, x);

const UNARY: Record<string, Float> = {
  acos: op('math.acos'),
  asin: op('math.asin'),
  atan: op('math.atan'),
  ceil: op('math.ceil'),
  cos: op('math.cos'),
  cosh: op('math.cosh'),
  erf: op('math.erf'),
  exp: op('math.exp'),
  exp2: op('math.exp2'),
  expm1: op('math.expm1'),
  fast_cosf: op('math.cos'),
  fast_expf: op('math.exp'),
  fast_logf: op('math.log'),
  fast_log2f: op('math.log2'),
  fast_sinf: op('math.sin'),
  fast_tanf: op('math.tan'),
  fast_tanhf: op('math.tanh'),
  floor: op('math.floor'),
  log: op('math.log'),
  log1p: op('math.log1p'),
  log2: op('math.log2'),
  nearbyint: op('math.roundeven'),
  rint: op('math.roundeven'),
  round: op('math.round'),
  rsqrt: op('math.rsqrt'),
  rsqrt_rn: op('math.rsqrt'),
  sin: op('math.sin'),
  sinh: op('math.sinh'),
  sqrt: op('math.sqrt'),
  sqrt_rn: op('tt.precise_sqrt'),
  tan: op('math.tan'),
  tanh: op('math.tanh'),
  trunc: op('math.trunc'),
  exp10: (cx, x) => emit(cx, 'math.exp2', mul(cx, x, float(Math.log2(10)))),
  fast_exp10f: (cx, x) => emit(cx, 'math.exp2', mul(cx, x, float(Math.log2(10)))),
  log10: (cx, x) => mul(cx, emit(cx, 'math.log2', x), float(Math.log10(2))),
  fast_log10f: (cx, x) => mul(cx, emit(cx, 'math.log2', x), float(Math.log10(2))),
  erfc: (cx, x) => sub(cx, float(1), emit(cx, 'math.erf', x)),
  rcp_rn: (cx, x) => emitBinary(cx, 'tt.precise_divf', constant(cx, 1, FP32, x.shape), x),
  saturatef: (cx, x) =>
    extremum(cx, 'min', extremum(cx, 'max', x, float(0), 'none'), float(1), 'none'),
};
for (const [name, run] of Object.entries(UNARY))
  define(LIBDEVICE, `${name}(arg0)`, (cx, a) => {
    const given = toTensor(cx, a.get('arg0'));
    const result = run(cx, single(cx, given, name));
    return given.dtype === FP32 ? result : cast(cx, result, given.dtype);
  });

define(LIBDEVICE, 'abs(arg0)', (cx, a) => absolute(cx, a.get('arg0')));
define(LIBDEVICE, 'fabs(arg0)', (cx, a) => absolute(cx, a.get('arg0')));

const BINARY: Record<string, (cx: Context, x: Tensor, y: Tensor) => Tensor> = {
  atan2: (cx, x, y) => emitBinary(cx, 'math.atan2', x, y),
  pow: (cx, x, y) => emitBinary(cx, 'math.powf', x, y),
  fast_powf: (cx, x, y) => emitBinary(cx, 'math.powf', x, y),
  fast_dividef: (cx, x, y) => trueDivide(cx, x, y),
  div_rn: (cx, x, y) => emitBinary(cx, 'tt.precise_divf', x, y),
  add_rn: (cx, x, y) => emitBinary(cx, 'arith.addf', x, y),
  sub_rn: (cx, x, y) => emitBinary(cx, 'arith.subf', x, y),
  mul_rn: (cx, x, y) => emitBinary(cx, 'arith.mulf', x, y),
  fmod: (cx, x, y) => emitBinary(cx, 'arith.remf', x, y),
  fdim: (cx, x, y) => extremum(cx, 'max', emitBinary(cx, 'arith.subf', x, y), float(0), 'none'),
};
for (const [name, run] of Object.entries(BINARY))
  define(LIBDEVICE, `${name}(arg0, arg1)`, (cx, a) => {
    const left = toTensor(cx, a.get('arg0'));
    let right = toTensor(cx, a.get('arg1'));
    // powi: an integer exponent.
    if (name === 'pow' && isInt(right.dtype) && isFloating(left.dtype))
      right = cast(cx, right, left.dtype);
    const [x, y] = operands(cx, single(cx, left, name), single(cx, right, name));
    const result = run(cx, x, y);
    return left.dtype === FP32 ? result : cast(cx, result, left.dtype);
  });
for (const which of ['max', 'min'] as const)
  for (const name of [which, `f${which}`])
    define(LIBDEVICE, `${name}(arg0, arg1)`, (cx, a) =>
      extremum(cx, which, toTensor(cx, a.get('arg0')), toTensor(cx, a.get('arg1')), 'none'),
    );
for (const name of ['fma', 'fma_rn']) define(LIBDEVICE, `${name}(x, y, z)`, (cx, a) => fma(cx, a));

// Tests of a float's bits: WGSL may assume that there are no NaNs, integers cannot be assumed away.
function magnitude(cx: Context, v: Val, name: string): Tensor {
  const bits = bitcast(cx, single(cx, v, name), INT32);
  return bitwise(cx, '&', bits, int(0x7fffffff));
}
const INFINITE = int(0x7f800000);
for (const name of ['isnan', 'isnanf'])
  define(LIBDEVICE, `${name}(arg0)`, (cx, a) =>
    compare(cx, '>', magnitude(cx, a.get('arg0'), name), INFINITE),
  );
for (const name of ['isinf', 'isinff'])
  define(LIBDEVICE, `${name}(arg0)`, (cx, a) =>
    compare(cx, '==', magnitude(cx, a.get('arg0'), name), INFINITE),
  );
for (const name of ['finitef', 'isfinited', 'isfinite'])
  define(LIBDEVICE, `${name}(arg0)`, (cx, a) =>
    compare(cx, '<', magnitude(cx, a.get('arg0'), name), INFINITE),
  );
for (const name of ['signbit', 'signbitf'])
  define(LIBDEVICE, `${name}(arg0)`, (cx, a) =>
    compare(cx, '<', bitcast(cx, single(cx, a.get('arg0'), name), INT32), int(0)),
  );
define(LIBDEVICE, 'copysign(arg0, arg1)', (cx, a) => {
  const [x, y] = operands(
    cx,
    single(cx, a.get('arg0'), 'copysign'),
    single(cx, a.get('arg1'), 'copysign'),
  );
  const size = bitwise(cx, '&', bitcast(cx, x, INT32), int(0x7fffffff));
  const sign = bitwise(cx, '&', bitcast(cx, y, INT32), int(-0x80000000));
  return bitcast(cx, bitwise(cx, '|', size, sign), FP32);
});

// Rounding conversions.
for (const [name, rounding, target] of [
  ['llrint', 'math.roundeven', INT64],
  ['float2int_rn', 'math.roundeven', INT32],
  ['float2int_rz', 'math.trunc', INT32],
  ['float2int_rd', 'math.floor', INT32],
  ['float2int_ru', 'math.ceil', INT32],
  ['llround', 'math.round', INT64],
] as const)
  define(LIBDEVICE, `${name}(arg0)`, (cx, a) =>
    cast(cx, emit(cx, rounding, single(cx, a.get('arg0'), name)), target),
  );
define(LIBDEVICE, 'float_as_int(arg0)', (cx, a) =>
  bitcast(cx, single(cx, a.get('arg0'), 'float_as_int'), INT32),
);
define(LIBDEVICE, 'int_as_float(arg0)', (cx, a) => bitcast(cx, toTensor(cx, a.get('arg0')), FP32));
define(LIBDEVICE, 'int2float_rn(arg0)', (cx, a) => cast(cx, toTensor(cx, a.get('arg0')), FP32));
define(LIBDEVICE, 'ffs(arg0)', (cx, a) => {
  // 1 + the number of trailing zeros, 0 of 0: the lowest set bit is a power of two, which fp32 holds
  // exactly, and its exponent is the answer.
  const x = toTensor(cx, a.get('arg0'));
  if (!isInt(x.dtype)) return cx.fail('HC0205', `libdevice.ffs takes integers, got ${describe(x)}`);
  const low = bitwise(
    cx,
    '&',
    x,
    emitBinary(cx, 'arith.subi', constant(cx, 0, x.dtype, x.shape), x),
  );
  const asFloat = absolute(cx, cast(cx, low, FP32));
  const exponent = emitBinary(
    cx,
    'arith.shrui',
    bitcast(cx, asFloat, INT32),
    constant(cx, 23, INT32, x.shape),
  );
  return extremum(cx, 'max', sub(cx, exponent, int(126)), int(0), 'none');
});
