/**
 * Rotates counted loops where branches are masked: the test stands at the bottom. SwiftShader's
 * lanes leave a loop together, and a loop that is left at its top runs one more iteration with all
 * lanes masked. A way out at the bottom merges all that the loop carries, component by component,
 * in every iteration: that costs more in a short loop that carries the sums of a dot.
 *
 * Guarantee: only the attribute `test` of `thread.for` changes; a loop of no iteration stays one.
 */
import { walk } from '../ir/ir';
import type { ThreadFunc, ThreadOp } from '../ir/thread/ir';

/** Most scalars that a loop of constant count carries through a second way out. */
const MOST_CARRIED = 8;

/** @returns whether it rotated a loop. */
export function rotate_loops(func: ThreadFunc): boolean {
  if (func.attributes['masksBranches'] !== true) return false;
  let changed = false;
  walk(func.body, (op) => {
    if (op.name !== 'thread.for' || op.attributes['test'] === 'bottom') return;
    if (carriedScalars(op) > MOST_CARRIED && hasConstantTrips(op)) return;
    op.attributes = { ...op.attributes, test: 'bottom' };
    changed = true;
  });
  return changed;
}

function carriedScalars(loop: ThreadOp): number {
  return loop.results.reduce((sum, { type }) => sum + (type.kind === 'number' ? type.size : 1), 0);
}

/** Loops over registers and along K; a loop of the program loads tiles in each iteration. */
const hasConstantTrips = (loop: ThreadOp): boolean =>
  loop.operand(0).definition?.name === 'thread.constant';
