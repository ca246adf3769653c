/**
 * Binding groups: which storages of a launch share one GPUBuffer. Normally each has its own. They
 * are merged where the compiler requires it (`regroup`: pointers that meet at run time) and where
 * there are more of them than the adapter has bindings. Storages that already lie in one block stay
 * in one group: WebGPU refuses one buffer bound twice when one of the bindings is written. What a
 * kernel reaches by its address is one group, the arena (`arena.ts`).
 *
 * Pure: no GPU. The partition is part of the specialization.
 */
import type { Storage } from './storage';

/** The groups of a launch, numbered by first use. */
export interface Partition {
  readonly groups: readonly (readonly Storage[])[];
  readonly groupOf: ReadonlyMap<Storage, number>;
  /** Which group is the arena; null where the kernel needs none. */
  readonly arena: number | null;
}

/**
 * @param storages of the launch's pointers, in order of arguments; repeats allowed.
 * @param merges lists of storages that must share a group.
 * @param limit bindings to be had for groups.
 * @param arena the storages that must lie in the arena; null where the kernel needs none.
 */
export function partition(
  storages: readonly Storage[],
  merges: readonly (readonly Storage[])[],
  limit: number,
  arena: readonly Storage[] | null = null,
): Partition {
  const parent = new Map<Storage, Storage>();
  const order: Storage[] = [];
  for (const storage of [...storages, ...(arena ?? [])]) {
    if (!parent.has(storage)) {
      parent.set(storage, storage);
      order.push(storage);
    }
  }
  const find = (storage: Storage): Storage => {
    let root = storage;
    for (;;) {
      const up = parent.get(root);
      if (up === undefined || up === root) return root;
      root = up;
    }
  };
  const join = (a: Storage, b: Storage): void => {
    parent.set(find(b), find(a));
  };

  const firstOfBlock = new Map<number, Storage>();
  for (const storage of order) {
    if (!storage.block) continue;
    const first = firstOfBlock.get(storage.block.id);
    if (first) join(first, storage);
    else firstOfBlock.set(storage.block.id, storage);
  }
  for (const merge of [...merges, ...(arena ? [arena] : [])]) {
    const [first, ...rest] = merge;
    if (first) for (const other of rest) join(first, other);
  }

  const [member] = arena ?? [];
  // An arena of nothing still takes a binding.
  const room = arena && !member ? Math.max(1, limit - 1) : limit;
  let groups = collect(order, find);
  if (groups.length > room) {
    // The smallest groups are merged into one: that moves the fewest bytes.
    const bySize = [...groups].sort((a, b) => bytesOf(a) - bytesOf(b));
    const merged = bySize.slice(0, groups.length - room + 1);
    const first = merged[0]?.[0];
    if (first) for (const group of merged) for (const storage of group) join(first, storage);
    groups = collect(order, find);
  }
  const groupOf = new Map<Storage, number>();
  groups.forEach((group, index) => group.forEach((storage) => groupOf.set(storage, index)));
  if (!arena) return { groups, groupOf, arena: null };
  if (!member) return { groups: [...groups, []], groupOf, arena: groups.length };
  return { groups, groupOf, arena: groupOf.get(member) ?? null };
}

function collect(order: readonly Storage[], find: (storage: Storage) => Storage): Storage[][] {
  const groups = new Map<Storage, Storage[]>();
  for (const storage of order) {
    const root = find(storage);
    const group = groups.get(root);
    if (group) group.push(storage);
    else groups.set(root, [storage]);
  }
  return [...groups.values()];
}

function bytesOf(group: readonly Storage[]): number {
  return group.reduce((sum, storage) => sum + storage.size, 0);
}
