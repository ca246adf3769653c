/**
 * Removes operations of thread IR whose results nothing uses and that have no effect, and branches
 * that are left empty. Loops stay.
 */
import type { ThreadBlock, ThreadFunc, ThreadOp } from '../ir/thread/ir';
import { hasThreadTrait } from '../ir/thread/ops';

/** @returns whether it removed anything. */
export function eliminate_dead_registers(func: ThreadFunc): boolean {
  return cleanBlock(func.body);
}

function cleanBlock(block: ThreadBlock): boolean {
  let changed = false;
  for (let op = block.last; op;) {
    const { previous } = op;
    for (const region of op.regions) changed = cleanBlock(region) || changed;
    if (isDead(op)) {
      op.erase();
      changed = true;
    }
    op = previous;
  }
  return changed;
}

function isDead(op: ThreadOp): boolean {
  if (op.results.some((result) => result.uses.size > 0)) return false;
  if (op.name === 'thread.if') return op.regions.every((region) => region.first === region.last);
  return hasThreadTrait(op.name, 'pure') || op.name === 'thread.load' || op.name === 'thread.alloc';
}
