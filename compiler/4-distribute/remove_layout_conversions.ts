/**
 * Takes out conversions that nothing needs: to the layout that the tile has, one after another, and
 * before a store to workgroup memory, which takes any layout in which threads hold whole words.
 */
import { type Func, type Operation, walk } from '../ir/ir';
import { equalLayouts } from '../ir/layoutAlgebra';
import { layoutOf } from './layoutRules';
import { holdsWords } from './memoryLayouts';

export function remove_layout_conversions(func: Func): boolean {
  let changed = false;
  const conversions: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'ttg.convert_layout') conversions.push(op);
  });
  for (const op of conversions) {
    const source = op.operand(0);
    const inner = source.definition;
    if (inner?.name === 'ttg.convert_layout') {
      op.setOperand(0, inner.operand(0));
      changed = true;
    }
    if (equalLayouts(layoutOf(op.operand(0))!, layoutOf(op.result)!)) {
      op.result.replaceAllUsesWith(op.operand(0));
      changed = true;
    }
    for (const user of [...op.result.uses]) {
      if (user.name !== 'ttg.local_store') continue;
      const target = user.operand(1).type;
      if (target.kind === 'memdesc' && !holdsWords(layoutOf(op.operand(0))!, target)) continue;
      user.setOperand(0, op.operand(0));
      changed = true;
    }
  }
  for (const op of conversions.reverse()) {
    if (op.result.uses.size > 0) continue;
    op.erase();
    changed = true;
  }
  return changed;
}
