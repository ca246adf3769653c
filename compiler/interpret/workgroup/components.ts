/** Operations on single components, by their `evaluate` in the operation table. */
import { roundFloat } from '../../ir/numbers';
import type { ThreadOpName } from '../../ir/thread/ops';
import { THREAD_OPS } from '../../ir/thread/ops';
import type { ScalarFunction } from '../../ir/thread/ops/spec';
import type { NumberType } from '../../ir/thread/types';

/** The nearest half. */
export const roundHalf = (x: number): number => roundFloat('f16', x);
/** The function of one component, unrounded; undefined where the operation has none. */
export function scalarFunction(
  name: ThreadOpName,
  operands: readonly NumberType[],
  result: NumberType,
): ScalarFunction | undefined {
  return THREAD_OPS[name].evaluate?.(operands[0]?.scalar ?? result.scalar, result.scalar);
}
