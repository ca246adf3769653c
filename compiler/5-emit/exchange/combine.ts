/** The combine region of a reduction or scan, written out where it is applied. */
import type { Block, Operation } from '../../ir/ir';
import { hasTrait } from '../../ir/ops';
import type { Emission } from '../emission';
import { emitOperation } from '../operations';

/** One element of each input: a register for each. */
export type Element = readonly string[];

/** What the region makes of a left and a right element. */
export function combine(e: Emission, op: Operation, left: Element, right: Element): Element {
  const region = op.region(0);
  [...left, ...right].forEach((register, i) => e.setRegisters(region.args[i]!, [register]));
  for (const inner of region.ops) emitOperation(e, inner);
  return region.terminator.operands.map((value) => e.scalar(value));
}

/** Combines elements in order, as a balanced tree: short chains, and less rounding error. */
export function combineAll(e: Emission, op: Operation, list: readonly Element[]): Element {
  let level = [...list];
  while (level.length > 1) {
    const next: Element[] = [];
    for (let i = 0; i + 1 < level.length; i += 2)
      next.push(combine(e, op, level[i]!, level[i + 1]!));
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

/** Combines with what another thread holds; `otherIsLeft` tells which of the two comes first. */
export function combineOrdered(
  e: Emission,
  op: Operation,
  mine: Element,
  other: Element,
  otherIsLeft: string,
): Element {
  if (isCommutative(op)) return combine(e, op, mine, other);
  const left = mine.map((x, i) => e.let('left', `select(${x}, ${other[i]}, ${otherIsLeft})`));
  const right = mine.map((x, i) => e.let('right', `select(${other[i]}, ${x}, ${otherIsLeft})`));
  return combine(e, op, left, right);
}
