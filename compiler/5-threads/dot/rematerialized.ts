/** The tiles behind dots that read their operands from global memory. */
import { walk } from '../../ir/ir';
import type { Func, Operation, Value } from '../../ir/ir';

/** The tiles that dots rematerialize: their operands, and what those are computed from. */
export function operandsOfDots(func: Func): ReadonlySet<Value> {
  const found = new Set<Value>();
  walk(func.body, (op) => {
    if (op.attributes['rematerializedOperands'] === true)
      for (const value of tilesBehind(op)) found.add(value);
  });
  return found;
}

/** The operands of a dot that are tiles, and all tiles that they are computed from. */
function tilesBehind(dot: Operation): Set<Value> {
  const found = new Set<Value>();
  const open = [dot.operand(0), dot.operand(1)];
  for (let value = open.pop(); value; value = open.pop()) {
    if (value.type.kind !== 'tensor' || found.has(value)) continue;
    found.add(value);
    open.push(...(value.definition?.operands ?? []));
  }
  return found;
}
