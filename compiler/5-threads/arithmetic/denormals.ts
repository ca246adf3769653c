/**
 * Denormals where the adapter flushes them (`Target.flushesDenormals`). A float that is made of an
 * integer's bits may well be one: dequantization shifts a narrow float's bits into place and scales
 * the result. Its products are computed in integers; other denormals are too small to matter to a
 * sum, and stay the adapter's.
 */
import type { Value } from '../../ir/ir';
import type { Target } from '../../target';
import { dtypeOfValue } from '../context';

/** Operations that move a float, or change its sign alone. */
const MOVES =
  /^(arith\.(select|negf)|math\.absf|tt\.(splat|broadcast|expand_dims|reshape|trans|join|split|cat|gather)|ttg\.convert_layout)$/;

/** Whether a value is a float made of an integer's bits. */
function isMadeOfBits(value: Value, seen = new Set<Value>()): boolean {
  const op = value.definition;
  if (!op || seen.has(value)) return false;
  seen.add(value);
  if (op.name === 'arith.bitcast') return dtypeOfValue(op.operand(0)).startsWith('i');
  return MOVES.test(op.name) && op.operands.some((operand) => isMadeOfBits(operand, seen));
}

/** Whether a product of these must be computed in integers. */
export function keepsDenormals(target: Target, factors: readonly Value[]): boolean {
  return target.flushesDenormals === true && factors.some((factor) => isMadeOfBits(factor));
}
