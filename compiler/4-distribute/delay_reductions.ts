/**
 * A reduction in a loop that only the next iteration, or what comes after the loop, needs moves
 * behind the loop's last dot: its shuffles, each of which waits for the one before, then run beside
 * the multiplications instead of before them. The sum of probabilities of flash attention is one.
 * Only reductions that stay within subgroups move, and of few registers, which live longer.
 *
 *     t = reduce p; total' = total + t; store p; d = dot p, v; yield total', d
 *     store p; d = dot p, v; t = reduce p; total' = total + t; yield total', d
 */
import { type Block, type Func, type Operation, walk } from '../ir/ir';
import { registerCount } from '../ir/layout';
import { choicesOf, type DistributeContext } from './context';
import { crossesSubgroups, layoutOf } from './layoutRules';
import { staysInThread } from './slices';

export function delay_reductions(func: Func, context: DistributeContext): boolean {
  if (!choicesOf(func, context).delayReductions) return false;
  const loops: Block[] = [];
  walk(func.body, (op) => {
    if (op.name === 'scf.for') loops.push(op.region(0));
  });
  return loops.filter(moveIn).length > 0;
}

/** More registers than this are not kept for a later reduction. */
const MOST_REGISTERS = 8;

function moveIn(body: Block): boolean {
  const dot = [...body.ops].reverse().find((op) => op.name === 'tt.dot');
  if (!dot) return false;
  let changed = false;
  for (const op of [...body.ops].reverse()) {
    const end = body.ops.indexOf(dot);
    if (op.name !== 'tt.reduce' || body.ops.indexOf(op) > end) continue;
    if (crossesSubgroups(op) || !isSmall(op)) continue;
    const dependents = onlyForTheEnd(op);
    if (!dependents) continue;
    const moved = body.ops.filter((one, i) => i < end && dependents.has(one));
    for (const one of moved.reverse()) {
      body.remove(one);
      body.insertAfter(dot, one);
    }
    changed = true;
  }
  return changed;
}

function isSmall(op: Operation): boolean {
  return op.operands.every((value) => {
    const layout = layoutOf(value);
    return layout !== undefined && registerCount(layout) <= MOST_REGISTERS;
  });
}

/**
 * The operation and all that needs it, if that is computed in its thread and goes to the block's
 * end.
 */
function onlyForTheEnd(op: Operation): Set<Operation> | undefined {
  const found = new Set([op]);
  for (const one of found)
    for (const result of one.results)
      for (const user of result.uses) {
        if (user === op.parent!.terminator) continue;
        if (user.parent !== op.parent || !staysInThread(user)) return undefined;
        found.add(user);
      }
  return found;
}
