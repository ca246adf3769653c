/**
 * The floats of a kernel that may be an infinity which its text names: `float("-inf")` as a mask, a
 * maximum's start. What is loaded from memory, or computed of it alone, counts as finite.
 */
import type { Block, Operation, Value } from '../ir/ir';
import { carriedFrom } from '../ir/access';
import { constantOf } from '../ir/builder';
import { isRearrangement, OPS, type OpName } from '../ir/ops';

/** Operations whose result may be an infinity where an operand is one. */
const PASSES_ON: ReadonlySet<OpName> = new Set([
  'arith.select',
  'arith.addf',
  'arith.subf',
  'arith.negf',
  'arith.mulf',
  'arith.divf',
  'arith.maximumf',
  'arith.maxnumf',
  'arith.minimumf',
  'arith.minnumf',
  'arith.extf',
  'arith.truncf',
  'tt.fp_to_fp',
  'tt.load',
]);

/** Call it while the values still have their float types. */
export function possibleInfinities(
  ops: readonly Operation[],
  isFloat: (value: Value) => boolean,
): ReadonlySet<Value> {
  const found = new Set<Value>();
  const values = ops.flatMap((op) => [...op.results, ...op.regions.flatMap(({ args }) => args)]);
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const value of values)
      if (!found.has(value) && isFloat(value) && mayBe(value, found)) found.add(value);
  }
  return found;
}

/** A constant at or below it that masks an element counts as -inf: exp makes 0 of it. */
export const MASK = -1e4;

/**
 * Whether a constant is a mask: what a selection or a load takes in place of an element, as
 * `tl.where(mask, x, -1.0e6)` does.
 */
export function isMask(value: Value): boolean {
  const known = constantOf(value);
  if (known === undefined || !(Number(known) <= MASK)) return false;
  return usedAsMask(value);
}
function usedAsMask(value: Value): boolean {
  return [...value.uses].every(
    (op) =>
      op.name === 'arith.select' ||
      op.name === 'tt.load' ||
      (isRearrangement(op.name) && usedAsMask(op.result)),
  );
}

function mayBe(value: Value, found: ReadonlySet<Value>): boolean {
  const known = constantOf(value);
  if (known !== undefined) return Math.abs(Number(known)) === Infinity || isMask(value);
  const op = value.definition;
  if (!op)
    return regionArgument(value, found) || carriedFrom(value).some((each) => found.has(each));
  if (op.name === 'tt.reduce' || op.name === 'tt.scan') {
    const at = op.results.indexOf(value);
    return found.has(op.operand(at));
  }
  const moves = OPS[op.name].kind === 'tile' && op.name !== 'tt.dot';
  if (moves || PASSES_ON.has(op.name)) return op.operands.some((operand) => found.has(operand));
  return carriedFrom(value).some((each) => found.has(each));
}

/** An argument of a region that combines, compares or maps is an element of an operand. */
function regionArgument(value: Value, found: ReadonlySet<Value>): boolean {
  const block = value.owner as Block;
  const op = block.parent;
  if (!op || OPS[op.name].kind !== 'tile') return false;
  const at = block.args.indexOf(value) % op.operands.length;
  return found.has(op.operand(at));
}
