/**
 * Arithmetic: one register of the result, by operation and dtype. Results are always the held form
 * of their dtype (`registers.ts`): narrow integers sign-extended, small floats rounded.
 */
import { keepsDenormals } from '../arithmetic/denormals';
import type { Operation } from '../../ir/ir';
import type { OpName } from '../../ir/ops';
import type { BitOps } from '../../ir/ops/bits';
import type { ComparisonOps } from '../../ir/ops/comparisons';
import type { FloatOps } from '../../ir/ops/floats';
import type { IntegerOps } from '../../ir/ops/integers';
import type { MathOps } from '../../ir/ops/math';
import type { ThreadValue } from '../../ir/thread/ir';
import type { LibraryName } from '../../ir/thread/library/index';
import type { ThreadOpName } from '../../ir/thread/ops';
import { number } from '../../ir/thread/types';
import type { DType } from '../../ir/types';
import { dtypeOfValue } from '../context';
import type { Lowering } from '../context';
import { arithmetic64 } from './float64';

type Rule = (t: Lowering, dtype: DType, args: readonly ThreadValue[], op: Operation) => ThreadValue;

/** `x` cut to the width of a narrow integer, with the sign extended. */
export function wrap(t: Lowering, dtype: DType, x: ThreadValue): ThreadValue {
  if (dtype === 'i8') return t.x`(${x} << 24u) >> 24u`;
  if (dtype === 'i16') return t.x`(${x} << 16u) >> 16u`;
  return x;
}
/** The bits of a held integer as u32. */
export function unsigned(t: Lowering, dtype: DType, x: ThreadValue): ThreadValue {
  if (dtype === 'i8') return t.x`u32(${x}) & 0xffu`;
  if (dtype === 'i16') return t.x`u32(${x}) & 0xffffu`;
  return t.x`u32(${x})`;
}
/** An f32 rounded to `dtype`, as it is held. */
export function rounded(t: Lowering, dtype: DType, x: ThreadValue): ThreadValue {
  switch (dtype) {
    case 'f16':
      if (t.native.f16) return x;
      return t.call(t.request.target.f16ByPacking === 'round' ? 'f16_repack' : 'f16_round', x);
    case 'bf16':
      return t.call('bf16_round', x);
    case 'f32':
      return x;
    default:
      if (dtype.startsWith('f8')) return t.call(`${dtype}_bits` as LibraryName, x);
      throw new Error(`no rounding to ${dtype}`);
  }
}
/** A held float as f32. */
export function asF32(t: Lowering, dtype: DType, x: ThreadValue): ThreadValue {
  if (dtype === 'f16' && t.native.f16) return t.x`f32(${x})`;
  if (dtype.startsWith('f8')) return t.call(`${dtype}_value` as LibraryName, x);
  return x;
}
/** The f32 that a float function gives as the held form of `dtype`. */
function fromF32(t: Lowering, dtype: DType, x: ThreadValue): ThreadValue {
  if (dtype !== 'f16' || !t.native.f16) return rounded(t, dtype, x);
  // Folded into a widening that follows, it would not round.
  if (t.request.target.f16CastsElided) return firstHalf(t, t.call('f16_bits', x));
  return t.x`f16(${x})`;
}
/** The half in the low bits of a word. */
export function firstHalf(t: Lowering, word: ThreadValue): ThreadValue {
  return t.b.extract(t.b.bitcast(word, number('f16', 2)), 0);
}

const op2 = (t: Lowering, name: ThreadOpName, a: ThreadValue, b: ThreadValue): ThreadValue =>
  t.b.value(name, [a, b]);

const binaryInt =
  (name: ThreadOpName, wide: LibraryName, bool: ThreadOpName): Rule =>
  (t, dtype, [a, b]) => {
    if (dtype === 'i64') return t.call(wide, a!, b!);
    if (dtype === 'i1') return op2(t, bool, a!, b!);
    return wrap(t, dtype, op2(t, name, a!, b!));
  };
// Never `&&` and `||`: a branch inside of an expression makes SwiftShader's compiler exponential.
const bitwise =
  (name: ThreadOpName, bool: ThreadOpName): Rule =>
  (t, dtype, [a, b]) =>
    op2(t, dtype === 'i1' ? bool : name, a!, b!);
const unsignedInt =
  (name: ThreadOpName, wide: LibraryName): Rule =>
  (t, dtype, [a, b]) => {
    if (dtype === 'i64') return t.call(wide, a!, b!);
    const value = t.b.convert(
      op2(t, name, unsigned(t, dtype, a!), unsigned(t, dtype, b!)),
      number('i32'),
    );
    return dtype === 'i1' ? t.x`${value} != 0i` : wrap(t, dtype, value);
  };
const extremum =
  (greater: boolean, signed: boolean): Rule =>
  (t, dtype, [a, b]) => {
    if (dtype === 'i64') {
      const less = signed ? 'i64_less' : 'u64_less';
      return greater
        ? t.select(t.call(less, a!, b!), b!, a!)
        : t.select(t.call(less, a!, b!), a!, b!);
    }
    // As numbers of one bit, signed, true is -1.
    if (dtype === 'i1') return op2(t, greater === signed ? 'thread.and' : 'thread.or', a!, b!);
    const name = greater ? 'thread.max' : 'thread.min';
    if (signed) return op2(t, name, a!, b!);
    const value = op2(t, name, unsigned(t, dtype, a!), unsigned(t, dtype, b!));
    return wrap(t, dtype, t.x`i32(${value})`);
  };
const shift =
  (kind: 'left' | 'arithmetic' | 'logical', wide: LibraryName): Rule =>
  (t, dtype, [a, b]) => {
    if (dtype === 'i64') return t.call(wide, a!, t.x`${b!}.x`);
    if (dtype === 'i1') return a!;
    if (kind === 'left') return wrap(t, dtype, t.x`${a!} << u32(${b!})`);
    if (kind === 'arithmetic') return t.x`${a!} >> u32(${b!})`;
    return wrap(t, dtype, t.x`i32(${unsigned(t, dtype, a!)} >> u32(${b!}))`);
  };

const binaryFloat =
  (name: ThreadOpName): Rule =>
  (t, dtype, [a, b]) => {
    if (!dtype.startsWith('f8')) return rounded(t, dtype, op2(t, name, a!, b!));
    return rounded(t, dtype, op2(t, name, asF32(t, dtype, a!), asF32(t, dtype, b!)));
  };
/** A function of f32 values; other floats go through f32. */
const viaF32 =
  (make: (t: Lowering, ...args: ThreadValue[]) => ThreadValue): Rule =>
  (t, dtype, args) =>
    fromF32(t, dtype, make(t, ...args.map((arg) => asF32(t, dtype, arg))));
const builtin = (name: ThreadOpName): Rule => viaF32((t, ...args) => t.b.value(name, args));
/** A function of WGSL that some adapters give numbers for where there is none. */
const orNan = (name: ThreadOpName, careful: LibraryName): Rule =>
  viaF32((t, x) => (t.request.target.functionsDropNan ? t.call(careful, x) : t.b.value(name, [x])));
const helper = (name: LibraryName): Rule => viaF32((t, ...args) => t.call(name, ...args));
/** The larger or smaller number of two, of which one may be a NaN. */
const numeric = (name: ThreadOpName, careful: LibraryName): Rule =>
  viaF32((t, x, y) =>
    t.request.target.extremaDropNan ? op2(t, name, x, y) : t.call(careful, x, y),
  );

const COMPARISONS: Readonly<Record<string, ThreadOpName>> = {
  eq: 'thread.eq',
  ne: 'thread.ne',
  lt: 'thread.lt',
  le: 'thread.le',
  gt: 'thread.gt',
  ge: 'thread.ge',
};
const comparison = (predicate: string): ThreadOpName => {
  const name = COMPARISONS[predicate];
  if (!name) throw new Error(`unknown predicate ${predicate}`);
  return name;
};

function compareInt(
  t: Lowering,
  dtype: DType,
  a: ThreadValue,
  b: ThreadValue,
  predicate: string,
): ThreadValue {
  if (predicate === 'eq' || predicate === 'ne') {
    const same = op2(t, comparison(predicate), a, b);
    if (dtype !== 'i64') return same;
    return t.b.value(predicate === 'eq' ? 'thread.all' : 'thread.any', [same]);
  }
  const [sign, order] = [predicate[0]!, predicate.slice(1)];
  if (dtype === 'i64') {
    const less = sign === 's' ? 'i64_less' : 'u64_less';
    const swapped = order === 'gt' || order === 'le';
    const found = swapped ? t.call(less, b, a) : t.call(less, a, b);
    return order === 'lt' || order === 'gt' ? found : t.x`!${found}`;
  }
  const name = comparison(order);
  if (sign === 'u') return op2(t, name, unsigned(t, dtype, a), unsigned(t, dtype, b));
  // One bit, signed: true is -1.
  if (dtype === 'i1') return op2(t, name, t.x`-i32(${a})`, t.x`-i32(${b})`);
  return op2(t, name, a, b);
}

function compareFloat(
  t: Lowering,
  dtype: DType,
  a: ThreadValue,
  b: ThreadValue,
  predicate: string,
): ThreadValue {
  const [x, y] = [asF32(t, dtype, a), asF32(t, dtype, b)];
  // Drivers may assume that nothing is NaN, so a question about NaN is one about bits.
  if (a === b && predicate === 'une') return t.call('f32_is_nan', x);
  if (a === b && predicate === 'oeq') return t.x`!${t.call('f32_is_nan', x)}`;
  if (predicate === 'une') return t.x`!(${x} == ${y})`;
  if (predicate[0] !== 'o') throw new Error(`unknown predicate ${predicate}`);
  return op2(t, comparison(predicate.slice(1)), x, y);
}

/** Operations on numbers element by element, but for casts (`conversions.ts`). */
type ArithmeticOp = keyof (IntegerOps & BitOps & FloatOps & MathOps & ComparisonOps) | 'tt.addptr';
const RULES = {
  'arith.addi': binaryInt('thread.add', 'i64_add', 'thread.ne'),
  'arith.subi': binaryInt('thread.sub', 'i64_sub', 'thread.ne'),
  'arith.muli': binaryInt('thread.mul', 'i64_mul', 'thread.and'),
  'arith.divsi': binaryInt('thread.div', 'i64_div', 'thread.and'),
  'arith.remsi': (t, dtype, [a, b]) => {
    if (dtype === 'i64') return t.call('i64_rem', a!, b!);
    return dtype === 'i1' ? t.x`${a!} & !${b!}` : t.x`${a!} % ${b!}`;
  },
  'arith.divui': unsignedInt('thread.div', 'u64_div'),
  'arith.remui': unsignedInt('thread.rem', 'u64_rem'),
  'arith.andi': bitwise('thread.and', 'thread.and'),
  'arith.ori': bitwise('thread.or', 'thread.or'),
  'arith.xori': bitwise('thread.xor', 'thread.ne'),
  'arith.shli': shift('left', 'i64_shl'),
  'arith.shrsi': shift('arithmetic', 'i64_shr'),
  'arith.shrui': shift('logical', 'u64_shr'),
  'arith.maxsi': extremum(true, true),
  'arith.maxui': extremum(true, false),
  'arith.minsi': extremum(false, true),
  'arith.minui': extremum(false, false),
  'tt.mulhiui': (t, dtype, [a, b]) => {
    if (dtype === 'i64') return t.call('u64_mulhi', a!, b!);
    if (dtype === 'i32') return t.x`i32(u32_mul_wide(u32(${a!}), u32(${b!})).y)`;
    const width = dtype === 'i8' ? 8 : 16;
    const [x, y] = [unsigned(t, dtype, a!), unsigned(t, dtype, b!)];
    return wrap(t, dtype, t.x`i32((${x} * ${y}) >> ${width}u)`);
  },
  'arith.addf': binaryFloat('thread.add'),
  'arith.subf': binaryFloat('thread.sub'),
  'arith.mulf': (t, dtype, args, op) =>
    dtype === 'f32' && keepsDenormals(t.request.target, op.operands)
      ? t.call('f32_mul_rn', args[0]!, args[1]!)
      : binaryFloat('thread.mul')(t, dtype, args, op),
  'arith.divf': binaryFloat('thread.div'),
  'arith.remf': helper('f32_rem'),
  'arith.negf': (t, dtype, [a]) => {
    if (dtype.startsWith('f8')) return t.x`${a!} ^ 0x80u`;
    const flushes = t.request.target.flushesDenormals && (dtype === 'f32' || dtype === 'bf16');
    return flushes ? t.x`bitcast<f32>(bitcast<u32>(${a!}) ^ 0x80000000u)` : t.x`-${a!}`;
  },
  'arith.maximumf': helper('f32_maximum'),
  'arith.maxnumf': numeric('thread.max', 'f32_maxnum'),
  'arith.minimumf': helper('f32_minimum'),
  'arith.minnumf': numeric('thread.min', 'f32_minnum'),
  'tt.clampf': (t, dtype, args, op) => {
    const [x, low, high] = args.map((arg) => asF32(t, dtype, arg));
    const nan = op.attributes['propagateNan'] === 'all';
    const raised = t.call(nan ? 'f32_maximum' : 'f32_maxnum', x!, low!);
    return fromF32(t, dtype, t.call(nan ? 'f32_minimum' : 'f32_minnum', raised, high!));
  },
  'tt.precise_divf': helper('f32_div_rn'),
  'tt.precise_sqrt': helper('f32_sqrt_rn'),
  'arith.cmpi': (t, _, [a, b], op) =>
    compareInt(t, dtypeOfValue(op.operand(0)), a!, b!, String(op.attributes['predicate'])),
  'arith.cmpf': (t, _, [a, b], op) =>
    compareFloat(t, dtypeOfValue(op.operand(0)), a!, b!, String(op.attributes['predicate'])),
  'arith.select': (t, _, [condition, yes, no]) => t.select(condition!, yes!, no!),
  'math.exp': orNan('thread.exp', 'f32_exp'),
  'math.exp2': orNan('thread.exp2', 'f32_exp2'),
  'math.log': orNan('thread.log', 'f32_log'),
  'math.log2': orNan('thread.log2', 'f32_log2'),
  'math.log1p': helper('f32_log1p'),
  'math.expm1': helper('f32_expm1'),
  'math.sin': viaF32((t, x) => t.x`f32_sin_cos(${x}).x`),
  'math.cos': viaF32((t, x) => t.x`f32_sin_cos(${x}).y`),
  'math.tan': helper('f32_tan'),
  'math.asin': helper('f32_asin'),
  'math.acos': helper('f32_acos'),
  'math.atan': helper('f32_atan'),
  'math.atan2': helper('f32_atan2'),
  'math.sinh': helper('f32_sinh'),
  'math.cosh': builtin('thread.cosh'),
  'math.tanh': helper('f32_tanh'),
  'math.powf': helper('f32_pow'),
  'math.sqrt': builtin('thread.sqrt'),
  'math.rsqrt': builtin('thread.inverse_sqrt'),
  'math.erf': helper('f32_erf'),
  'math.floor': builtin('thread.floor'),
  'math.ceil': builtin('thread.ceil'),
  'math.round': helper('f32_round'),
  'math.roundeven': builtin('thread.round'),
  'math.trunc': builtin('thread.trunc'),
  'math.absf': (t, dtype, [a]) => (dtype.startsWith('f8') ? t.x`${a!} & 0x7fu` : t.x`abs(${a!})`),
  'math.absi': (t, dtype, [a]) => {
    if (dtype === 'i64') return t.call('i64_abs', a!);
    return dtype === 'i1' ? a! : wrap(t, dtype, t.x`abs(${a!})`);
  },
  'math.fma': builtin('thread.fma'),
  'math.ctlz': (t, dtype, [a]) => {
    if (dtype === 'i1') return t.x`!${a!}`;
    if (dtype !== 'i64') {
      const zeros = t.x`i32(countLeadingZeros(${unsigned(t, dtype, a!)}))`;
      return dtype === 'i32' ? zeros : t.x`${zeros} - ${dtype === 'i8' ? 24 : 16}i`;
    }
    const low = t.x`32u + countLeadingZeros(${a!}.x)`;
    const high = t.x`countLeadingZeros(${a!}.y)`;
    return t.x`vec2<u32>(${t.select(t.x`${a!}.y == 0u`, low, high)}, 0u)`;
  },
  'math.ctpop': (t, dtype, [a]) => {
    if (dtype === 'i1') return a!;
    if (dtype !== 'i64') return t.x`i32(countOneBits(${unsigned(t, dtype, a!)}))`;
    return t.x`vec2<u32>(countOneBits(${a!}.x) + countOneBits(${a!}.y), 0u)`;
  },
  'math.bitreverse': (t, dtype, [a]) => {
    if (dtype === 'i1') return a!;
    if (dtype === 'i64') return t.x`vec2<u32>(reverseBits(${a!}.y), reverseBits(${a!}.x))`;
    const reversed = t.x`i32(reverseBits(u32(${a!})))`;
    // The bits of a narrow integer end at the top, where a shift extends their sign.
    if (dtype === 'i8') return t.x`${reversed} >> 24u`;
    return dtype === 'i16' ? t.x`${reversed} >> 16u` : reversed;
  },
  'tt.addptr': (t, _, [pointer, offset], op) =>
    dtypeOfValue(op.operand(1)) === 'i64'
      ? t.x`${pointer!} + i32(${offset!}.x)`
      : t.x`${pointer!} + ${offset!}`,
} satisfies Record<ArithmeticOp, Rule>;

export type ArithmeticName = keyof typeof RULES;

export function isArithmetic(name: OpName): name is ArithmeticName {
  return name in RULES;
}

/** One register of the result. */
export function arithmetic(
  t: Lowering,
  op: Operation,
  name: ArithmeticName,
  args: readonly ThreadValue[],
): ThreadValue {
  const dtype = dtypeOfValue(op.operand(name === 'arith.select' ? 1 : 0));
  if (dtype === 'f64' && name !== 'arith.select') return arithmetic64(t, op, args);
  return (RULES as Record<ArithmeticName, Rule>)[name](t, dtype, args, op);
}
