/** Comparisons of integers as formulas. */
import type { Operation } from '../ir/ir';
import { atLeastZero, both, either, negate, UNKNOWN, type Formula } from './formula';
import type { Evaluator } from './evaluator';
import type { Indices } from './indices';
import type { Poly } from './polynomial';

const less = (a: Poly, b: Poly): Formula => atLeastZero(b.minus(a).plusConstant(-1));
const atMost = (a: Poly, b: Poly): Formula => atLeastZero(b.minus(a));

export function comparisonOf(cx: Evaluator, op: Operation, indices: Indices): Formula {
  const [a, b] = [cx.integer(op.operand(0), indices), cx.integer(op.operand(1), indices)];
  const predicate = String(op.attributes['predicate']);
  switch (predicate) {
    case 'eq':
      return both(atMost(a, b), atMost(b, a));
    case 'ne':
      return either(less(a, b), less(b, a));
    case 'slt':
      return less(a, b);
    case 'sle':
      return atMost(a, b);
    case 'sgt':
      return less(b, a);
    case 'sge':
      return atMost(b, a);
    case 'ult':
      return below(cx, a, b, less);
    case 'ule':
      return below(cx, a, b, atMost);
    case 'ugt':
      return below(cx, b, a, less);
    case 'uge':
      return below(cx, b, a, atMost);
    default:
      return UNKNOWN;
  }
}

/** Unsigned `a < b`: as signed for natural numbers; a negative one is above all of these. */
function below(cx: Evaluator, a: Poly, b: Poly, test: (a: Poly, b: Poly) => Formula): Formula {
  const { arithmetic } = cx;
  if (arithmetic.isNonNegative(b)) return both(atLeastZero(a), test(a, b));
  if (arithmetic.isNonNegative(a)) return either(negate(atLeastZero(b)), test(a, b));
  return UNKNOWN;
}
