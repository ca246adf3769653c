/**
 * Values of thread IR as WGSL expressions. A text comes with how tight it binds, so that
 * parentheses stand only where WGSL needs them or a reader would: it allows no mix of `&`, `|`,
 * shifts and comparisons without.
 */
import type { ThreadOp } from '../ir/thread/ir';
import type { ThreadOpName } from '../ir/thread/ops';
import type {
  FragmentType,
  MemoryType,
  NumberType,
  ScalarName,
  ThreadType,
} from '../ir/thread/types';
import { floatBits } from '../ir/numbers';
import type { Variable } from '../ir/thread/variables';

/** How tight an expression binds. */
export const enum Binds {
  /** Comparisons and bitwise operations: in parentheses wherever they are an operand. */
  Loose,
  Sum,
  Product,
  Unary,
  /** Names, literals, calls, components. */
  Primary,
}
/** A value as it is written, with what its use requires. */
export class Text {
  /** Operations that stand in it, one inside the other. */
  depth = 0;
  /** The variables that it reads. */
  reads: readonly Variable[] = NOTHING;
  /** Whether it reads memory: no statement comes between it and its place. */
  loads = false;
  isConstant = false;
  constructor(
    readonly text: string,
    readonly binds: Binds = Binds.Primary,
    /** The associative operator at the top: a chain of one needs no parentheses. */
    readonly chain?: string,
  ) {}
}
const NOTHING: readonly Variable[] = [];

/** The text as an operand of something that binds as tight as `least`. */
export function operand({ text, binds }: Text, least: Binds): string {
  return binds < least ? `(${text})` : text;
}

type Form = (op: ThreadOp, args: readonly Text[]) => Text;

/** Operands bind at least as tight as `left` and `right` say. */
const infix =
  (symbol: string, binds: Binds, left: Binds, right: Binds): Form =>
  (_, [x, y]) =>
    new Text(`${operand(x!, left)} ${symbol} ${operand(y!, right)}`, binds);
const sum = (symbol: string): Form => infix(symbol, Binds.Sum, Binds.Sum, Binds.Product);
const product = (symbol: string): Form => infix(symbol, Binds.Product, Binds.Product, Binds.Unary);
const shift = (symbol: string): Form => infix(symbol, Binds.Loose, Binds.Unary, Binds.Unary);
const comparison = (symbol: string): Form => infix(symbol, Binds.Loose, Binds.Sum, Binds.Sum);
const bitwise =
  (symbol: string): Form =>
  (_, [x, y]) => {
    const left = x!.chain === symbol ? x!.text : operand(x!, Binds.Unary);
    return new Text(`${left} ${symbol} ${operand(y!, Binds.Unary)}`, Binds.Loose, symbol);
  };
const call =
  (name: string): Form =>
  (_, args) =>
    new Text(callText(name, args));
/** A call of the result's type. */
const ofType: Form = (op, args) => new Text(callText(typeText(op.result.type), args));
const fixed =
  (text: string): Form =>
  () =>
    new Text(text);
const component =
  (vector: string): Form =>
  ({ attributes }) =>
    new Text(`${vector}.${'xyzw'[Number(attributes['axis'])]}`);

/** How each operation that is an expression is written. */
const FORMS: Partial<Record<ThreadOpName, Form>> = {
  'thread.add': sum('+'),
  'thread.sub': sum('-'),
  'thread.mul': product('*'),
  'thread.div': product('/'),
  'thread.rem': product('%'),
  'thread.and': bitwise('&'),
  'thread.or': bitwise('|'),
  'thread.xor': bitwise('^'),
  'thread.shl': shift('<<'),
  'thread.shr': shift('>>'),
  'thread.eq': comparison('=='),
  'thread.ne': comparison('!='),
  'thread.lt': comparison('<'),
  'thread.le': comparison('<='),
  'thread.gt': comparison('>'),
  'thread.ge': comparison('>='),
  'thread.abs': call('abs'),
  'thread.min': call('min'),
  'thread.max': call('max'),
  'thread.clamp': call('clamp'),
  'thread.count_leading_zeros': call('countLeadingZeros'),
  'thread.count_one_bits': call('countOneBits'),
  'thread.reverse_bits': call('reverseBits'),
  'thread.fma': call('fma'),
  'thread.exp': call('exp'),
  'thread.exp2': call('exp2'),
  'thread.log': call('log'),
  'thread.log2': call('log2'),
  'thread.sin': call('sin'),
  'thread.cos': call('cos'),
  'thread.cosh': call('cosh'),
  'thread.sqrt': call('sqrt'),
  'thread.inverse_sqrt': call('inverseSqrt'),
  'thread.floor': call('floor'),
  'thread.ceil': call('ceil'),
  'thread.trunc': call('trunc'),
  'thread.round': call('round'),
  'thread.sign': call('sign'),
  'thread.pow': call('pow'),
  'thread.ldexp': call('ldexp'),
  'thread.all': call('all'),
  'thread.any': call('any'),
  'thread.pack2x16float': call('pack2x16float'),
  'thread.unpack2x16float': call('unpack2x16float'),
  'thread.subgroup_shuffle': call('subgroupShuffle'),
  'thread.subgroup_shuffle_xor': call('subgroupShuffleXor'),
  'thread.matrix_multiply_accumulate': call('subgroupMatrixMultiplyAccumulate'),
  'thread.neg': (_, [x]) => new Text(`-${operand(x!, Binds.Primary)}`, Binds.Unary),
  'thread.not': ({ result: { type } }, [x]) => {
    const operator = type.kind === 'number' && type.scalar === 'bool' ? '!' : '~';
    return new Text(`${operator}${operand(x!, Binds.Primary)}`, Binds.Unary);
  },
  'thread.select': (_, [condition, yes, no]) =>
    new Text(`select(${no!.text}, ${yes!.text}, ${condition!.text})`),
  'thread.copy': (_, [x]) => new Text(x!.text, x!.binds, x!.chain),
  'thread.convert': ofType,
  'thread.splat': ofType,
  'thread.construct': ofType,
  'thread.matrix_zero': ofType,
  'thread.bitcast': ({ result }, [x]) => new Text(`bitcast<${typeText(result.type)}>(${x!.text})`),
  'thread.extract': ({ attributes }, [x]) =>
    new Text(`${operand(x!, Binds.Primary)}.${'xyzw'[Number(attributes['index'])]}`),
  'thread.swizzle': ({ attributes }, [x]) => {
    const indices = attributes['indices'] as readonly number[];
    return new Text(`${operand(x!, Binds.Primary)}.${indices.map((i) => 'xyzw'[i]).join('')}`);
  },
  'thread.extract_dynamic': (_, [x, index]) =>
    new Text(`${operand(x!, Binds.Primary)}[${index!.text}]`),
  'thread.call': ({ attributes }, args) => new Text(callText(String(attributes['callee']), args)),
  'thread.optimization_barrier': ({ result }, [x, zero]) =>
    new Text(hiddenText(result.type, x!.text, operand(zero!, Binds.Unary))),
  'thread.array_length': (_, [array]) => new Text(`arrayLength(&${array!.text})`),
  'thread.program_id': component('program'),
  'thread.workgroup_id': component('workgroup'),
  'thread.thread_id': fixed('tid'),
  'thread.subgroup_id': fixed('subgroup'),
};

/** Whether an operation is an expression; the others are statements. */
export function isExpression(name: ThreadOpName): boolean {
  return FORMS[name] !== undefined;
}
/** An expression, given the texts of its operands. */
export function expressionText(op: ThreadOp, args: readonly Text[]): Text {
  return FORMS[op.name]!(op, args);
}

function callText(name: string, args: readonly Text[]): string {
  let text = `${name}(`;
  for (let i = 0; i < args.length; i++) text += i === 0 ? args[i]!.text : `, ${args[i]!.text}`;
  return `${text})`;
}
function hiddenText(type: ThreadType, x: string, zero: string): string {
  const scalar = type.kind === 'number' ? type.scalar : 'f32';
  // WGSL has no bitcast of a single f16: it goes through a vector of two.
  if (scalar === 'f16') return `bitcast<vec2<f16>>(bitcast<u32>(vec2<f16>(${x}, 0h)) ^ ${zero}).x`;
  if (scalar === 'u32') return `(${x} ^ ${zero})`;
  return `bitcast<f32>(bitcast<u32>(${x}) ^ ${zero})`;
}

export function numberText({ scalar, size }: NumberType): string {
  return size === 1 ? scalar : `vec${size}<${scalar}>`;
}
export function fragmentText({ role, scalar, rows, columns }: FragmentType): string {
  return `subgroup_matrix_${role}<${scalar}, ${columns}, ${rows}>`;
}
/** The type of a variable. */
export function typeText(type: ThreadType): string {
  switch (type.kind) {
    case 'number':
      return numberText(type);
    case 'fragment':
      return fragmentText(type);
    case 'memory':
      return memoryText(type);
    default:
      return type satisfies never;
  }
}
export function memoryText({ element, atomic, shape }: MemoryType): string {
  const scalar = atomic ? `atomic<${numberText(element)}>` : numberText(element);
  return shape.reduceRight(
    (inner, length) => (length === 0 ? `array<${inner}>` : `array<${inner}, ${length}>`),
    scalar,
  );
}

/** A literal of a number, or undefined where WGSL has none: infinities, NaN, -0, denormals. */
export function literalText(scalar: ScalarName, value: number): string | undefined {
  switch (scalar) {
    case 'bool':
      return value === 0 ? 'false' : 'true';
    case 'i32':
      return value < 0 ? `i32(${value})` : `${value}i`;
    case 'u32':
      return value >= 0x10000 && (value & (value + 1)) === 0 && value !== 0
        ? `0x${value.toString(16)}u`
        : `${value}u`;
    default: {
      const least = scalar === 'f16' ? 2 ** -14 : 2 ** -126;
      if (!Number.isFinite(value) || Object.is(value, -0)) return undefined;
      if (value !== 0 && Math.abs(value) < least) return undefined;
      const text = String(value);
      const suffix = scalar === 'f16' ? 'h' : 'f';
      return /[.e]/.test(text) ? `${text}${suffix}` : `${text}.0${suffix}`;
    }
  }
}
/** A float that has no literal, from its bits and a word that is 0 at run time. */
export function bitsText(scalar: ScalarName, value: number): string {
  if (scalar === 'f16')
    return `bitcast<vec2<f16>>(0x${floatBits('f16', value).toString(16)}u + runtime_zero).x`;
  return `bitcast<f32>(0x${floatBits('f32', value).toString(16)}u + runtime_zero)`;
}
