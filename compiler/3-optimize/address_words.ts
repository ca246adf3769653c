/**
 * Pointers in memory are 64-bit addresses: a load of pointers becomes a load of integers that are
 * made into pointers, a store of pointers one of their addresses.
 */
import { Builder } from '../ir/builder';
import { pointsToPointers } from '../ir/addresses';
import type { Func } from '../ir/ir';
import { I64, pointer, withElement } from '../ir/types';
import { forEachOp, replaceOp } from './rewrite';

export function address_words(func: Func): boolean {
  let changed = false;
  forEachOp(func.body, (op) => {
    if (op.name !== 'tt.load' && op.name !== 'tt.store') return;
    const [target, second, third] = op.operands;
    if (!target || !pointsToPointers(target.type)) return;
    const b = Builder.before(op);
    const place = b.value('tt.bitcast', [target], withElement(target.type, pointer(I64)));
    const address = (value: typeof target) =>
      b.value('tt.ptr_to_int', [value], withElement(value.type, I64));
    changed = true;
    if (op.name === 'tt.store') {
      const operands = [place, address(second!), ...(third ? [third] : [])];
      b.create('tt.store', operands, [], op.attributes);
      op.erase();
      return;
    }
    const operands = [place, ...(second ? [second] : []), ...(third ? [address(third)] : [])];
    const words = b.value('tt.load', operands, withElement(op.result.type, I64), op.attributes);
    replaceOp(op, [b.value('tt.int_to_ptr', [words], op.result.type)]);
  });
  return changed;
}
