import type { Operation } from '../ir/ir';
import { refuse } from './emission';
import type { Emission } from './emission';
export function emitAtomicCas(_: Emission, op: Operation): void {
  refuse(op, 'HC0501', `${op.name} is not emitted yet`);
}
export function emitAtomicRmw(_: Emission, op: Operation): void {
  refuse(op, 'HC0501', `${op.name} is not emitted yet`);
}
