/**
 * Comparisons whose outcome follows from the ranges of their operands become constants: a mask that
 * is always true disappears (`canonicalize` then drops it from loads and stores).
 */
import { Builder } from '../ir/builder';
import type { Func, Operation } from '../ir/ir';
import type { Range } from '../ir/ops/range';
import { Ranges } from './ranges';
import { forEachOp, replaceOp } from './rewrite';

export function simplify_masks(func: Func): boolean {
  const ranges = new Ranges(func);
  let changed = false;
  forEachOp(func.body, (op) => {
    if (op.name !== 'arith.cmpi') return;
    const outcome = decide(op, ranges);
    if (outcome === undefined) return;
    replaceOp(op, [Builder.before(op).constant(op.result.type, outcome)]);
    changed = true;
  });
  return changed;
}

function decide(op: Operation, ranges: Ranges): boolean | undefined {
  const [a, b] = [ranges.of(op.operand(0)), ranges.of(op.operand(1))];
  const predicate = String(op.attributes['predicate']);
  if (predicate === 'eq' || predicate === 'ne') {
    if (a.high < b.low || b.high < a.low) return predicate === 'ne';
    return undefined;
  }
  // As unsigned numbers, non-negative ones keep their order.
  if (predicate.startsWith('u') && (a.low < 0 || b.low < 0)) return undefined;
  // An i1 counts as -1 when it is signed; its range here is 0 … 1.
  if (isTruth(op)) return undefined;
  switch (predicate.slice(1)) {
    case 'lt':
      return less(a, b);
    case 'ge':
      return negate(less(a, b));
    case 'gt':
      return less(b, a);
    case 'le':
      return negate(less(b, a));
    default:
      return undefined;
  }
}
function less(a: Range, b: Range): boolean | undefined {
  if (a.high < b.low) return true;
  return a.low >= b.high ? false : undefined;
}
function negate(value: boolean | undefined): boolean | undefined {
  return value === undefined ? undefined : !value;
}
function isTruth(op: Operation): boolean {
  const { type } = op.operand(0);
  const element = type.kind === 'tensor' ? type.element : type;
  return element.kind === 'scalar' && element.dtype === 'i1';
}
