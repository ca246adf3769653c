/** Casts: one register of the result, by source and destination dtype. */
import type { Operation, Value } from '../../ir/ir';
import type { OpName } from '../../ir/ops';
import type { DType } from '../../ir/types';
import { bitWidth } from '../../ir/types';
import type { ThreadValue } from '../../ir/thread/ir';
import type { LibraryName } from '../../ir/thread/library/index';
import { F32, I32 } from '../../ir/thread/types';
import { dtypeOfValue } from '../context';
import type { Lowering } from '../context';
import { asF32, firstHalf, rounded, unsigned, wrap } from './elementwise';

type Rule = (t: Lowering, from: DType, to: DType, x: ThreadValue, op: Operation) => ThreadValue;

const extend =
  (signed: boolean): Rule =>
  (t, from, to, x) => {
    if (from === 'i1') {
      const one = signed ? -1 : 1;
      if (to !== 'i64') return t.select(x, t.b.i32(one), t.b.i32(0));
      const pair = [one, signed ? -1 : 0].map((word) => t.b.u32(word));
      return t.select(x, t.b.vector(pair), t.x`vec2<u32>(0u)`);
    }
    if (to === 'i64')
      return signed ? t.call('i64_from_i32', x) : t.x`vec2<u32>(${unsigned(t, from, x)}, 0u)`;
    return signed ? x : wrap(t, to, t.x`i32(${unsigned(t, from, x)})`);
  };

const floatToFloat: Rule = (t, from, to, x, op) => {
  if (from === to) return x;
  if (to === 'f64') return t.call('f32_to_f64', asF32(t, from, x));
  if (from !== 'f64') return rounded32(t, to, asF32(t, from, x), op);
  if (to !== 'f32') return rounded32(t, to, t.call('f64_to_f32_odd', x), op);
  return t.call(truncates(op) ? 'f64_to_f32_rtz' : 'f64_to_f32', x);
};

function truncates(op: Operation): boolean {
  return op.attributes['rounding'] === 'rtz';
}

/** Whether `f16(x)` is right. */
function castsHalves(t: Lowering, op: Operation): boolean {
  if (!t.native.f16 || !t.request.target.f16RoundsToNearest) return false;
  return !t.request.target.f16CastsElided || goesToMemory(op.result);
}

const MOVES = new Set([
  'ttg.convert_layout',
  'tt.reshape',
  'tt.trans',
  'tt.broadcast',
  'tt.expand_dims',
]);
const STORES = new Set(['tt.store', 'ttg.local_store', 'ttg.local_alloc']);

/** Whether a value is only stored, so that nothing in registers can be folded into its rounding. */
function goesToMemory(value: Value): boolean {
  return [...value.uses].every(
    (user) => STORES.has(user.name) || (MOVES.has(user.name) && goesToMemory(user.result)),
  );
}

/** An f32 converted to `to`. */
function rounded32(t: Lowering, to: DType, x: ThreadValue, op: Operation): ThreadValue {
  const truncate = truncates(op);
  if (to === 'f16') {
    if (!truncate && castsHalves(t, op)) return t.x`f16(${x})`;
    // WGSL leaves the rounding of f16(x) open, so it is done by hand where it matters.
    if (!t.native.f16) return truncate ? t.call('f16_round_rtz', x) : rounded(t, to, x);
    return firstHalf(t, t.call(truncate ? 'f16_bits_rtz' : 'f16_bits', x));
  }
  if (to === 'bf16' && truncate) return t.call('bf16_round_rtz', x);
  if (to.startsWith('f8') && truncate) return t.call(`${to}_bits_rtz` as LibraryName, x);
  return rounded(t, to, x);
}

/** Rounded once: to floats narrower than f32, by way of an f32 rounded to odd. */
const intToFloat =
  (signed: boolean): Rule =>
  (t, from, to, x, op) => {
    const sign = signed ? 'i' : 'u';
    if (from === 'i1') {
      const value = t.select(x, t.b.f32(signed ? -1 : 1), t.b.f32(0));
      return to === 'f64' ? t.call('f32_to_f64', value) : rounded32(t, to, value, op);
    }
    if (to === 'f64') {
      if (from === 'i64') return t.call(`${sign}64_to_f64`, x);
      if (signed) return t.call('i32_to_f64', x);
      return t.x`u64_to_f64(vec2<u32>(${unsigned(t, from, x)}, 0u))`;
    }
    const odd = t.b.u32(to === 'f32' ? 0 : 1);
    if (from === 'i64') return rounded32(t, to, t.call(`${sign}64_to_f32`, x, odd), op);
    if (from !== 'i32') {
      const word = signed ? x : unsigned(t, from, x);
      return rounded32(t, to, t.b.convert(word, F32), op);
    }
    const value = t.call(`${sign}32_to_f32`, signed ? x : t.x`u32(${x})`, odd);
    return rounded32(t, to, value, op);
  };

const floatToInt =
  (signed: boolean): Rule =>
  (t, from, to, x) => {
    const sign = signed ? 'i' : 'u';
    if (from === 'f64') {
      if (to === 'i64') return t.call(`f64_to_${sign}64`, x);
      return wrap(t, to, signed ? t.call('f64_to_i32', x) : t.x`i32(f64_to_u32(${x}))`);
    }
    const value = asF32(t, from, x);
    if (to === 'i64') return t.call(`f32_to_${sign}64`, value);
    if (to === 'i1') return t.x`${value} != 0.0f`;
    return wrap(t, to, t.b.convert(t.call(`f32_to_${sign}32`, value), I32));
  };

/** The bits of a held value as a u32, for widths up to 32. */
export function bitsOf(t: Lowering, dtype: DType, x: ThreadValue): ThreadValue {
  switch (dtype) {
    case 'i1':
      return t.x`u32(${x})`;
    case 'i8':
    case 'i16':
    case 'i32':
      return unsigned(t, dtype, x);
    case 'f16':
      if (t.native.f16) return t.x`bitcast<u32>(vec2<f16>(${x}, 0.0h))`;
      return t.call(t.request.target.f16ByPacking ? 'f16_pack' : 'f16_bits', x);
    case 'bf16':
      return t.x`bitcast<u32>(${x}) >> 16u`;
    case 'f32':
      return t.x`bitcast<u32>(${x})`;
    case 'i64':
    case 'f64':
      throw new Error(`${dtype} has two words`);
    default:
      return x;
  }
}
/** A held value from the u32 whose low bits it is; higher bits must be zero. */
export function fromBits(t: Lowering, dtype: DType, x: ThreadValue): ThreadValue {
  switch (dtype) {
    case 'i1':
      return t.x`${x} != 0u`;
    case 'i8':
    case 'i16':
    case 'i32':
      return wrap(t, dtype, t.x`i32(${x})`);
    case 'f16':
      if (t.native.f16) return firstHalf(t, x);
      return t.call(t.request.target.f16ByPacking ? 'f16_unpack' : 'f16_value', x);
    case 'bf16':
      return t.x`bitcast<f32>(${x} << 16u)`;
    case 'f32':
      return t.x`bitcast<f32>(${x})`;
    case 'i64':
    case 'f64':
      throw new Error(`${dtype} has two words`);
    default:
      return x;
  }
}

const RULES = {
  'arith.extsi': extend(true),
  'arith.extui': extend(false),
  'arith.trunci': (t, from, to, x) => {
    const low = from === 'i64' ? t.x`i32(${x}.x)` : x;
    return to === 'i1' ? t.x`(${low} & 1i) != 0i` : wrap(t, to, low);
  },
  'arith.extf': floatToFloat,
  'arith.truncf': floatToFloat,
  'tt.fp_to_fp': floatToFloat,
  'arith.sitofp': intToFloat(true),
  'arith.uitofp': intToFloat(false),
  'arith.fptosi': floatToInt(true),
  'arith.fptoui': floatToInt(false),
  'arith.bitcast': (t, from, to, x) =>
    from === to || bitWidth(from) === 64 ? x : fromBits(t, to, bitsOf(t, from, x)),
} satisfies Partial<Record<OpName, Rule>>;

export type ConversionName = keyof typeof RULES;

export function isConversion(name: OpName): name is ConversionName {
  return name in RULES;
}

/** One register of the result. */
export function conversion(
  t: Lowering,
  op: Operation,
  name: ConversionName,
  x: ThreadValue,
): ThreadValue {
  const [from, to] = [dtypeOfValue(op.operand(0)), dtypeOfValue(op.result)];
  return (RULES as Record<ConversionName, Rule>)[name](t, from, to, x, op);
}
