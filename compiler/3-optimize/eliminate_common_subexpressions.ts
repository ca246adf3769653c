/**
 * One computation for equal ones: pure operations with the same operands and attributes, where the
 * first is visible to the second. Operations with regions stay.
 */
import type { Block, Func, Operation, Value } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import { printAttribute, printType } from '../ir/printer';
import { replaceOp } from './rewrite';

export function eliminate_common_subexpressions(func: Func): boolean {
  const numbers = new Map<Value, number>();
  const numberOf = (value: Value): number => {
    let number = numbers.get(value);
    if (number === undefined) numbers.set(value, (number = numbers.size));
    return number;
  };
  const keyOf = (op: Operation): string => {
    const operands = op.operands.map(numberOf);
    if (hasTrait(op.name, 'commutative')) operands.sort((a, b) => a - b);
    // -0 and 0, NaN and 1 as i1 or i32: the printed value and type distinguish them.
    return (
      `${op.name}(${operands.join(',')})${printAttribute(op.attributes)}:` +
      op.results.map((result) => printType(result.type, (layout) => JSON.stringify(layout))).join()
    );
  };
  let changed = false;
  const visit = (block: Block, outer: ReadonlyMap<string, Operation>[]): void => {
    const seen = new Map<string, Operation>();
    const scopes = [...outer, seen];
    for (const op of [...block.ops]) {
      for (const region of op.regions) visit(region, scopes);
      if (!hasTrait(op.name, 'pure') || op.regions.length > 0) continue;
      const key = keyOf(op);
      const first = scopes.map((scope) => scope.get(key)).find((found) => found);
      if (!first) {
        seen.set(key, op);
        continue;
      }
      replaceOp(op, first.results);
      changed = true;
    }
  };
  visit(func.body, []);
  return changed;
}
