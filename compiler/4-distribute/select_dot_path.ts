/**
 * Selects the strategy of each `tt.dot` (`dots/`) and writes its plan on it: `matrices` on subgroup
 * matrices (`matrix`, `block`), `direct` straight from global memory (`rematerializedOperands`),
 * or, without an attribute, `fma`: multiply-adds of operands in workgroup memory.
 */
import { type Func, walk } from '../ir/ir';
import { choicesOf, type DistributeContext } from './context';
import { selectPlan } from './dots/index';

export function select_dot_path(func: Func, context: DistributeContext): boolean {
  const choices = choicesOf(func, context);
  let changed = false;
  walk(func.body, (op) => {
    if (op.name !== 'tt.dot') return;
    const { plan, strategy, reason } = selectPlan(context.target, op, choices, context.reasons);
    const { attributes } = plan;
    context.schedule?.decide('dot path', op, strategy, reason);
    op.attributes = { ...op.attributes, ...attributes };
    changed ||= Object.keys(attributes).length > 0;
  });
  return changed;
}
