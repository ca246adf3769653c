/**
 * Arithmetic: one WGSL expression for one register, by operation and dtype. Results are always the
 * held form of their dtype (`registers.ts`): narrow integers sign-extended, small floats rounded.
 */
import type { Operation } from '../../ir/ir';
import type { OpName } from '../../ir/ops';
import type { DType } from '../../ir/types';
import type { Emission } from '../emission';
import { dtypeOfValue } from '../emission';
import { arithmetic64 } from './float64';
import { named } from './literals';
import type { HelperName } from '../helpers/index';
import { opaque, operandToHide } from './opaque';

type Rule = (e: Emission, dtype: DType, args: readonly string[], op: Operation) => string;

/** `x` cut to the width of a narrow integer, with the sign extended. */
export function wrap(dtype: DType, x: string): string {
  if (dtype === 'i8') return `((${x}) << 24u) >> 24u`;
  if (dtype === 'i16') return `((${x}) << 16u) >> 16u`;
  return x;
}
/** The bits of a held integer as u32. */
export function unsigned(dtype: DType, x: string): string {
  if (dtype === 'i8') return `(u32(${x}) & 0xffu)`;
  if (dtype === 'i16') return `(u32(${x}) & 0xffffu)`;
  return `u32(${x})`;
}
/** An f32 expression rounded to `dtype`, as it is held. */
export function rounded(e: Emission, dtype: DType, x: string): string {
  switch (dtype) {
    case 'f16':
      return e.native.f16
        ? x
        : e.call(e.request.target.f16ByPacking === 'round' ? 'f16_repack' : 'f16_round', x);
    case 'bf16':
      return e.call('bf16_round', x);
    case 'f32':
      return x;
    default:
      if (dtype.startsWith('f8')) return e.call(`${dtype}_bits` as HelperName, x);
      throw new Error(`no rounding to ${dtype}`);
  }
}
/** A held float as an f32 expression. */
export function asF32(e: Emission, dtype: DType, x: string): string {
  if (dtype === 'f16' && e.native.f16) return `f32(${x})`;
  if (dtype.startsWith('f8')) return e.call(`${dtype}_value` as HelperName, x);
  return x;
}
/** An f32 expression of a float function as the held form of `dtype`. */
function fromF32(e: Emission, dtype: DType, x: string): string {
  if (dtype !== 'f16' || !e.native.f16) return rounded(e, dtype, x);
  // Folded into a widening that follows, it would not round.
  if (e.request.target.f16CastsElided) return `bitcast<vec2<f16>>(${e.call('f16_bits', x)}).x`;
  return `f16(${x})`;
}

const binaryInt =
  (operator: string, wide: HelperName, bool?: string): Rule =>
  (e, dtype, [a, b]) => {
    if (dtype === 'i64') return e.call(wide, a!, b!);
    if (dtype === 'i1') return `((${a}) ${bool ?? operator} (${b}))`;
    return wrap(dtype, `${a} ${operator} ${b}`);
  };
const bitwise =
  (operator: string, bool: string): Rule =>
  (_, dtype, [a, b]) =>
    // Never `&&` and `||`: a branch inside of an expression makes SwiftShader's compiler exponential.
    dtype === 'i1' ? `((${a}) ${bool} (${b}))` : `${a} ${operator} ${b}`;
const unsignedInt =
  (operator: string, wide: HelperName): Rule =>
  (e, dtype, [a, b]) => {
    if (dtype === 'i64') return e.call(wide, a!, b!);
    const text = `i32(${unsigned(dtype, a!)} ${operator} ${unsigned(dtype, b!)})`;
    return dtype === 'i1' ? `((${text}) != 0)` : wrap(dtype, text);
  };
const extremum =
  (greater: boolean, signed: boolean): Rule =>
  (e, dtype, [a, b]) => {
    if (dtype === 'i64') {
      const less = signed ? 'i64_less' : 'u64_less';
      return greater
        ? `select(${a}, ${b}, ${e.call(less, a!, b!)})`
        : `select(${b}, ${a}, ${e.call(less, a!, b!)})`;
    }
    // As numbers of one bit, signed, true is -1.
    if (dtype === 'i1') return greater === signed ? `((${a}) & (${b}))` : `((${a}) | (${b}))`;
    const name = greater ? 'max' : 'min';
    if (signed) return `${name}(${a}, ${b})`;
    return wrap(dtype, `i32(${name}(${unsigned(dtype, a!)}, ${unsigned(dtype, b!)}))`);
  };
const shift =
  (kind: 'left' | 'arithmetic' | 'logical', wide: HelperName): Rule =>
  (e, dtype, [a, b]) => {
    if (dtype === 'i64') return e.call(wide, a!, `${b}.x`);
    if (dtype === 'i1') return a!;
    if (kind === 'left') return wrap(dtype, `${a} << u32(${b})`);
    if (kind === 'arithmetic') return `${a} >> u32(${b})`;
    return wrap(dtype, `i32(${unsigned(dtype, a!)} >> u32(${b}))`);
  };

const binaryFloat =
  (operator: string): Rule =>
  (e, dtype, [a, b]) => {
    if (!dtype.startsWith('f8')) return rounded(e, dtype, `${a} ${operator} ${b}`);
    return rounded(e, dtype, `${asF32(e, dtype, a!)} ${operator} ${asF32(e, dtype, b!)}`);
  };
/** A function of f32 values; other floats go through f32. */
const viaF32 =
  (text: (e: Emission, ...args: string[]) => string): Rule =>
  (e, dtype, args) =>
    fromF32(e, dtype, text(e, ...args.map((arg) => asF32(e, dtype, arg))));
const builtin = (name: string): Rule => viaF32((_, ...args) => `${name}(${args.join(', ')})`);
/** A function of WGSL, which some adapters give numbers for where there is none. */
const orNan = (name: string, careful: HelperName): Rule =>
  viaF32((e, x) => (e.request.target.functionsDropNan ? e.call(careful, x) : `${name}(${x})`));
const helper = (name: HelperName): Rule => viaF32((e, ...args) => e.call(name, ...args));
/** The larger or smaller number of two, of which one may be a NaN. */
const numeric = (name: string, careful: HelperName): Rule =>
  viaF32((e, x, y) =>
    e.request.target.extremaDropNan ? `${name}(${x}, ${y})` : e.call(careful, x!, y!),
  );

const INT_COMPARE: Readonly<Record<string, string>> = {
  eq: '==',
  ne: '!=',
  slt: '<',
  sle: '<=',
  sgt: '>',
  sge: '>=',
  ult: '<',
  ule: '<=',
  ugt: '>',
  uge: '>=',
};

function compareInt(e: Emission, dtype: DType, a: string, b: string, predicate: string): string {
  const operator = INT_COMPARE[predicate];
  if (!operator) throw new Error(`unknown predicate ${predicate}`);
  const equality = predicate === 'eq' || predicate === 'ne';
  if (dtype === 'i64') {
    if (equality) return `${predicate === 'eq' ? 'all' : 'any'}(${a} ${operator} ${b})`;
    const less = predicate.startsWith('s') ? 'i64_less' : 'u64_less';
    switch (predicate.slice(1)) {
      case 'lt':
        return e.call(less, a, b);
      case 'gt':
        return e.call(less, b, a);
      case 'le':
        return `!${e.call(less, b, a)}`;
      default:
        return `!${e.call(less, a, b)}`;
    }
  }
  if (equality) return `${a} ${operator} ${b}`;
  if (predicate.startsWith('u')) return `${unsigned(dtype, a)} ${operator} ${unsigned(dtype, b)}`;
  // One bit, signed: true is -1.
  if (dtype === 'i1') return `-i32(${a}) ${operator} -i32(${b})`;
  return `${a} ${operator} ${b}`;
}

function compareFloat(e: Emission, dtype: DType, a: string, b: string, predicate: string): string {
  const x = asF32(e, dtype, a);
  const y = asF32(e, dtype, b);
  // Drivers may assume that nothing is NaN, so what is asked about NaN is asked about bits.
  if (a === b && predicate === 'une') return e.call('f32_is_nan', x);
  if (a === b && predicate === 'oeq') return `!${e.call('f32_is_nan', x)}`;
  switch (predicate) {
    case 'oeq':
      return `${x} == ${y}`;
    case 'une':
      return `!(${x} == ${y})`;
    case 'ogt':
      return `${x} > ${y}`;
    case 'oge':
      return `${x} >= ${y}`;
    case 'olt':
      return `${x} < ${y}`;
    case 'ole':
      return `${x} <= ${y}`;
    default:
      throw new Error(`unknown predicate ${predicate}`);
  }
}

const RULES = {
  'arith.addi': binaryInt('+', 'i64_add', '!='),
  'arith.subi': binaryInt('-', 'i64_sub', '!='),
  'arith.muli': binaryInt('*', 'i64_mul', '&'),
  'arith.divsi': binaryInt('/', 'i64_div', '&'),
  'arith.remsi': (e, dtype, [a, b]) =>
    dtype === 'i64'
      ? e.call('i64_rem', a!, b!)
      : dtype === 'i1'
        ? `((${a}) & !(${b}))`
        : `${a} % ${b}`,
  'arith.divui': unsignedInt('/', 'u64_div'),
  'arith.remui': unsignedInt('%', 'u64_rem'),
  'arith.andi': bitwise('&', '&'),
  'arith.ori': bitwise('|', '|'),
  'arith.xori': bitwise('^', '!='),
  'arith.shli': shift('left', 'i64_shl'),
  'arith.shrsi': shift('arithmetic', 'i64_shr'),
  'arith.shrui': shift('logical', 'u64_shr'),
  'arith.maxsi': extremum(true, true),
  'arith.maxui': extremum(true, false),
  'arith.minsi': extremum(false, true),
  'arith.minui': extremum(false, false),
  'tt.mulhiui': (e, dtype, [a, b]) => {
    if (dtype === 'i64') return e.call('u64_mulhi', a!, b!);
    if (dtype === 'i32') return `i32(${e.call('u32_mul_wide', `u32(${a})`, `u32(${b})`)}.y)`;
    const width = dtype === 'i8' ? 8 : 16;
    return wrap(dtype, `i32((${unsigned(dtype, a!)} * ${unsigned(dtype, b!)}) >> ${width}u)`);
  },
  'arith.addf': binaryFloat('+'),
  'arith.subf': binaryFloat('-'),
  'arith.mulf': binaryFloat('*'),
  'arith.divf': binaryFloat('/'),
  'arith.remf': helper('f32_rem'),
  'arith.negf': (_, dtype, [a]) => (dtype.startsWith('f8') ? `(${a} ^ 0x80u)` : `-(${a})`),
  'arith.maximumf': helper('f32_maximum'),
  'arith.maxnumf': numeric('max', 'f32_maxnum'),
  'arith.minimumf': helper('f32_minimum'),
  'arith.minnumf': numeric('min', 'f32_minnum'),
  'tt.clampf': (e, dtype, args, op) => {
    const [x, low, high] = args.map((arg) => asF32(e, dtype, arg));
    const nan = op.attributes['propagateNan'] === 'all';
    const raised = e.call(nan ? 'f32_maximum' : 'f32_maxnum', x!, low!);
    return fromF32(e, dtype, e.call(nan ? 'f32_minimum' : 'f32_minnum', raised, high!));
  },
  'tt.precise_divf': helper('f32_div_rn'),
  'tt.precise_sqrt': helper('f32_sqrt_rn'),
  'arith.cmpi': (e, _, [a, b], op) =>
    compareInt(e, dtypeOfValue(op.operand(0)), a!, b!, String(op.attributes['predicate'])),
  'arith.cmpf': (e, _, [a, b], op) =>
    compareFloat(e, dtypeOfValue(op.operand(0)), a!, b!, String(op.attributes['predicate'])),
  'arith.select': (_, __, [condition, yes, no]) => `select(${no}, ${yes}, ${condition})`,
  'math.exp': orNan('exp', 'f32_exp'),
  'math.exp2': orNan('exp2', 'f32_exp2'),
  'math.log': orNan('log', 'f32_log'),
  'math.log2': orNan('log2', 'f32_log2'),
  'math.log1p': helper('f32_log1p'),
  'math.expm1': helper('f32_expm1'),
  'math.sin': viaF32((e, x) => `${e.call('f32_sin_cos', x)}.x`),
  'math.cos': viaF32((e, x) => `${e.call('f32_sin_cos', x)}.y`),
  'math.tan': helper('f32_tan'),
  'math.asin': helper('f32_asin'),
  'math.acos': helper('f32_acos'),
  'math.atan': helper('f32_atan'),
  'math.atan2': helper('f32_atan2'),
  'math.sinh': helper('f32_sinh'),
  'math.cosh': builtin('cosh'),
  'math.tanh': helper('f32_tanh'),
  'math.powf': helper('f32_pow'),
  'math.sqrt': builtin('sqrt'),
  'math.rsqrt': builtin('inverseSqrt'),
  'math.erf': helper('f32_erf'),
  'math.floor': builtin('floor'),
  'math.ceil': builtin('ceil'),
  'math.round': helper('f32_round'),
  'math.roundeven': builtin('round'),
  'math.trunc': builtin('trunc'),
  'math.absf': (_, dtype, [a]) => (dtype.startsWith('f8') ? `(${a} & 0x7fu)` : `abs(${a})`),
  'math.absi': (e, dtype, [a]) =>
    dtype === 'i64' ? e.call('i64_abs', a!) : dtype === 'i1' ? a! : wrap(dtype, `abs(${a})`),
  'math.fma': builtin('fma'),
  'tt.addptr': (_, __, [pointer, offset], op) => {
    const dtype = dtypeOfValue(op.operand(1));
    return `${pointer} + ${dtype === 'i64' ? `i32(${offset}.x)` : offset}`;
  },
} satisfies Partial<Record<OpName, Rule>>;

export type ArithmeticName = keyof typeof RULES;

export function isArithmetic(name: OpName): name is ArithmeticName {
  return name in RULES;
}

/** The expression of one register of the result. */
export function arithmetic(
  e: Emission,
  op: Operation,
  name: ArithmeticName,
  args: readonly string[],
): string {
  const dtype = dtypeOfValue(op.operand(name === 'arith.select' ? 1 : 0));
  if (dtype === 'f64' && name !== 'arith.select') return arithmetic64(e, op, args);
  // By a power of two, or a shift that is not too far, drivers do better when they know it.
  const last = op.operands.length === 2 ? Number(args[1]!.replace(/i$/, '')) : 1;
  const risky =
    (/div|rem/.test(name) && !(last > 0)) || (/sh[lr]/.test(name) && !(last >= 0 && last < 32));
  const safe = [...named(e, args, risky)];
  const hide = operandToHide(op);
  if (hide !== undefined) safe[hide] = opaque(e, e.registerTypeOf(op.operand(hide)), safe[hide]!);
  return (RULES as Record<ArithmeticName, Rule>)[name](e, dtype, safe, op);
}
