/** The conditions of the branches and loops around an operation. */
import type { Operation } from '../ir/ir';
import type { Evaluator } from './evaluator';
import { both, negate, type Formula } from './formula';

/** A condition that holds where an operation is reached. */
export function pathTo(cx: Evaluator, op: Operation): Formula {
  const parts: Formula[] = [];
  for (let block = op.parent; block?.parent; block = block.parent.parent) {
    const { parent } = block;
    if (parent.name === 'scf.if') {
      const condition = cx.truth(parent.operand(0), []);
      parts.push(parent.region(0) === block ? condition : negate(condition));
    } else if (parent.name === 'scf.while' && parent.region(1) === block)
      parts.push(cx.truth(parent.region(0).terminator.operand(0), []));
  }
  return both(...parts);
}
