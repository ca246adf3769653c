/** Moves pure operations whose operands do not change in a loop before it, from the inside out. */
import type { Func, Operation } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import { forEachOp, isDefinedOutside } from './rewrite';

export function hoist_loop_invariants(func: Func): boolean {
  let changed = false;
  forEachOp(func.body, (loop) => {
    if (loop.name !== 'scf.for' && loop.name !== 'scf.while') return;
    for (const region of loop.regions)
      for (const op of [...region.ops]) {
        if (!isInvariant(op, loop, op)) continue;
        region.remove(op);
        loop.parent!.insertBefore(loop, op);
        changed = true;
      }
  });
  return changed;
}

/** Is it pure, and does it use only values from outside of `loop` or from within `root` itself? */
function isInvariant(op: Operation, loop: Operation, root: Operation): boolean {
  if (!hasTrait(op.name, 'pure') && !(op !== root && hasTrait(op.name, 'terminator'))) return false;
  const fits = op.operands.every((v) => isDefinedOutside(v, loop) || !isDefinedOutside(v, root));
  return fits && op.regions.every((r) => r.ops.every((inner) => isInvariant(inner, loop, root)));
}
