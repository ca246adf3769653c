/**
 * Removes what no operation of a kernel in thread IR reads: operations without effects, branches
 * that are left empty, and values that branches give or loops carry. Loops themselves stay.
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
    changed = cleanRegions(op) || changed;
    if (isDead(op)) {
      op.erase();
      changed = true;
    }
    op = previous;
  }
  return changed;
}

/** Cleans the regions again where they no longer yield a value: it may have been the last use. */
function cleanRegions(op: ThreadOp): boolean {
  let changed = false;
  do for (const region of op.regions) changed = cleanBlock(region) || changed;
  while (dropResults(op) && (changed = true));
  return changed;
}

/** Drops results of a branch or a counted loop that nothing reads, in the loop or behind it. */
function dropResults(op: ThreadOp): boolean {
  // In front of what a loop carries stand its trip count and, in its body, the iteration.
  const first = op.name === 'thread.for' ? 1 : op.name === 'thread.if' ? 0 : undefined;
  if (first === undefined) return false;
  const { results, regions } = op;
  const before = results.length;
  for (let i = before - 1; i >= 0; i--) {
    if (results[i]!.uses.size > 0) continue;
    if (regions.some(({ args }) => (args[i + first]?.uses.size ?? 0) > 0)) continue;
    results.splice(i, 1);
    for (const { args, terminator } of regions) {
      terminator.operands = terminator.operands.toSpliced(i, 1);
      if (first > 0) args.splice(i + first, 1);
    }
    if (first > 0) op.operands = op.operands.toSpliced(i + first, 1);
  }
  return results.length < before;
}

function isDead(op: ThreadOp): boolean {
  if (op.results.some((result) => result.uses.size > 0)) return false;
  if (op.name === 'thread.if') return op.regions.every((region) => region.first === region.last);
  return hasThreadTrait(op.name, 'pure') || op.name === 'thread.load' || op.name === 'thread.alloc';
}
