/**
 * Puts a barrier before each store that may meet what another thread of the program loaded from the
 * same tensor: a reversal in place, a row of the result's own tensor added to a product. On a GPU
 * all threads have loaded long before the first one stores, as on CUDA, where nothing else orders
 * them. A machine with `subgroupsInTurn` runs a program's subgroups one after the other up to a
 * barrier: without one, such a store corrupts their loads.
 *
 * A store through the very value that was loaded through meets its own thread's elements only,
 * where each element has one thread. Several threads load a scalar or a small tile, one of them
 * stores it, and those that run later would load the stored value. A load behind a store is ordered
 * by `tl.debug_barrier()` only, as on CUDA.
 */
import { accessKind, memoryOf } from '../ir/access';
import { type Func, Operation, type Value } from '../ir/ir';
import { threadBases } from '../ir/layout';
import { machineOf } from '../target';
import { type DistributeContext, threadBitsOf } from './context';
import { behindBlock, behindRegions, union, usesScratch } from './membar';

/** The pointers that were loaded through since the last barrier. */
type Loaded = ReadonlySet<Value>;

export function order_stores(func: Func, { target }: DistributeContext): boolean {
  if (!machineOf(target).subgroupsInTurn || threadBitsOf(func).subgroups <= 0) return false;
  let placed = false;

  const meets = (store: Value, load: Value): boolean => {
    if (store === load && !isReplicated(store)) return false;
    const [to, from] = [memoryOf(store, func), memoryOf(load, func)];
    return to === from || to < 0 || from < 0;
  };
  const step = (op: Operation, loaded: Loaded): Loaded => {
    if (op.name === 'gpu.barrier' || usesScratch(op)) return new Set();
    const kind = accessKind(op);
    if (kind === null) return behindRegions(op, loaded, step);
    if (kind === 'load') return union(loaded, new Set([op.operand(0)]));
    if (![...loaded].some((load) => meets(op.operand(0), load))) return loaded;
    op.parent!.insertBefore(op, new Operation('gpu.barrier', [], [], {}, [], op.location));
    placed = true;
    return new Set();
  };
  behindBlock(func.body, new Set<Value>(), step);
  return placed;
}

/** Whether several threads hold the same element. */
function isReplicated({ type }: Value): boolean {
  if (type.kind !== 'tensor' || !type.layout) return true;
  return threadBases(type.layout).some((basis) => basis.every((step) => step === 0));
}
