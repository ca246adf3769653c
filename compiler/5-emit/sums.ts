/**
 * Sums whose rounding is the point: `(a + b) - a` of a compensated sum is the part of b that `a + b` kept, and
 * `(x + 12582912.0) - 12582912.0` rounds x to a whole number. WGSL lets an implementation add in another order, and
 * Mesa's drivers make b and x of these. Triton never reorders, so the inner sum goes through integers here, by
 * a word that is zero and that no compiler knows to be.
 */
import type { Operation, Value } from '../ir/ir';
import type { DType } from '../ir/types';
import type { Emission } from './emission';

const SUMS = new Set(['arith.addf', 'arith.subf']);

/** The operands of a sum or difference, as expressions whose values it must not look through. */
export function keptOperands(
  e: Emission,
  dtype: DType,
  args: readonly string[],
  op: Operation,
): readonly string[] {
  const half = dtype === 'f16' && e.native.f16;
  if (dtype !== 'f32' && !half) return args;
  return args.map((text, i) => {
    if (!cancels(op.operand(i), op.operand(1 - i))) return text;
    const zero = e.parameters.word({ kind: 'zero' });
    return half
      ? `bitcast<vec2<f16>>(bitcast<u32>(vec2<f16>(${text}, 0.0h)) ^ ${zero}).x`
      : `bitcast<f32>(bitcast<u32>(${text}) ^ ${zero})`;
  });
}

/** Whether adding `other` to the sum `inner`, or taking it away, could be done before the sum. */
function cancels(inner: Value, other: Value): boolean {
  const sum = inner.definition;
  if (!sum || !SUMS.has(sum.name)) return false;
  const [a, b] = [origin(sum.operand(0)), origin(sum.operand(1))];
  const known = origin(other);
  return a === known || b === known || (isConstant(known) && (isConstant(a) || isConstant(b)));
}

/** What a value is but for its sign. */
function origin(value: Value): Value {
  const op = value.definition;
  return op?.name === 'arith.negf' ? origin(op.operand(0)) : value;
}

function isConstant(value: Value): boolean {
  const op = value.definition;
  if (op?.name === 'tt.splat') return isConstant(op.operand(0));
  return op?.name === 'arith.constant';
}
