/** The combine region of a reduction or scan, written out where it is applied. */
import type { Block, Operation } from '../../ir/ir';
import { hasTrait } from '../../ir/ops';
import type { ThreadValue } from '../../ir/thread/ir';
import { dtypeOf } from '../../ir/types';
import type { Lowering } from '../context';
import { lowerOperation } from '../operations';
import { constantOf } from '../registers';

/** One element of each input: a register for each. */
export type Element = readonly ThreadValue[];

/** The region applied to a left and a right element. */
export function combine(t: Lowering, op: Operation, left: Element, right: Element): Element {
  const region = op.region(0);
  [...left, ...right].forEach((register, i) => t.setRegisters(region.args[i]!, [register]));
  for (const inner of region.ops) lowerOperation(t, inner);
  return region.terminator.operands.map((value) => t.scalar(value));
}

/** Combines elements in order, as a balanced tree: short chains, and less rounding error. */
export function combineAll(t: Lowering, op: Operation, list: readonly Element[]): Element {
  let level = [...list];
  while (level.length > 1) {
    const next: Element[] = [];
    for (let i = 0; i + 1 < level.length; i += 2)
      next.push(combine(t, op, level[i]!, level[i + 1]!));
    if (level.length % 2 === 1) next.push(level.at(-1)!);
    level = next;
  }
  return level[0]!;
}

/** Whether left and right may change places: one commutative operation on the two of each input. */
export function isCommutative(op: Operation): boolean {
  const region: Block = op.region(0);
  const results = region.terminator.operands;
  const count = results.length;
  return (
    region.ops.length === count + 1 &&
    results.every((result, i) => {
      const { definition } = result;
      if (!definition || !hasTrait(definition.name, 'commutative')) return false;
      const [x, y] = definition.operands.map((value) => region.args.indexOf(value));
      return Math.min(x!, y!) === i && Math.max(x!, y!) === i + count;
    })
  );
}

/**
 * Neutral elements on the left: -0 + 0 is 0, and of NaN and a number both extrema are the number.
 */
const NEUTRAL: Readonly<Record<string, number>> = {
  'arith.addf': -0,
  'arith.addi': 0,
  'arith.maxnumf': NaN,
  'arith.minnumf': NaN,
};
/** A register of i64 and f64 is two words; sums of floats below 32 bits are rounded. */
const PLAIN: ReadonlySet<unknown> = new Set(['f32', 'i32']);

/** An element that combines with any on its right to the latter; undefined where none is known. */
export function neutral(t: Lowering, op: Operation): Element | undefined {
  if (!isCommutative(op)) return undefined;
  const registers = op.region(0).terminator.operands.map((result) => {
    const [value, dtype] = [NEUTRAL[result.definition!.name], dtypeOf(result.type)];
    return value === undefined || !PLAIN.has(dtype)
      ? undefined
      : constantOf(t.b, dtype!, value, t.native);
  });
  return registers.includes(undefined) ? undefined : (registers as Element);
}

/** Combines with another thread's element; `otherIsLeft`: whether that one comes first. */
export function combineOrdered(
  t: Lowering,
  op: Operation,
  mine: Element,
  other: Element,
  otherIsLeft: ThreadValue,
): Element {
  if (isCommutative(op)) return combine(t, op, mine, other);
  const left = mine.map((x, i) => t.let('left', t.select(otherIsLeft, other[i]!, x)));
  const right = mine.map((x, i) => t.let('right', t.select(otherIsLeft, x, other[i]!)));
  return combine(t, op, left, right);
}
