/** The operations on global memory: what kind each is, and which of its operands is the mask. */
import type { Operation, Value } from './ir';

export type AccessKind = 'load' | 'store' | 'atomic';

/** Null of other operations. */
export function accessKind(op: Operation): AccessKind | null {
  switch (op.name) {
    case 'tt.load':
      return 'load';
    case 'tt.store':
      return 'store';
    case 'tt.atomic_rmw':
    case 'tt.atomic_cas':
      return 'atomic';
    default:
      return null;
  }
}
/** The mask of an access; undefined where every element takes part. */
export function maskOf(op: Operation): Value | undefined {
  switch (op.name) {
    case 'tt.load':
      return op.operands[1];
    case 'tt.store':
    case 'tt.atomic_rmw':
      return op.operands[2];
    default:
      return undefined;
  }
}
