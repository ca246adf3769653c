/** Which operation of a program stores an element, by its address. */
import { accessKind, isMaskedOff, maskOf } from '../ir/access';
import type { Operation } from '../ir/ir';
import { shapeOf } from '../ir/types';
import { unravel } from './elements';
import type { Stepper } from './stepper';

/** A store of an element that is watched. */
export interface StoreHit {
  /** Operations that were executed before it. */
  readonly count: number;
  /** The element in the tile that is stored: its row-major position, and its index. */
  readonly flat: number;
  readonly index: readonly number[];
}

/**
 * The place at which the next store or atomic update touches the address; null where it does not.
 */
export function hitOf(op: Operation, address: number, stepper: Stepper): StoreHit | null {
  const kind = accessKind(op);
  if (kind === null || kind === 'load') return null;
  const pointer = op.operand(0);
  const { data, count } = stepper.tile(pointer);
  const mask = maskOf(op);
  const on = mask && stepper.tile(mask).data;
  for (let i = 0; i < count; i++) {
    if (data[i] !== address) continue;
    if (isMaskedOff(on, i)) continue;
    return { count: stepper.count, flat: i, index: unravel(i, shapeOf(pointer.type)) };
  }
  return null;
}
