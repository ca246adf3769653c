/**
 * What PTX instructions mean, in operations of the IR. An instruction that is not here is refused
 * by its name: nothing is guessed. `.ftz` is not honoured (denormals are kept, or flushed where the
 * adapter does), and the approximations of `ex2`, `tanh` and their like are this adapter's.
 */
import type { FloatPredicate, IntPredicate } from '../../ir/builder';
import type { OpName } from '../../ir/ops';
import { FP32, INT1, bits, isFloating, isInt, isSigned, type NumberDtype } from '../dtypes';
import { absolute } from '../builtins/math';
import { extremum, where } from '../semantics/arithmetic';
import { cast } from '../semantics/convert';
import type { Tensor } from '../values';
import { translateConversion } from './conversions';
import { PTX_TYPES, halves, library, reinterpret, unsignedOf } from './machine';
import type { Machine } from './machine';
import { PtxError, type Instruction, type Statement } from './parse';
import { bitwise, counting, extract, funnel, insert, logic3, permuteBytes, shift } from './bits';
import {
  compare,
  COMPARISONS,
  each,
  has,
  operand,
  refuse,
  type Rule,
  saturated,
  typeOf,
  unary,
} from './rules';

/** Runs the statements on the machine's registers. */
export function translatePtx(m: Machine, statements: readonly Statement[]): void {
  for (const statement of statements) {
    switch (statement.kind) {
      case 'open':
        m.open();
        break;
      case 'close':
        m.close();
        break;
      case 'declaration': {
        const type = PTX_TYPES[statement.type];
        if (!type) throw new PtxError(`registers of type .${statement.type}`);
        for (const name of statement.names) m.declare(name, bits(type));
        break;
      }
      case 'instruction': {
        const rule = Object.hasOwn(RULES, statement.name) ? RULES[statement.name] : undefined;
        if (!rule) throw new PtxError(`the instruction ${statement.text}`);
        rule(m, statement);
        break;
      }
      default:
        statement satisfies never;
    }
  }
}

/** An operation of floats and one of integers. */
const arithmetic =
  (float: OpName | undefined, integer: OpName): Rule =>
  (m, i) =>
    each(
      m,
      i,
      2,
      (type, [a, b]) => {
        if (isFloating(type)) return float ? saturated(m, i, m.emit(float, a!, b!)) : refuse(i);
        return m.emit(integer, a!, b!);
      },
      ['sat'],
    );

/** The product's low or high half, or all of it (`.wide`). */
function product(m: Machine, i: Instruction, type: NumberDtype, a: Tensor, b: Tensor): Tensor {
  if (isFloating(type)) return m.emit('arith.mulf', a, b);
  if (has(i, 'hi')) return library(m, '_ld_mulhi', a, b);
  if (!has(i, 'wide')) return m.emit('arith.muli', a, b);
  const width = bits(type) * 2;
  const wide = isSigned(type) ? PTX_TYPES[`s${width}`]! : unsignedOf(width);
  return m.emit('arith.muli', cast(m.cx, a, wide), cast(m.cx, b, wide));
}
const MULTIPLIES = ['lo', 'hi', 'wide', 'sat'];
const multiply: Rule = (m, i) =>
  each(m, i, 2, (type, [a, b]) => saturated(m, i, product(m, i, type, a!, b!)), MULTIPLIES);
const multiplyAdd: Rule = (m, i) => {
  const type = PTX_TYPES[i.modifiers.at(-1) ?? ''];
  if (has(i, 'wide') && type) {
    typeOf(i, MULTIPLIES);
    const [a, b] = [m.read(operand(i, 1), type), m.read(operand(i, 2), type)];
    const whole = product(m, i, type, a, b);
    const sum = m.emit('arith.addi', whole, m.read(operand(i, 3), whole.dtype as NumberDtype));
    m.write(operand(i, 0), sum, i);
    return;
  }
  const run = (dtype: NumberDtype, [a, b, c]: Tensor[]): Tensor => {
    if (!isFloating(dtype)) return m.emit('arith.addi', product(m, i, dtype, a!, b!), c!);
    const handle = m.cx.builder.value('math.fma', [a!.handle, b!.handle, c!.handle]);
    const fused = saturated(m, i, { ...a!, handle });
    if (!has(i, 'relu')) return fused;
    return extremum(m.cx, 'max', fused, m.constant(0, dtype), 'all');
  };
  each(m, i, 3, run, [...MULTIPLIES, 'relu']);
};
const divide: Rule = (m, i) =>
  each(m, i, 2, (type, [a, b]) => {
    if (type === FP32 && has(i, 'rn')) return m.emit('tt.precise_divf', a!, b!);
    if (isFloating(type)) return m.emit('arith.divf', a!, b!);
    return m.emit(isSigned(type) ? 'arith.divsi' : 'arith.divui', a!, b!);
  });
const extreme =
  (which: 'max' | 'min'): Rule =>
  (m, i) =>
    each(m, i, 2, (_, [a, b]) => extremum(m.cx, which, a!, b!, has(i, 'NaN') ? 'all' : 'none'), [
      'NaN',
    ]);
const negate: Rule = (m, i) =>
  each(m, i, 1, (type, [a]) =>
    isFloating(type) ? unary(m, 'arith.negf', a!) : m.emit('arith.subi', m.constant(0n, type), a!),
  );

/** A function of one float. */
const functionOf =
  (name: OpName, exact: OpName = name): Rule =>
  (m, i) =>
    each(m, i, 1, (type, [a]) =>
      isFloating(type) ? unary(m, has(i, 'rn') ? exact : name, a!) : refuse(i),
    );
const reciprocal: Rule = (m, i) =>
  each(m, i, 1, (type, [a]) => {
    if (!isFloating(type)) return refuse(i);
    return m.emit(has(i, 'rn') ? 'tt.precise_divf' : 'arith.divf', m.constant(1, type), a!);
  });

function comparison(m: Machine, i: Instruction, which: string, a: Tensor, b: Tensor): Tensor {
  const type = a.dtype as NumberDtype;
  if (isInt(type)) {
    const name = COMPARISONS[which] ?? which;
    if (!/^(eq|ne|lt|le|gt|ge)$/.test(name)) return refuse(i);
    if (name === 'eq' || name === 'ne') return compare(m, name, a, b);
    const sign = isSigned(type) && name === which ? 's' : 'u';
    return compare(m, `${sign}${name}` as IntPredicate, a, b);
  }
  const nan = m.emit('arith.ori', compare(m, 'une', a, a), compare(m, 'une', b, b));
  if (which === 'nan') return nan;
  if (which === 'num') return m.not(nan);
  const unordered = /^(eq|ne|lt|le|gt|ge)u$/.exec(which)?.[1];
  const name = unordered ?? which;
  if (!/^(eq|ne|lt|le|gt|ge)$/.test(name)) return refuse(i);
  const predicate = name === 'ne' ? 'une' : (`o${name}` as FloatPredicate);
  const plain = compare(m, predicate, a, b);
  // Drivers may take comparisons with NaN as they like: it is tested by its bits.
  if (unordered) return m.emit('arith.ori', plain, nan);
  return m.emit('arith.andi', plain, m.not(nan));
}
const setPredicate: Rule = (m, i) => {
  const [which = '', ...more] = i.modifiers;
  const combine = more.find((modifier) => /^(and|or|xor)$/.test(modifier));
  const rest = more.filter((modifier) => modifier !== combine && modifier !== 'ftz');
  const target = operand(i, 0);
  const packed = /^(f16|bf16)x2$/.exec(rest[0] ?? '');
  if (packed) {
    if (combine || rest.length !== 1 || target.kind !== 'pair') return refuse(i);
    const type = PTX_TYPES[packed[1]!]!;
    const both = [1, 2].map((k) => halves(m, m.read(operand(i, k), unsignedOf(32)), type));
    const [left, right] = both as [[Tensor, Tensor], [Tensor, Tensor]];
    m.write(target.first, comparison(m, i, which, left[0], right[0]), i);
    m.write(target.second, comparison(m, i, which, left[1], right[1]), i);
    return;
  }
  const type = PTX_TYPES[rest[0] ?? ''];
  if (!type || rest.length !== 1) return refuse(i);
  const result = comparison(m, i, which, m.read(operand(i, 1), type), m.read(operand(i, 2), type));
  const other = combine ? m.read(operand(i, 3), INT1) : undefined;
  const name = combine === 'xor' ? 'arith.xori' : combine === 'or' ? 'arith.ori' : 'arith.andi';
  const joinedWith = (x: Tensor): Tensor => (other ? m.emit(name, x, other) : x);
  m.write(target.kind === 'pair' ? target.first : target, joinedWith(result), i);
  if (target.kind === 'pair') m.write(target.second, joinedWith(m.not(result)), i);
};
/** `set`: all bits, or 1.0, where the comparison holds. */
const setValue: Rule = (m, i) => {
  const [which = '', ...rest] = i.modifiers.filter((modifier) => modifier !== 'ftz');
  const [to, from] = rest.map((name) => PTX_TYPES[name]);
  if (!to || !from || rest.length !== 2) return refuse(i);
  const held = comparison(m, i, which, m.read(operand(i, 1), from), m.read(operand(i, 2), from));
  const [yes, no] = isFloating(to) ? [1, 0] : [-1n, 0n];
  m.write(operand(i, 0), where(m.cx, held, m.constant(yes!, to), m.constant(no!, to)), i);
};
const select: Rule = (m, i) => {
  const type = typeOf(i);
  const condition = m.read(operand(i, 3), INT1);
  const [yes, no] = [m.read(operand(i, 1), type), m.read(operand(i, 2), type)];
  m.write(operand(i, 0), where(m.cx, condition, yes, no), i);
};
const move: Rule = (m, i) => {
  const type = typeOf(i);
  m.write(operand(i, 0), m.read(operand(i, 1), type), i);
};
const copySign: Rule = (m, i) => {
  const type = typeOf(i);
  const word = unsignedOf(bits(type));
  const top = 1n << BigInt(bits(type) - 1);
  const sign = m.emit('arith.andi', m.read(operand(i, 1), word), m.constant(top, word));
  const size = m.emit('arith.andi', m.read(operand(i, 2), word), m.constant(top - 1n, word));
  m.write(operand(i, 0), reinterpret(m.cx, m.emit('arith.ori', sign, size), type), i);
};
/** `dp4a`: four products of bytes, added up. */
const dotOfBytes: Rule = (m, i) => {
  const [left, right] = i.modifiers;
  if (!/^[us]32$/.test(left ?? '') || !/^[us]32$/.test(right ?? '')) refuse(i);
  const word = unsignedOf(32);
  const byte = (k: number, place: number, kind: string): Tensor => {
    const up = m.emit(
      'arith.shli',
      m.read(operand(i, k), word),
      m.constant(BigInt(24 - 8 * place), word),
    );
    return m.emit(kind === 's32' ? 'arith.shrsi' : 'arith.shrui', up, m.constant(24n, word));
  };
  let sum = m.read(operand(i, 3), word);
  for (let place = 0; place < 4; place++)
    sum = m.emit(
      'arith.addi',
      sum,
      m.emit('arith.muli', byte(1, place, left!), byte(2, place, right!)),
    );
  m.write(operand(i, 0), sum, i);
};

const RULES: Readonly<Record<string, Rule>> = {
  mov: move,
  cvt: translateConversion,
  add: arithmetic('arith.addf', 'arith.addi'),
  sub: arithmetic('arith.subf', 'arith.subi'),
  mul: multiply,
  mad: multiplyAdd,
  fma: multiplyAdd,
  div: divide,
  rem: (m, i) =>
    each(m, i, 2, (type, [a, b]) =>
      isFloating(type) ? refuse(i) : m.emit(isSigned(type) ? 'arith.remsi' : 'arith.remui', a!, b!),
    ),
  min: extreme('min'),
  max: extreme('max'),
  abs: (m, i) => each(m, i, 1, (_, [a]) => absolute(m.cx, a!)),
  neg: negate,
  and: bitwise('arith.andi'),
  or: bitwise('arith.ori'),
  xor: bitwise('arith.xori'),
  not: (m, i) => each(m, i, 1, (_, [a]) => m.not(a!)),
  cnot: (m, i) =>
    each(m, i, 1, (type, [a]) => cast(m.cx, compare(m, 'eq', a!, m.constant(0n, type)), type)),
  shl: shift(true),
  shr: shift(false),
  shf: funnel,
  lop3: logic3,
  prmt: permuteBytes,
  bfe: extract,
  bfi: insert,
  popc: counting('_ld_popc'),
  clz: counting('_ld_clz'),
  brev: counting('_ld_brev'),
  setp: setPredicate,
  set: setValue,
  selp: select,
  copysign: copySign,
  dp4a: dotOfBytes,
  rcp: reciprocal,
  ex2: functionOf('math.exp2'),
  lg2: functionOf('math.log2'),
  sin: functionOf('math.sin'),
  cos: functionOf('math.cos'),
  tanh: functionOf('math.tanh'),
  sqrt: functionOf('math.sqrt', 'tt.precise_sqrt'),
  rsqrt: functionOf('math.rsqrt'),
  // A launch here begins when the one before has ended.
  griddepcontrol: () => undefined,
};
