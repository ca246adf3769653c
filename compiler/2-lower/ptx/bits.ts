/** PTX instructions on bits: logic, shifts, permutations of bytes, bit fields, counting. */
import type { OpName } from '../../ir/ops';
import { bits, isSigned, type NumberDtype } from '../dtypes';
import { extremum, where } from '../semantics/arithmetic';
import { cast } from '../semantics/convert';
import type { Tensor } from '../values';
import { library, unsignedOf } from './machine';
import type { Machine } from './machine';
import { compare, each, operand, refuse, type Rule, typeOf } from './rules';

export const bitwise =
  (name: OpName): Rule =>
  (m, i) =>
    each(m, i, 2, (_, [a, b]) => m.emit(name, a!, b!));
/** PTX shifts by too much give 0, or the sign. */
export const shift =
  (left: boolean): Rule =>
  (m, i) => {
    const type = typeOf(i);
    const x = m.read(operand(i, 1), type);
    const amount = m.read(operand(i, 2), unsignedOf(32));
    m.write(operand(i, 0), shifted(m, x, amount, left), i);
  };
function shifted(m: Machine, x: Tensor, amount: Tensor, left: boolean): Tensor {
  const type = x.dtype as NumberDtype;
  const width = bits(type);
  const arithmeticRight = !left && isSigned(type);
  const name = left ? 'arith.shli' : arithmeticRight ? 'arith.shrsi' : 'arith.shrui';
  const most = m.constant(BigInt(width - 1), unsignedOf(32));
  const limited = cast(m.cx, extremum(m.cx, 'min', amount, most, 'none'), type);
  const inside = m.emit(name, x, limited);
  if (arithmeticRight) return inside;
  return where(m.cx, compare(m, 'ugt', amount, most), m.constant(0n, type), inside);
}
/** `shf`: 64 bits of two registers, shifted; the upper or the lower half. */
export const funnel: Rule = (m, i) => {
  const [direction, mode, type] = i.modifiers;
  if (type !== 'b32' || !/^[lr]$/.test(direction!) || !/^(wrap|clamp)$/.test(mode!)) refuse(i);
  const [word, double] = [unsignedOf(32), unsignedOf(64)];
  const low = cast(m.cx, m.read(operand(i, 1), word), double);
  const high = cast(m.cx, m.read(operand(i, 2), word), double);
  const both = m.emit('arith.ori', low, m.emit('arith.shli', high, m.constant(32n, double)));
  const given = m.read(operand(i, 3), word);
  const amount =
    mode === 'wrap'
      ? m.emit('arith.andi', given, m.constant(31n, word))
      : extremum(m.cx, 'min', given, m.constant(32n, word), 'none');
  const by = cast(m.cx, amount, double);
  const moved =
    direction === 'r'
      ? m.emit('arith.shrui', both, by)
      : m.emit('arith.shrui', m.emit('arith.shli', both, by), m.constant(32n, double));
  m.write(operand(i, 0), cast(m.cx, moved, word), i);
};

/** `lop3`: any function of three bits, by its truth table; first by a, then of b and c. */
export const logic3: Rule = (m, i) => {
  if (i.modifiers.join('.') !== 'b32') refuse(i);
  const table = operand(i, 4);
  if (table.kind !== 'integer') return refuse(i);
  const word = unsignedOf(32);
  const [a, b, c] = [1, 2, 3].map((k) => m.read(operand(i, k), word)) as [Tensor, Tensor, Tensor];
  const [yes, no] = [Number(table.value >> 4n) & 15, Number(table.value) & 15];
  const inner = (index: number): Tensor | boolean => logic2(m, index, b, c);
  const result = choose(m, a, inner(yes), inner(no));
  m.write(operand(i, 0), constantOr(m, result), i);
};
function constantOr(m: Machine, x: Tensor | boolean): Tensor {
  return typeof x === 'boolean' ? m.constant(x ? -1n : 0n, unsignedOf(32)) : x;
}
/** `yes` where the bit of `a` is set, else `no`. */
function choose(
  m: Machine,
  a: Tensor,
  yes: Tensor | boolean,
  no: Tensor | boolean,
): Tensor | boolean {
  if (yes === no) return yes;
  if (yes === true && no === false) return a;
  if (yes === false && no === true) return m.not(a);
  if (yes === true) return m.emit('arith.ori', a, constantOr(m, no));
  if (no === true) return m.emit('arith.ori', m.not(a), constantOr(m, yes));
  if (no === false) return m.emit('arith.andi', a, constantOr(m, yes));
  if (yes === false) return m.emit('arith.andi', m.not(a), constantOr(m, no));
  const [p, q] = [constantOr(m, yes), constantOr(m, no)];
  return m.emit('arith.ori', m.emit('arith.andi', a, p), m.emit('arith.andi', m.not(a), q));
}
/** The function of two bits with this truth table, b being the higher bit of its index. */
function logic2(m: Machine, table: number, b: Tensor, c: Tensor): Tensor | boolean {
  const column = (two: number): Tensor | boolean =>
    two === 0 ? false : two === 3 ? true : two === 2 ? c : m.not(c);
  if (table === 6) return m.emit('arith.xori', b, c);
  if (table === 9) return m.not(m.emit('arith.xori', b, c));
  const [yes, no] = [table >> 2, table & 3];
  if (yes === no) return column(yes);
  return choose(m, b, column(yes), column(no));
}

/** `prmt`: four bytes of eight. */
export const permuteBytes: Rule = (m, i) => {
  if (i.modifiers.join('.') !== 'b32') refuse(i);
  const word = unsignedOf(32);
  const [a, b] = [m.read(operand(i, 1), word), m.read(operand(i, 2), word)];
  const selector = operand(i, 3);
  if (selector.kind !== 'integer') {
    m.write(operand(i, 0), library(m, '_ld_prmt', a, b, m.read(selector, word)), i);
    return;
  }
  let result: Tensor | undefined;
  for (let k = 0; k < 4; k++) {
    const nibble = Number(selector.value >> BigInt(4 * k)) & 15;
    const source = nibble & 4 ? b : a;
    // The byte at the top, so that a shift down brings its sign along or zeros.
    const up = m.emit('arith.shli', source, m.constant(BigInt(24 - 8 * (nibble & 3)), word));
    const byte =
      nibble & 8
        ? m.emit('arith.shrsi', up, m.constant(31n, word))
        : m.emit('arith.shrui', up, m.constant(24n, word));
    const own = m.emit('arith.andi', byte, m.constant(0xffn, word));
    const placed = k === 0 ? own : m.emit('arith.shli', own, m.constant(BigInt(8 * k), word));
    result = result ? m.emit('arith.ori', result, placed) : placed;
  }
  m.write(operand(i, 0), result!, i);
};

/** `bfe`: bits of a number from a place on, so many of them; signed, filled up with the highest. */
export const extract: Rule = (m, i) => {
  const type = typeOf(i);
  const x = m.read(operand(i, 1), type);
  const word = unsignedOf(32);
  const byte = (k: number): Tensor =>
    m.emit('arith.andi', m.read(operand(i, k), word), m.constant(0xffn, word));
  const [start, length] = [byte(2), byte(3)];
  const width = m.constant(BigInt(bits(type)), word);
  const count = extremum(m.cx, 'min', length, width, 'none');
  // Signed, what lies beyond the top counts as copies of it.
  const down = shifted(m, x, start, false);
  const spare = m.emit('arith.subi', width, count);
  const result = shifted(m, shifted(m, down, spare, true), spare, false);
  m.write(operand(i, 0), result, i);
};
export const insert: Rule = (m, i) => {
  const type = typeOf(i);
  const word = unsignedOf(32);
  const [field, base] = [m.read(operand(i, 1), type), m.read(operand(i, 2), type)];
  const byte = (k: number): Tensor =>
    m.emit('arith.andi', m.read(operand(i, k), word), m.constant(0xffn, word));
  const [start, length] = [byte(3), byte(4)];
  const ones = m.not(shifted(m, m.constant(-1n, type), length, true));
  const mask = shifted(m, ones, start, true);
  const placed = m.emit('arith.andi', shifted(m, field, start, true), mask);
  const kept = m.emit('arith.andi', base, m.not(mask));
  m.write(operand(i, 0), m.emit('arith.ori', placed, kept), i);
};
export const counting =
  (name: string): Rule =>
  (m, i) => {
    const type = typeOf(i);
    m.write(operand(i, 0), library(m, name, m.read(operand(i, 1), type)), i);
  };
