/** One thread acts for all where several threads of a program hold the same element. */
import type { Value } from '../ir/ir';
import { freeThreadMask } from '../ir/layoutAlgebra';
import type { ThreadValue } from '../ir/thread/ir';
import { layoutOf } from './context';
import type { Lowering } from './context';

/** The bits of a thread's number that must be 0 in the owner of a value's elements. */
export function ownerMask(t: Lowering, value: Value | undefined): number {
  if (value?.type.kind === 'tensor') return freeThreadMask(layoutOf(value));
  return t.threads - 1;
}
/** Whether the bits of the thread's number in a mask are 0; undefined for an empty mask. */
export function isOwner(t: Lowering, mask: number): ThreadValue | undefined {
  if (mask === 0) return undefined;
  return t.b.prelude(`owner ${mask}`, 'owner', () => t.x`(tid & ${mask}u) == 0u`);
}
/** Whether this thread is the one that stores; undefined where all are. */
export function ownerCondition(t: Lowering, value: Value): ThreadValue | undefined {
  return t.threads === 1 ? undefined : isOwner(t, ownerMask(t, value));
}
