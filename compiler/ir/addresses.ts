/** Pointers as integers: which kernels make pointers of integers, or integers of pointers. */
import { walk, type Func } from './ir';
import { elementOf, type Type } from './types';

/** `made`: pointers come from integers; `taken`: arguments' addresses become integers, too. */
export type AddressUse = 'none' | 'made' | 'taken';

export function usesAddresses(func: Func): AddressUse {
  let [made, taken] = [false, false];
  walk(func.body, (op) => {
    switch (op.name) {
      case 'tt.int_to_ptr':
        made = true;
        return;
      case 'tt.ptr_to_int':
        taken = true;
        return;
      case 'tt.load':
        made ||= pointsToPointers(op.operand(0).type);
        return;
      case 'tt.store':
        taken ||= pointsToPointers(op.operand(0).type);
        return;
      default:
    }
  });
  return taken ? 'taken' : made ? 'made' : 'none';
}

/** Whether it is a pointer, or a tile of pointers, to pointers. */
export function pointsToPointers(type: Type): boolean {
  const element = elementOf(type);
  return element.kind === 'pointer' && element.pointee.kind === 'pointer';
}
