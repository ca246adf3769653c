/**
 * `triton.language.extra.libdevice`: every function of Triton 3.8, with the dtypes that it takes.
 * They are operations of the IR or Triton of our own (`library/libdevice.py` and its neighbours);
 * those on fp64 that neither has are refused by name.
 */
import { MESSAGES } from '../codes';
import type { OpName } from '../../ir/ops';
import { apply } from '../calls';
import type { Context } from '../context';
import {
  FP32,
  FP64,
  INT1,
  INT32,
  INT64,
  UINT32,
  UINT64,
  bits,
  isFloating,
  isInt,
  showDtype,
  type NumberDtype,
} from '../dtypes';
import { LIBDEVICE } from '../paths';
import { define } from '../registry';
import { bitwise, compare, emitBinary, extremum, operands, shift } from '../semantics/arithmetic';
import { bitcast, broadcastAll, cast, constant } from '../semantics/convert';
import { tensorOf, toTensor } from '../semantics/convert';
import { describe, int, isTensor, str, type Tensor, type Val } from '../values';
import { absolute } from './math';

/** The dtypes of signatures such as `fi>f`. */
const LETTERS: Readonly<Record<string, NumberDtype>> = {
  i: INT32,
  l: INT64,
  u: UINT32,
  v: UINT64,
  f: FP32,
  d: FP64,
  p: INT1,
};
type Run = (cx: Context, args: Tensor[], result: NumberDtype, name: string) => Tensor;

/**
 * A function with exactly these overloads, such as `f>f d>d`. Parameters have libdevice's names.
 */
function overloads(names: string, signatures: string, run: Run): void {
  const list = signatures.split(' ').map((text) => {
    const [from = '', to = ''] = text.split('>');
    return { from: [...from].map((letter) => LETTERS[letter]!), to: LETTERS[to]! };
  });
  const parameters = list[0]!.from.map((_, i) => `arg${i}`);
  for (const name of names.split(' '))
    define(LIBDEVICE, `${name}(${parameters.join(', ')})`, (cx, a) => {
      const given = parameters.map((parameter) => toTensor(cx, a.get(parameter)));
      const fitting = (args: readonly Tensor[]) =>
        list.find(({ from }) => from.every((dtype, i) => dtype === args[i]!.dtype));
      const exact = fitting(given);
      if (exact) return run(cx, broadcastAll(cx, given), exact.to, name);
      // As in versions of Triton before: arguments of several dtypes agree as those of + do.
      const agreed = given.length > 1 ? agree(cx, given) : given;
      const chosen = fitting(agreed);
      return chosen ? run(cx, agreed, chosen.to, name) : mismatch(cx, name, list, given);
    });
}
function agree(cx: Context, given: readonly Tensor[]): Tensor[] {
  let widest = given[0]!;
  for (const x of given) widest = operands(cx, x, widest)[1];
  return given.map((x) => operands(cx, x, widest)[0]);
}
function mismatch(
  cx: Context,
  name: string,
  list: readonly { readonly from: readonly NumberDtype[] }[],
  given: readonly Tensor[],
): never {
  const takes = list.map(({ from }) => `(${from.map(showDtype).join(', ')})`);
  const narrow = given.some(({ dtype }) => isFloating(dtype) && bits(dtype) < 32);
  return cx.fail(
    'HC0205',
    `libdevice.${name} takes ${takes.join(' or ')}, got ` +
      `(${given.map(({ dtype }) => showDtype(dtype)).join(', ')})` +
      (narrow ? '. Convert with .to(tl.float32)' : ''),
  );
}

/** A function of the library, which gives the dtype that the signature says. */
const library =
  (name?: string, ...more: string[]): Run =>
  (cx, args, result, called) => {
    const single = name ?? called;
    if (args.some(({ dtype }) => dtype === FP64)) return double(cx, args, result, single, called);
    return ofLibrary(cx, `lib:_ld_${single}`, [...args, ...more.map(str)]);
  };
function ofLibrary(cx: Context, id: string, args: readonly Val[]): Tensor {
  const value = apply(cx, { kind: 'function', id }, [...args]);
  return isTensor(value)
    ? value
    : cx.fail('HC0399', MESSAGES.HC0399.gives({ id, value: describe(value) }));
}
/** In fp64: an operation of the IR, or Triton of our own (`library/double.py`). */
function double(
  cx: Context,
  args: Tensor[],
  result: NumberDtype,
  name: string,
  called: string,
): Tensor {
  const op = DOUBLE[name];
  if (op) return operation(op)(cx, args, result, called);
  return COMPOSED.has(name) ? ofLibrary(cx, `lib:_ld64_${name}`, args) : refuseDouble(cx, called);
}
const DOUBLE: Readonly<Record<string, OpName>> = {
  exp: 'math.exp',
  log: 'math.log',
  log2: 'math.log2',
  pow: 'math.powf',
};
const COMPOSED = new Set(
  'acos acosh asin asinh atan atan2 atanh cosh exp10 expm1 hypot log10 log1p sinh tanh'.split(' '),
);
function refuseDouble(cx: Context, name: string): never {
  return cx.fail('HC0206', MESSAGES.HC0206.libdeviceFloatNot({ name }));
}
/** An operation of the IR. */
const operation =
  (op: OpName): Run =>
  (cx, args, result, name) => {
    if (result === FP64 && COMPOSED.has(name)) return ofLibrary(cx, `lib:_ld64_${name}`, args);
    const handles = args.map(({ handle }) => handle);
    return tensorOf(cx.builder.value(op, handles), result, args[0]!.shape);
  };
const constantLike = (cx: Context, value: number, x: Tensor): Tensor =>
  constant(cx, value, x.dtype as NumberDtype, x.shape);

// ── on one operation
// ──────────────────────────────────────────────────────────────────────────────
const OPERATIONS: Readonly<Record<string, OpName>> = {
  floor: 'math.floor',
  ceil: 'math.ceil',
  trunc: 'math.trunc',
  'rint nearbyint': 'math.roundeven',
  round: 'math.round',
  'sqrt sqrt_rn': 'tt.precise_sqrt',
  rsqrt: 'math.rsqrt',
  exp2: 'math.exp2',
  sin: 'math.sin',
  cos: 'math.cos',
  tan: 'math.tan',
  asin: 'math.asin',
  acos: 'math.acos',
  atan: 'math.atan',
  tanh: 'math.tanh',
  erf: 'math.erf',
};
for (const [names, op] of Object.entries(OPERATIONS)) overloads(names, 'f>f d>d', operation(op));
const FAST: Readonly<Record<string, OpName>> = {
  fast_cosf: 'math.cos',
  fast_expf: 'math.exp',
  fast_logf: 'math.log',
  fast_log2f: 'math.log2',
  fast_sinf: 'math.sin',
  fast_tanf: 'math.tan',
  fast_tanhf: 'math.tanh',
};
for (const [name, op] of Object.entries(FAST)) overloads(name, 'f>f', operation(op));
overloads('atan2', 'ff>f dd>d', operation('math.atan2'));
overloads('fmod', 'ff>f dd>d', operation('arith.remf'));
overloads('fma fma_rn', 'fff>f ddd>d', operation('math.fma'));
overloads('div_rn', 'ff>f dd>d', operation('tt.precise_divf'));
overloads('fast_dividef', 'ff>f', operation('arith.divf'));
overloads('add_rn', 'ff>f dd>d', operation('arith.addf'));
overloads('sub_rn', 'ff>f dd>d', operation('arith.subf'));
overloads('mul_rn', 'ff>f dd>d', operation('arith.mulf'));
overloads('rcp_rn', 'f>f d>d', (cx, [x]) =>
  emitBinary(cx, 'tt.precise_divf', constantLike(cx, 1, x!), x!),
);
overloads('rsqrt_rn', 'f>f', (cx, [x]) => {
  const root = tensorOf(cx.builder.unary('tt.precise_sqrt', x!.handle), FP32, x!.shape);
  return emitBinary(cx, 'tt.precise_divf', constantLike(cx, 1, x!), root);
});

// ── in Triton of our own
// ──────────────────────────────────────────────────────────────────────────
overloads(
  'exp exp10 expm1 log log2 log10 log1p sinpi cospi sinh cosh asinh acosh atanh cbrt rcbrt j0 j1 ' +
    'y0 y1 cyl_bessel_i0 cyl_bessel_i1 erfc erfcx erfinv erfcinv normcdf normcdfinv lgamma tgamma logb',
  'f>f d>d',
  library(),
);
overloads('hypot rhypot fdim remainder nextafter', 'ff>f dd>d', library());
overloads('norm3d rnorm3d', 'fff>f ddd>d', library());
overloads('norm4d rnorm4d', 'ffff>f dddd>d', library());
overloads('yn jn', 'if>f id>d', library());
overloads('ldexp scalbn', 'fi>f di>d', library('ldexp'));
overloads('ilogb', 'f>i d>i', library());
overloads('saturatef', 'f>f', library());
overloads('fast_exp10f', 'f>f', library('exp10'));
overloads('fast_log10f', 'f>f', library('log10'));
overloads('fast_powf', 'ff>f', library('pow'));
overloads('pow', 'fi>f di>d ff>f dd>d', (cx, [x, y], result, name) => {
  if (!isInt(y!.dtype)) return library('pow')(cx, [x!, y!], result, name);
  // In fp64 every integer of 32 bits is a number.
  const exponent = result === FP64 ? cast(cx, y!, FP64) : y!;
  return library(result === FP64 ? 'pow' : 'powi')(cx, [x!, exponent], result, name);
});

// ── integers
// ──────────────────────────────────────────────────────────────────────────────────────
const counting =
  (name: 'math.ctlz' | 'math.ctpop'): Run =>
  (cx, [x], result) => {
    const count = cx.builder.unary(name, x!.handle);
    return cast(cx, tensorOf(count, x!.dtype, x!.shape), result);
  };
overloads('clz', 'i>i l>i', counting('math.ctlz'));
overloads('popc', 'i>i l>i', counting('math.ctpop'));
overloads('ffs', 'i>i l>i', library());
overloads('brev', 'i>i l>l', operation('math.bitreverse'));
overloads('byte_perm', 'iii>i', library());
overloads('mulhi', 'ii>i uu>u ll>l vv>v', library());
overloads('mul24 hadd rhadd', 'ii>i uu>u', library());
overloads('sad', 'iiu>i uuu>u', library());
overloads('abs', 'i>i l>l f>f d>d', (cx, [x]) =>
  x!.dtype === FP64 ? clearSign(cx, x!) : absolute(cx, x!),
);

// ── bits of a float: WGSL may assume that there are no NaNs, integers cannot be assumed away
// ──────
const integerOf = (x: Tensor): NumberDtype => (bits(x.dtype) === 64 ? INT64 : INT32);
const SIGNS = { 32: 0x80000000n, 64: 0x8000000000000000n } as const;
const INFINITIES = { 32: 0x7f800000n, 64: 0x7ff0000000000000n } as const;
const width = (x: Tensor): 32 | 64 => (bits(x.dtype) === 64 ? 64 : 32);
function magnitude(cx: Context, x: Tensor): Tensor {
  return bitwise(cx, '&', bitcast(cx, x, integerOf(x)), int(SIGNS[width(x)] - 1n));
}
function clearSign(cx: Context, x: Tensor): Tensor {
  return bitcast(cx, magnitude(cx, x), x.dtype);
}
for (const [names, signatures, predicate] of [
  ['isnan', 'f>p d>p', '>'],
  ['isinf', 'f>p d>p', '=='],
  ['finitef', 'f>p', '<'],
  ['isfinited', 'd>p', '<'],
] as const)
  overloads(names, signatures, (cx, [x]) =>
    compare(cx, predicate, magnitude(cx, x!), int(INFINITIES[width(x!)])),
  );
overloads('signbit', 'f>i d>i', (cx, [x]) =>
  cast(cx, compare(cx, '<', bitcast(cx, x!, integerOf(x!)), int(0)), INT32),
);
overloads('copysign', 'ff>f dd>d', (cx, [x, y]) => {
  const sign = bitwise(cx, '&', bitcast(cx, y!, integerOf(y!)), int(-SIGNS[width(y!)]));
  return bitcast(cx, bitwise(cx, '|', magnitude(cx, x!), sign), x!.dtype);
});
for (const [names, signature] of [
  ['int_as_float', 'i>f'],
  ['uint_as_float', 'u>f'],
  ['float_as_int float_as_uint', 'f>i'],
  ['longlong_as_double', 'l>d'],
  ['double_as_longlong', 'd>l'],
] as const)
  overloads(names, signature, (cx, [x], result) => bitcast(cx, x!, result));
overloads('hiloint2double', 'ii>d', (cx, [high, low]) => {
  const wide = cast(cx, high!, INT64);
  const top = shift(cx, '<<', wide, int(32), wide);
  const rest = cast(cx, cast(cx, low!, UINT32), INT64);
  return bitcast(cx, bitwise(cx, '|', top, rest), FP64);
});
overloads('double2loint', 'd>i', (cx, [x]) => cast(cx, bitcast(cx, x!, INT64), INT32));
overloads('double2hiint', 'd>i', (cx, [x]) => {
  const wide = bitcast(cx, x!, INT64);
  return cast(cx, shift(cx, '>>', wide, int(32), wide), INT32);
});

// ── conversions and arithmetic with a rounding
// ────────────────────────────────────────────────────
const WHOLE = {
  rn: 'math.roundeven',
  rz: 'math.trunc',
  rd: 'math.floor',
  ru: 'math.ceil',
} as const;
/** To an integer: rounds, then converts; what does not fit is the nearest integer that there is. */
const toInteger =
  (op: OpName, signed: boolean): Run =>
  (cx, [x], result) => {
    const whole = cx.builder.unary(op, x!.handle);
    const target = signed ? result : bits(result) === 64 ? UINT64 : UINT32;
    return bitcast(cx, cast(cx, tensorOf(whole, x!.dtype, x!.shape), target), result);
  };
/** From an integer to a float that holds them all, or nearest even. */
const toFloat: Run = (cx, [x], result) => cast(cx, x!, result);
for (const mode of ['rn', 'rz', 'rd', 'ru'] as const) {
  overloads(`float2int_${mode}`, 'f>i', toInteger(WHOLE[mode], true));
  overloads(`float2uint_${mode}`, 'f>i', toInteger(WHOLE[mode], false));
  overloads(`float2ll_${mode}`, 'f>l', toInteger(WHOLE[mode], true));
  overloads(`float2ull_${mode}`, 'f>l', toInteger(WHOLE[mode], false));
  overloads(`double2int_${mode}`, 'd>i', toInteger(WHOLE[mode], true));
  overloads(`double2uint_${mode}`, 'd>i', toInteger(WHOLE[mode], false));
  overloads(`double2ll_${mode}`, 'd>l', toInteger(WHOLE[mode], true));
  overloads(`double2ull_${mode}`, 'd>l', toInteger(WHOLE[mode], false));
  const directed = library('directed_from_int', mode);
  overloads(`int2float_${mode}`, 'i>f', mode === 'rn' ? toFloat : directed);
  overloads(`uint2float_${mode}`, 'u>f', mode === 'rn' ? toFloat : directed);
  overloads(`ll2float_${mode}`, 'l>f', mode === 'rn' ? toFloat : directed);
  overloads(`ull2float_${mode}`, 'v>f', mode === 'rn' ? toFloat : directed);
  overloads(`ll2double_${mode}`, 'l>d', mode === 'rn' ? toFloat : refused);
  overloads(`ull2double_${mode}`, 'v>d', mode === 'rn' ? toFloat : refused);
  overloads(`double2float_${mode}`, 'd>f', (cx, [x], result, name) =>
    library('directed_narrow', mode)(cx, [bitcast(cx, x!, INT64)], result, name),
  );
  if (mode === 'rn') continue;
  overloads(`add_${mode}`, 'ff>f dd>d', library('directed_add', mode));
  overloads(`sub_${mode}`, 'ff>f dd>d', library('directed_sub', mode));
  overloads(`mul_${mode}`, 'ff>f dd>d', library('directed_mul', mode));
  overloads(`div_${mode}`, 'ff>f dd>d', library('directed_div', mode));
  overloads(`fma_${mode}`, 'fff>f ddd>d', library('directed_fma', mode));
  overloads(`rcp_${mode}`, 'f>f d>d', library('directed_rcp', mode));
  overloads(`sqrt_${mode}`, 'f>f d>d', library('directed_sqrt', mode));
}
overloads('int2double_rn', 'i>d', toFloat);
overloads('uint2double_rn', 'u>d', toFloat);
overloads('llrint', 'f>l d>l', toInteger('math.roundeven', true));
overloads('llround', 'f>l d>l', toInteger('math.round', true));
overloads('rcp64h', 'd>d', refused);
function refused(cx: Context, _: Tensor[], __: NumberDtype, name: string): Tensor {
  return refuseDouble(cx, name);
}

// ── names of older versions
// ───────────────────────────────────────────────────────────────────────
/** `tl.math.max` and the like were libdevice's, of two tiles of any one dtype. */
for (const which of ['max', 'min'] as const)
  for (const name of [which, `f${which}`])
    define(LIBDEVICE, `${name}(arg0, arg1)`, (cx, a) =>
      extremum(cx, which, toTensor(cx, a.get('arg0')), toTensor(cx, a.get('arg1')), 'none'),
    );
define(LIBDEVICE, 'fabs(arg0)', (cx, a) => absolute(cx, a.get('arg0')));
for (const [old, now] of [
  ['isnanf', 'isnan'],
  ['isinff', 'isinf'],
  ['isfinite', 'finitef'],
  ['signbitf', 'signbit'],
] as const)
  alias(old, now);
function alias(old: string, now: string): void {
  define(LIBDEVICE, `${old}(arg0)`, (cx, a): Val => {
    const path = `${LIBDEVICE}.${now}`;
    return apply(cx, { kind: 'triton', path }, [a.get('arg0')]);
  });
}
