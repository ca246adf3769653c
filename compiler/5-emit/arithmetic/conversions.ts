/** Casts: one WGSL expression for one register, by source and destination dtype. */
import type { Operation, Value } from '../../ir/ir';
import type { OpName } from '../../ir/ops';
import type { DType } from '../../ir/types';
import { bitWidth } from '../../ir/types';
import { asF32, rounded, unsigned, wrap } from './elementwise';
import type { Emission } from '../emission';
import { dtypeOfValue } from '../emission';
import type { HelperName } from '../helpers/index';
import { named } from './literals';

type Rule = (e: Emission, from: DType, to: DType, x: string, op: Operation) => string;

const extend =
  (signed: boolean): Rule =>
  (e, from, to, x) => {
    if (from === 'i1') {
      const one = signed ? -1 : 1;
      if (to === 'i64')
        return `select(vec2<u32>(0u), vec2<u32>(${signed ? '0xffffffffu' : '1u, 0u'}), ${x})`;
      return `select(0i, ${one === 1 ? '1i' : 'i32(-1)'}, ${x})`;
    }
    if (to === 'i64')
      return signed ? e.call('i64_from_i32', x) : `vec2<u32>(${unsigned(from, x)}, 0u)`;
    return signed ? x : wrap(to, `i32(${unsigned(from, x)})`);
  };

const floatToFloat: Rule = (e, from, to, x, op) => {
  if (from === to) return x;
  if (to === 'f64') return e.call('f32_to_f64', asF32(e, from, x));
  if (from !== 'f64') return rounded32(e, to, asF32(e, from, x), op);
  if (to !== 'f32') return rounded32(e, to, e.call('f64_to_f32_odd', x), op);
  return e.call(truncates(op) ? 'f64_to_f32_rtz' : 'f64_to_f32', x);
};

function truncates(op: Operation): boolean {
  return op.attributes['rounding'] === 'rtz';
}

/** Whether `f16(x)` is right. */
function castsHalves(e: Emission, op: Operation): boolean {
  if (!e.native.f16 || !e.request.target.f16RoundsToNearest) return false;
  return !e.request.target.f16CastsElided || goesToMemory(op.result);
}

/** Whether two f32s at a time become a word of halves: what is only staged, as words, for matrices. */
export function packsHalves(e: Emission, op: Operation): boolean {
  if (op.name !== 'arith.truncf' || truncates(op) || !e.request.target.f16PacksToNearest)
    return false;
  const [from, to] = [dtypeOfValue(op.operand(0)), dtypeOfValue(op.result)];
  if (from !== 'f32' || to !== 'f16' || !castsHalves(e, op)) return false;
  if (e.needed(op.result) !== 'all') return false;
  return [...op.result.uses].every((user) => user.name === 'ttg.local_store');
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

/** An f32 expression converted to `to`. */
function rounded32(e: Emission, to: DType, x: string, op: Operation): string {
  const truncate = truncates(op);
  if (to === 'f16') {
    if (!truncate && castsHalves(e, op)) return `f16(${x})`;
    // WGSL leaves the rounding of f16(x) open, so it is done by hand where it matters.
    if (!e.native.f16) return truncate ? e.call('f16_round_rtz', x) : rounded(e, to, x);
    const value = truncate ? e.call('f16_bits_rtz', x) : e.call('f16_bits', x);
    return `bitcast<vec2<f16>>(${value}).x`;
  }
  if (to === 'bf16' && truncate) return e.call('bf16_round_rtz', x);
  if (to.startsWith('f8') && truncate) return e.call(`${to}_bits_rtz` as HelperName, x);
  return rounded(e, to, x);
}

/** Rounded once: to what is narrower than f32, by way of an f32 rounded to odd. */
const intToFloat =
  (signed: boolean): Rule =>
  (e, from, to, x, op) => {
    const sign = signed ? 'i' : 'u';
    if (from === 'i1') {
      const value = `select(0.0f, ${signed ? '-1.0f' : '1.0f'}, ${x})`;
      return to === 'f64' ? e.call('f32_to_f64', value) : rounded32(e, to, value, op);
    }
    if (to === 'f64') {
      if (from === 'i64') return e.call(`${sign}64_to_f64`, x);
      if (signed) return e.call('i32_to_f64', x);
      return e.call('u64_to_f64', `vec2<u32>(${unsigned(from, x)}, 0u)`);
    }
    const odd = to === 'f32' ? '0u' : '1u';
    if (from === 'i64') return rounded32(e, to, e.call(`${sign}64_to_f32`, x, odd), op);
    if (from !== 'i32') return rounded32(e, to, `f32(${signed ? x : unsigned(from, x)})`, op);
    const value = e.call(`${sign}32_to_f32`, signed ? x : `u32(${x})`, odd);
    return rounded32(e, to, value, op);
  };

const floatToInt =
  (signed: boolean): Rule =>
  (e, from, to, x) => {
    const sign = signed ? 'i' : 'u';
    if (from === 'f64') {
      if (to === 'i64') return e.call(`f64_to_${sign}64`, x);
      return wrap(to, signed ? e.call('f64_to_i32', x) : `i32(${e.call('f64_to_u32', x)})`);
    }
    const value = asF32(e, from, x);
    if (to === 'i64') return e.call(`f32_to_${sign}64`, value);
    if (to === 'i1') return `(${value} != 0.0f)`;
    const whole = e.call(`f32_to_${sign}32`, value);
    return wrap(to, signed ? whole : `i32(${whole})`);
  };

/** The bits of a held value as a u32, for widths up to 32. */
export function bitsOf(e: Emission, dtype: DType, x: string): string {
  switch (dtype) {
    case 'i1':
      return `u32(${x})`;
    case 'i8':
    case 'i16':
    case 'i32':
      return unsigned(dtype, x);
    case 'f16':
      if (e.native.f16) return `bitcast<u32>(vec2<f16>(${x}, 0.0h))`;
      return e.call(e.request.target.f16ByPacking ? 'f16_pack' : 'f16_bits', x);
    case 'bf16':
      return `(bitcast<u32>(${x}) >> 16u)`;
    case 'f32':
      return `bitcast<u32>(${x})`;
    case 'i64':
    case 'f64':
      throw new Error(`${dtype} has two words`);
    default:
      return x;
  }
}
/** A held value from the u32 whose low bits it is; higher bits must be zero. */
export function fromBits(e: Emission, dtype: DType, x: string): string {
  switch (dtype) {
    case 'i1':
      return `(${x} != 0u)`;
    case 'i8':
    case 'i16':
    case 'i32':
      return wrap(dtype, `i32(${x})`);
    case 'f16':
      if (e.native.f16) return `bitcast<vec2<f16>>(${x}).x`;
      return e.call(e.request.target.f16ByPacking ? 'f16_unpack' : 'f16_value', x);
    case 'bf16':
      return `bitcast<f32>(${x} << 16u)`;
    case 'f32':
      return `bitcast<f32>(${x})`;
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
  'arith.trunci': (_, from, to, x) => {
    const low = from === 'i64' ? `i32(${x}.x)` : x;
    return to === 'i1' ? `((${low} & 1) != 0)` : wrap(to, low);
  },
  'arith.extf': floatToFloat,
  'arith.truncf': floatToFloat,
  'tt.fp_to_fp': floatToFloat,
  'arith.sitofp': intToFloat(true),
  'arith.uitofp': intToFloat(false),
  'arith.fptosi': floatToInt(true),
  'arith.fptoui': floatToInt(false),
  'arith.bitcast': (e, from, to, x) =>
    from === to || bitWidth(from) === 64 ? x : fromBits(e, to, bitsOf(e, from, x)),
} satisfies Partial<Record<OpName, Rule>>;

export type ConversionName = keyof typeof RULES;

export function isConversion(name: OpName): name is ConversionName {
  return name in RULES;
}

export function conversion(e: Emission, op: Operation, name: ConversionName, x: string): string {
  const from = dtypeOfValue(op.operand(0));
  const to = dtypeOfValue(op.result);
  const [safe] = named(e, [x], false);
  return (RULES as Record<ConversionName, Rule>)[name](e, from, to, safe!, op);
}
