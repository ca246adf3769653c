/**
 * Folds constants and applies identities, to a fixed point. Only what is exact for every value,
 * NaN, infinity and -0 included: `x * 0`, `x + 0` and `x - x` of floats stay. Integer division by
 * zero stays too.
 */
import { Builder } from '../ir/builder';
import type { Func, Operation, Value } from '../ir/ir';
import { foldOperation } from './fold';
import { simplifyControl } from './foldControl';
import { forEachOp, replaceOp } from './rewrite';

/** Iterations until nothing changes; more would be a rule that undoes another. */
const MAX_ITERATIONS = 20;

export function canonicalize(func: Func): boolean {
  let changed = false;
  for (let i = 0; i < MAX_ITERATIONS; i++) {
    let again = false;
    forEachOp(func.body, (op) => {
      if (simplify(op)) again = true;
    });
    if (!again) break;
    changed = true;
  }
  return changed;
}

function simplify(op: Operation): boolean {
  if (simplifyControl(op)) return true;
  if (op.results.length !== 1 || op.result.uses.size === 0) return false;
  const value: Value | undefined = foldOperation(op, Builder.before(op));
  if (!value) return false;
  replaceOp(op, [value]);
  return true;
}
