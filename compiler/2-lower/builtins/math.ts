/** Elementwise functions, choice, and the casts. */
import { MESSAGES } from '../codes';
import type { OpName } from '../../ir/ops';
import type { Context } from '../context';
import {
  BF16,
  FP32,
  FP64,
  INT1,
  INT8,
  isFloating,
  isFp8,
  isInt,
  isSigned,
  showDtype,
  type Dtype,
} from '../dtypes';
import { define, type Arguments } from '../registry';
import { TL } from '../paths';
import {
  checked,
  emitBinary,
  extremum,
  operands,
  where,
  type NanRule,
} from '../semantics/arithmetic';
import { bitcast, broadcastPair, cast, splat, tensorOf, toTensor } from '../semantics/convert';
import { dtypeArgument, staticBool, staticString } from '../shapes';
import { describe, int, type Tensor, type Val } from '../values';

function unary(cx: Context, name: OpName, x: Tensor): Tensor {
  return tensorOf(cx.builder.unary(name, x.handle), x.dtype, x.shape);
}
/** Triton's own functions take fp32 and fp64 only, and those that round as IEEE says fp32 only. */
function takes(cx: Context, x: Tensor, name: string, ...dtypes: readonly Dtype[]): void {
  if (dtypes.includes(x.dtype)) return;
  const list = dtypes.map(showDtype).join(' or ');
  cx.fail('HC0205', MESSAGES.HC0205.expectedDtypeBut({ name, list, dtype: showDtype(x.dtype) }));
}

for (const [name, op, member] of [
  ['exp', 'math.exp', true],
  ['exp2', 'math.exp2', true],
  ['log', 'math.log', true],
  ['log2', 'math.log2', true],
  ['sin', 'math.sin', true],
  ['cos', 'math.cos', true],
  ['sqrt', 'math.sqrt', true],
  ['sqrt_rn', 'tt.precise_sqrt', true],
  ['rsqrt', 'math.rsqrt', true],
  ['erf', 'math.erf', true],
  ['floor', 'math.floor', true],
  ['ceil', 'math.ceil', true],
] as const)
  define(
    TL,
    `${name}(x)`,
    (cx, a) => {
      const x = toTensor(cx, a.get('x'));
      takes(cx, x, `tl.${name}`, FP32, ...(name === 'sqrt_rn' ? [] : [FP64]));
      return unary(cx, op, x);
    },
    member,
  );

export function absolute(cx: Context, v: Val): Tensor {
  const x = toTensor(cx, v);
  if (isFp8(x.dtype)) {
    // Only the sign bit goes: no value is rounded, and every NaN stays what it is.
    const mask = splat(cx, cast(cx, toTensor(cx, int(127)), INT8), x.shape);
    return bitcast(cx, emitBinary(cx, 'arith.andi', bitcast(cx, x, INT8), mask), x.dtype);
  }
  if (isFloating(x.dtype)) return unary(cx, 'math.absf', x);
  if (isSigned(x.dtype)) return unary(cx, 'math.absi', x);
  if (isInt(x.dtype)) return x;
  return cx.fail('HC0205', MESSAGES.HC0205.absDoesNot({ x: describe(x) }));
}
define(TL, 'abs(x)', (cx, a) => absolute(cx, a.get('x')), true);

define(TL, 'umulhi(x, y)', (cx, a) => {
  const given = [toTensor(cx, a.get('x')), toTensor(cx, a.get('y'))] as const;
  for (const { dtype } of given)
    if (!['int32', 'int64', 'uint32', 'uint64'].includes(showDtype(dtype)))
      cx.fail('HC0205', MESSAGES.HC0205.umulhiTakesBit({ dtype: showDtype(dtype) }));
  const [x, y] = operands(cx, ...given);
  return emitBinary(cx, 'tt.mulhiui', x, y);
});
define(TL, 'fdiv(x, y, ieee_rounding=False)', (cx, a) => {
  const x = toTensor(cx, a.get('x'));
  const y = toTensor(cx, a.get('y'));
  if (!isFloating(x.dtype) || !isFloating(y.dtype))
    cx.fail('HC0205', MESSAGES.HC0205.bothOperandsFdiv());
  const [p, q] = operands(cx, x, y, { promotes: false });
  if (p.dtype !== q.dtype)
    cx.fail('HC0204', MESSAGES.HC0204.fdivCastThem({ p: describe(p), q: describe(q) }));
  const precise = staticBool(cx, a.get('ieee_rounding'), 'ieee_rounding') && p.dtype === FP32;
  return emitBinary(cx, precise ? 'tt.precise_divf' : 'arith.divf', p, q);
});
define(TL, 'div_rn(x, y)', (cx, a) => {
  const [x, y] = operands(cx, toTensor(cx, a.get('x')), toTensor(cx, a.get('y')));
  takes(cx, x, 'tl.div_rn', FP32);
  return emitBinary(cx, 'tt.precise_divf', x, y);
});
export function fma(cx: Context, a: Arguments): Tensor {
  let x = toTensor(cx, a.get('x'));
  let y = toTensor(cx, a.get('y'));
  let z = toTensor(cx, a.get('z'));
  [x, y] = operands(cx, x, y);
  [z, x] = operands(cx, z, x);
  [z, y] = operands(cx, z, y);
  if (!isFloating(x.dtype)) cx.fail('HC0205', MESSAGES.HC0205.fmaTakesFloats({ x: describe(x) }));
  const handle = cx.builder.value('math.fma', [x.handle, y.handle, z.handle]);
  return tensorOf(handle, x.dtype, x.shape);
}
define(TL, 'fma(x, y, z)', fma);

function nanRule(cx: Context, v: Val): NanRule {
  if (v.kind === 'triton' && v.path.endsWith('PropagateNan.ALL')) return 'all';
  if (v.kind === 'triton' && v.path.endsWith('PropagateNan.NONE')) return 'none';
  if (v.kind === 'none') return 'none';
  return cx.fail('HC0215', MESSAGES.HC0215.propagateNanPropagatenan({ v: describe(v) }));
}
function widened(cx: Context, v: Val): Tensor {
  const x = toTensor(cx, v);
  return x.dtype === BF16 ? cast(cx, x, FP32) : x;
}
for (const which of ['max', 'min'] as const)
  define(TL, `${which}imum(x, y, propagate_nan=None)`, (cx, a) =>
    extremum(
      cx,
      which,
      widened(cx, a.get('x')),
      widened(cx, a.get('y')),
      nanRule(cx, a.get('propagate_nan')),
    ),
  );
define(TL, 'clamp(x, min, max, propagate_nan=None)', (cx, a) => {
  let x = widened(cx, a.get('x'));
  let low = widened(cx, a.get('min'));
  let high = widened(cx, a.get('max'));
  [low, high] = operands(cx, low, high);
  [x, low] = operands(cx, x, low);
  [x, high] = operands(cx, x, high);
  [x, low] = operands(cx, x, low);
  if (!isFloating(x.dtype)) cx.fail('HC0205', MESSAGES.HC0205.clampTakesFloats({ x: describe(x) }));
  const propagateNan = nanRule(cx, a.get('propagate_nan'));
  const handle = cx.builder.value('tt.clampf', [x.handle, low.handle, high.handle], x.handle.type, {
    propagateNan,
  });
  return tensorOf(handle, x.dtype, x.shape);
});

for (const name of ['add', 'sub', 'mul'] as const)
  define(TL, `${name}(x, y, sanitize_overflow=True)`, (cx, a) =>
    checked(
      cx,
      name,
      a.get('x'),
      a.get('y'),
      staticBool(cx, a.get('sanitize_overflow'), 'sanitize_overflow'),
    ),
  );

define(TL, 'where(condition, x, y)', (cx, a) =>
  where(cx, a.get('condition'), a.get('x'), a.get('y')),
);
define(TL, 'expect_zero(x, mask)', (_, a) => a.get('x'));

function castTo(cx: Context, x: Val, dtype: Dtype, a: Arguments): Tensor {
  const input = toTensor(cx, x);
  if (staticBool(cx, a.get('bitcast'), 'bitcast')) return bitcast(cx, input, dtype);
  const rounding = staticString(cx, a.get('fp_downcast_rounding'), 'fp_downcast_rounding');
  if (rounding !== '' && rounding !== 'rtne' && rounding !== 'rtz')
    return cx.fail('HC0215', MESSAGES.HC0215.invalidRoundingMode({ rounding }));
  return cast(cx, input, dtype, rounding === '' ? undefined : rounding);
}
for (const [name, self] of [
  ['cast', 'input'],
  ['to', 'self'],
] as const)
  define(
    name === 'to' ? 'method' : TL,
    `${name}(${self}, dtype, fp_downcast_rounding=None, bitcast=False)`,
    (cx, a) => castTo(cx, a.get(self), dtypeArgument(cx, a.get('dtype')), a),
    true,
  );
for (const operator of ['and', 'or'] as const)
  define(
    'method',
    `logical_${operator}(self, other)`,
    (cx, a) => {
      const x = toTensor(cx, a.get('self'));
      const y = toTensor(cx, a.get('other'));
      if (x.dtype !== INT1 || y.dtype !== INT1)
        cx.fail('HC0205', MESSAGES.HC0205.logicalTakesInt({ operator }));
      const [p, q] = broadcastPair(cx, x, y);
      return emitBinary(cx, operator === 'and' ? 'arith.andi' : 'arith.ori', p, q);
    },
    true,
  );
