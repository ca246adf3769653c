/**
 * One computation for equal ones: pure operations with the same operands and attributes, where the
 * first is visible to the second. Operations with regions stay.
 */
import type { Block, Func, Operation, Value } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import { printAttribute, printType } from '../ir/printer';
import { replaceOp } from './rewrite';

export function eliminate_common_subexpressions(func: Func): boolean {
  const numbers = new ValueNumbers();
  let changed = false;
  const visit = (block: Block, outer: ReadonlyMap<string, Operation>[]): void => {
    const seen = new Map<string, Operation>();
    const scopes = [...outer, seen];
    for (const op of [...block.ops]) {
      for (const region of op.regions) visit(region, scopes);
      if (!hasTrait(op.name, 'pure') || op.regions.length > 0) continue;
      const key = numbers.keyOf(op);
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

/** Equal values have one number, as far as the user of this class says that they are equal. */
export class ValueNumbers {
  readonly #numbers = new Map<Value, number>();
  #count = 0;

  of(value: Value): number {
    let number = this.#numbers.get(value);
    if (number === undefined) this.#numbers.set(value, (number = this.fresh()));
    return number;
  }
  fresh(): number {
    return this.#count++;
  }
  set(value: Value, number: number): void {
    this.#numbers.set(value, number);
  }
  /** Pure operations of one key compute equal values. */
  keyOf(op: Operation): string {
    const operands = op.operands.map((value) => this.of(value));
    if (hasTrait(op.name, 'commutative')) operands.sort((a, b) => a - b);
    // -0 and 0, NaN and 1 as i1 or i32: the printed value and type distinguish them.
    return `${op.name}(${operands.join(',')})${printAttribute(op.attributes)}:${op.results.map(typeKey).join()}`;
  }
}
const typeKey = ({ type }: Value): string => printType(type, (layout) => JSON.stringify(layout));
