/**
 * When the interpreter may reuse a value's memory. Some operations only rename their operand (the
 * same elements in the same order); they share its tile.
 */
import type { Block, Operation, Value } from '../ir/ir';
import { OPS } from '../ir/ops';

/** Does the result have the operand's elements in the operand's order? */
export function isRename(op: Operation): boolean {
  const definition = OPS[op.name];
  const mayRename = definition.kind === 'tile' || definition.kind === 'address';
  return (mayRename && definition.renames?.(op)) ?? false;
}

/** The value whose tile this value shares; itself, mostly. */
export function rootOf(value: Value): Value {
  let root = value;
  for (let op = root.definition; op && isRename(op); op = root.definition) root = op.operand(0);
  return root;
}

/** For each value defined in the block, the position in it after which nobody needs its tile. */
export function lastUses(block: Block): Map<Value, number> {
  const last = new Map<Value, number>();
  const note = (op: Operation, index: number) => {
    for (const operand of op.operands) last.set(rootOf(operand), index);
    for (const region of op.regions) for (const inner of region.ops) note(inner, index);
  };
  block.ops.forEach((op, index) => {
    // A result that nobody uses is free at once.
    for (const result of op.results) if (!isRename(op)) last.set(result, index);
    note(op, index);
  });
  return last;
}
