/**
 * `acc + dot(a, b, 0)` becomes `dot(a, b, acc)`, as in Triton: one tile less, and the sum may round
 * differently. Only for accumulators of f32 and i32, where the sum happens in the dot's own
 * precision.
 */
import { Builder, constantOf } from '../ir/builder';
import type { Func, Operation, Value } from '../ir/ir';
import { dtypeOf } from '../ir/types';
import { forEachOp, replaceOp } from './rewrite';

export function fold_dot_accumulator(func: Func): boolean {
  let changed = false;
  forEachOp(func.body, (op) => {
    if (op.name !== 'arith.addf' && op.name !== 'arith.addi') return;
    const dtype = dtypeOf(op.result.type);
    if (dtype !== 'f32' && dtype !== 'i32') return;
    for (const [side, other] of [
      [op.operand(0), op.operand(1)],
      [op.operand(1), op.operand(0)],
    ] as const) {
      const dot = zeroDot(side, op);
      if (!dot || side === other) continue;
      // The accumulator must be there before the dot; both stand in one block, and the sum comes
      // after.
      const b = Builder.before(op);
      b.location = dot.location;
      const operands = [dot.operand(0), dot.operand(1), other];
      replaceOp(op, [b.value('tt.dot', operands, op.result.type, dot.attributes)]);
      dot.erase();
      changed = true;
      return;
    }
  });
  return changed;
}

/** The dot that made this value from nothing but a product, if only `user` takes it. */
function zeroDot(value: Value, user: Operation): Operation | undefined {
  const op = value.definition;
  if (op?.name !== 'tt.dot' || !value.hasOneUse || op.parent !== user.parent) return undefined;
  const acc = constantOf(op.operand(2));
  return acc === 0 ? op : undefined;
}
