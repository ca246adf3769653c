/** Shared parts of passes: replacing operations, rebuilding loops, values' uniform scalars. */
import type { Builder } from '../ir/builder';
import { Operation } from '../ir/ir';
import type { Block, Value } from '../ir/ir';
import type { ScalarValue } from '../ir/numbers';
import { isOp, isRearrangement } from '../ir/ops';
import type { ElementType, Type } from '../ir/types';

/** Every operation, innermost regions first, each block from its start. */
export function forEachOp(block: Block, visit: (op: Operation) => void): void {
  for (const op of [...block.ops]) {
    for (const region of op.regions) forEachOp(region, visit);
    if (op.parent) visit(op);
  }
}

/** Puts values in place of an operation's results and erases it. */
export function replaceOp(op: Operation, values: readonly Value[]): void {
  op.results.forEach((result, i) => {
    const value = values[i]!;
    // The name from the user's source is worth keeping.
    if (value.name === undefined && value.definition) value.name = result.name;
    result.replaceAllUsesWith(value);
  });
  op.erase();
}

/** Moves a region's operations before `anchor`; its arguments must have been replaced. */
export function inlineBefore(region: Block, anchor: Operation): void {
  const target = anchor.parent!;
  const terminator = region.terminator;
  for (const op of [...region.ops]) {
    if (op === terminator) continue;
    region.remove(op);
    target.insertBefore(anchor, op);
  }
  terminator.erase();
}

/**
 * The same operation with other operands and result types; regions move to the new one. Results are
 * matched by `resultOf`: for each new result, the index of the old one, or -1 for an added one. Old
 * results that are left out must be unused.
 */
export function rebuild(
  op: Operation,
  operands: readonly Value[],
  types: readonly Type[],
  resultOf: readonly number[],
): Operation {
  const regions = [...op.regions];
  op.regions = [];
  const copy = new Operation(op.name, operands, types, op.attributes, regions, op.location);
  op.parent!.insertBefore(op, copy);
  resultOf.forEach((old, i) => {
    const result = op.results[old];
    if (!result) return;
    copy.results[i]!.name = result.name;
    result.replaceAllUsesWith(copy.results[i]!);
  });
  op.erase();
  return copy;
}

/** Is the value the same in every element? Then what that element is: a scalar or a constant. */
export type Uniform =
  | { readonly kind: 'value'; readonly value: Value }
  | { readonly kind: 'constant'; readonly value: ScalarValue };

/** Looks through splat, broadcast and the like. Of a scalar, itself. */
export function uniformOf(value: Value): Uniform | undefined {
  for (let v = value; ;) {
    const op = v.definition;
    if (isOp(op, 'arith.constant')) return { kind: 'constant', value: op.attributes.value };
    if (v.type.kind !== 'tensor') return { kind: 'value', value: v };
    if (!op || !isRearrangement(op.name)) return undefined;
    v = op.operand(0);
  }
}
/** A uniform as a scalar value, made where the builder stands if it is a constant. */
export function scalarOf(uniform: Uniform, element: ElementType, builder: Builder): Value {
  return uniform.kind === 'value' ? uniform.value : builder.constant(element, uniform.value);
}

/** Is the value defined outside of the operation's regions? */
export function isDefinedOutside(value: Value, op: Operation): boolean {
  let block: Block | undefined =
    value.owner instanceof Operation ? value.owner.parent : value.owner;
  while (block) {
    if (block.parent === op) return false;
    block = block.parent?.parent;
  }
  return true;
}
