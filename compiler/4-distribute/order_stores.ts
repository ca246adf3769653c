/**
 * A barrier before each store that may meet what another thread of the program loaded from the same tensor: a
 * reversal in place, a row of the result's own tensor added to a product. On a GPU all threads have loaded long
 * before the first one stores, as on CUDA, where nothing else orders them. A software adapter runs a program's
 * subgroups one after the other up to a barrier, so it would go wrong there each time. A part of `place_barriers`.
 *
 * A store through the very value that was loaded through meets its own thread's elements only. What is loaded behind
 * a store is in order behind `tl.debug_barrier()` only, as on CUDA.
 */
import { accessKind, rootOf } from '../ir/access';
import { type Block, type Func, Operation, type Value } from '../ir/ir';
import { isSoftware, type Target } from '../target';
import { threadBitsOf } from './context';

/** The pointers that were loaded through since the last barrier. */
type Loaded = ReadonlySet<Value>;

export function order_stores(
  func: Func,
  target: Target,
  waits: (op: Operation) => boolean,
): boolean {
  if (!isSoftware(target.name) || threadBitsOf(func).subgroups <= 0) return false;
  const parameters = func.body.args;
  let placed = false;

  const meets = (store: Value, load: Value): boolean => {
    if (store === load) return false;
    const [to, from] = [rootOf(store, parameters), rootOf(load, parameters)];
    return to === from || to < 0 || from < 0;
  };
  const block = ({ ops }: Block, loaded: Loaded): Loaded => {
    for (const op of [...ops]) loaded = operation(op, loaded);
    return loaded;
  };
  // Until going round once more brings nothing new; barriers that were placed stay.
  const loop = (loaded: Loaded, turn: (before: Loaded) => Loaded): Loaded => {
    for (let known = loaded; ;) {
      const end = union(known, turn(known));
      if (end.size === known.size) return end;
      known = end;
    }
  };
  const operation = (op: Operation, loaded: Loaded): Loaded => {
    switch (op.name) {
      case 'scf.if':
        return union(...op.regions.map((region) => block(region, loaded)));
      case 'scf.for':
        return loop(loaded, (before) => block(op.region(0), before));
      case 'scf.while':
        return loop(loaded, (before) => block(op.region(1), block(op.region(0), before)));
      default: {
        if (waits(op)) return new Set();
        const kind = accessKind(op);
        if (kind === 'load') return union(loaded, new Set([op.operand(0)]));
        if (kind === null || ![...loaded].some((load) => meets(op.operand(0), load))) return loaded;
        op.parent!.insertBefore(op, new Operation('gpu.barrier', [], [], {}, [], op.location));
        placed = true;
        return new Set();
      }
    }
  };
  block(func.body, new Set());
  return placed;
}

function union(...sets: readonly Loaded[]): Loaded {
  return new Set(sets.flatMap((set) => [...set]));
}
