import type { Operation } from '../ir/ir';
import { refuse } from './emission';
import type { Emission } from './emission';
export function emitConvertLayout(_: Emission, op: Operation): void {
  refuse(op, 'HC0501', `${op.name} is not emitted yet`);
}
