/** Removes pure operations whose results nobody uses. */
import { isRemovable } from '../ir/builder';
import type { Block } from '../ir/ir';
import { hasTrait } from '../ir/ops';

export function eraseDead(block: Block): boolean {
  let changed = false;
  for (const op of [...block.ops].reverse()) {
    for (const region of op.regions) changed = eraseDead(region) || changed;
    if (hasTrait(op.name, 'terminator') || op.results.length === 0) continue;
    if (op.results.some((result) => result.uses.size > 0) || !isRemovable(op)) continue;
    op.erase();
    changed = true;
  }
  return changed;
}
