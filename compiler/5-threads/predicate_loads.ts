/**
 * Predicates prefetched loads: a run that must not be read is read from beyond the end of its
 * buffer, which gives 0, instead of being branched around. A branch would hold up the
 * multiplications until the run arrives (f32 matmul on an H200: 46 TFLOP/s, 37 with branches).
 *
 * Guarantee: a load is predicated only where the branch gives zeros without it, and its address is
 * computed without effects; the same words are read where the condition holds. Guards that share a
 * test keep their branches. Requires a target that reads 0 outside of bindings (`readsZeroOutside`
 * of the function).
 */
import { walk } from '../ir/ir';
import { ThreadBuilder } from '../ir/thread/builder';
import { isZero } from '../ir/thread/folding';
import type { ThreadFunc, ThreadOp, ThreadValue } from '../ir/thread/ir';
import { hasThreadTrait } from '../ir/thread/ops';
import { indexPastEnd } from '../target';

/** @returns whether it predicated any. */
export function predicate_loads(func: ThreadFunc): boolean {
  if (func.attributes['readsZeroOutside'] !== true) return false;
  const branches: ThreadOp[] = [];
  walk(func.body, (op) => {
    if (op.name === 'thread.if' && op.attributes['prefetched'] === true) branches.push(op);
  });
  const b = ThreadBuilder.editing(func);
  let changed = false;
  for (const branch of branches) {
    const load = isConditional(branch.operand(0)) ? onlyLoad(branch) : undefined;
    if (!load) continue;
    predicate(b, branch, load);
    changed = true;
  }
  b.finish();
  return changed;
}

/** Whether a load may depend on the condition by its address: a mask, or a guard of its own. */
function isConditional({ definition }: ThreadValue): boolean {
  if (definition?.name !== 'thread.guard') return true;
  const { by, section } = definition.attributes;
  return by === 'length' && section === undefined;
}

/**
 * The load of a branch that yields what it loads, or its components, and otherwise zeros; undefined
 * of others.
 */
function onlyLoad(branch: ThreadOp): ThreadOp | undefined {
  const [then, otherwise] = [branch.region(0), branch.region(1)];
  const loads = then.ops.filter(({ name }) => name === 'thread.load');
  const [load] = loads;
  if (!load || loads.length > 1 || !isStorage(load.operand(0))) return undefined;
  const isRest = (op: ThreadOp): boolean =>
    op === load || op === then.terminator || hasThreadTrait(op.name, 'pure');
  const isLoaded = ({ definition }: ThreadValue): boolean =>
    definition === load ||
    (definition?.name === 'thread.extract' && definition.operand(0) === load.result);
  return then.ops.every(isRest) &&
    then.terminator.operands.every(isLoaded) &&
    otherwise.terminator.operands.every(isZero)
    ? load
    : undefined;
}
const isStorage = ({ type }: ThreadValue): boolean =>
  type.kind === 'memory' && type.space === 'storage' && !type.atomic;

/** Puts the load in the place of its branch. */
function predicate(b: ThreadBuilder, branch: ThreadOp, load: ThreadOp): void {
  const condition = branch.operand(0);
  const then = branch.region(0);
  const yields = then.terminator.operands;
  for (const op of then.ops) {
    if (op === then.terminator) continue;
    if (op === load) {
      const { type } = load.result;
      const past = b.u32(indexPastEnd(type.kind === 'number' ? (type.size as 1 | 2 | 4) : 1));
      const index = b.before(branch, () =>
        b.at(load.location, () => b.value('thread.select', [condition, load.operand(1), past])),
      );
      load.replaceOperand(load.operand(1), index);
    }
    then.remove(op);
    branch.parent!.insertBefore(branch, op);
  }
  branch.results.forEach((result, i) => result.replaceAllUsesWith(yields[i]!));
  branch.erase();
  const guard = condition.definition;
  if (guard?.name === 'thread.guard') guard.attributes = { ...guard.attributes, predicated: true };
}
