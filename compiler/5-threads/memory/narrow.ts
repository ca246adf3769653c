/**
 * Loads and stores of narrow elements, several to a word, where each element has a mask of its own.
 * Whole words are accessed: a load reads a word where any of its elements is read, a store writes
 * it at once where all are stored, else only their bits.
 */
import type { Operation } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import { bitWidth } from '../../ir/types';
import { bitsOf, fromBits } from '../arithmetic/conversions';
import { numberAttribute } from '../context';
import type { Lowering } from '../context';
import { ownerCondition } from '../owners';
import type { Bounds } from './bounds';
import { accessDtype, joinBits, range, readWord, writeMasked } from './runs';

/**
 * Elements to a word, where a thread has whole words of narrow elements under masks that vary; else
 * 0.
 */
export function wordElements(t: Lowering, op: Operation, vector: number, count: number): number {
  const { group } = t.memory.of(op);
  const bits = bitWidth(accessDtype(op));
  const perWord = Math.floor(32 / Math.max(8, bits));
  const run = Math.min(numberAttribute(op, 'run') ?? 1, count);
  const mask = op.operands[op.name === 'tt.load' ? 1 : 2];
  const words = group.element === 'u32' && (group.atomic || op.name === 'tt.load');
  return mask && words && vector === 1 && run >= perWord ? perWord : 0;
}

/**
 * Narrow elements under masks that vary: a word is read once where the mask of any element holds.
 */
export function lowerPartialLoad(
  t: Lowering,
  op: Operation,
  bounds: Bounds | undefined,
  count: number,
): void {
  const { group } = t.memory.of(op);
  const dtype = accessDtype(op);
  const [pointers, masks, others] = op.operands.map((operand) => t.registers(operand));
  const type = t.registerTypeOf(op.result);
  const bits = 32 / count;
  const operation = t.checks.nextGuard();
  const out: ThreadValue[] = [];
  for (let first = 0; first < pointers!.length; first += count) {
    const conditions = range(count).map((i) => {
      const [offset, mask] = [pointers![first + i]!, masks![first + i]!];
      if (!bounds) return mask;
      return t.let('ok', bounds.guard({ offset, mask }, { operation }).some);
    });
    const at = t.x`u32(${pointers![first]!}) / ${count}u`;
    const read = (): readonly ThreadValue[] => [readWord(t, group, at)];
    const [word] = t.b.if(t.some(conditions), read, () => [t.b.u32(0)], ['word']);
    // An element out of range is 0: of padding, or of a word that is not read.
    for (const i of range(count)) {
      const shifted = i === 0 ? word! : t.x`${word!} >> ${bits * i}u`;
      const value = fromBits(t, dtype, t.x`${shifted} & ${2 ** bits - 1}u`);
      const other = others?.[first + i] ?? t.b.zero(type);
      out.push(t.let(t.hint(op.result), t.select(masks![first + i]!, value, other)));
    }
  }
  t.setRegisters(op.result, out);
}

/** A word of narrow elements, each under its own mask: one access where all of them are stored. */
export function lowerPartialStore(
  t: Lowering,
  op: Operation,
  bounds: Bounds | undefined,
  count: number,
): void {
  const { group } = t.memory.of(op);
  const dtype = accessDtype(op);
  const [pointers, values, masks] = op.operands.map((operand) => t.registers(operand));
  const owner = ownerCondition(t, op.operand(0));
  const bits = 32 / count;
  const operation = t.checks.nextGuard();
  for (let first = 0; first < pointers!.length; first += count) {
    const parts = range(count).map((i) => {
      const wanted = t.every([masks![first + i]!, owner])!;
      const part = t.b.u32((2 ** bits - 1) * 2 ** (bits * i));
      const run = { offset: pointers![first + i]!, mask: wanted };
      const stored = bounds ? bounds.guard(run, { operation }).some : wanted;
      return t.select(stored, part, t.b.u32(0));
    });
    const fields = values!.slice(first, first + count).map((value) => bitsOf(t, dtype, value));
    const mask = t.let('mask', t.some(parts));
    const word = t.let('bits', joinBits(t, fields, bits));
    const at = t.let('at', t.x`u32(${pointers![first]!}) / ${count}u`);
    t.b.if(
      t.x`${mask} == 0xffffffffu`,
      () => {
        t.b.store(t.buffer(group), at, word);
        return [];
      },
      () => {
        t.when(t.x`${mask} != 0u`, () => writeMasked(t, group, at, mask, word));
        return [];
      },
    );
  }
}
