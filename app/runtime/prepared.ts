/**
 * Launches that were made before: what Python asked, what was compiled, and how the storages were
 * bound. The same launch on tensors of the same shapes needs only their storages
 * (`Bridge.relaunch`); everything that costs time in a launch (typing, keys, JSON) is done once.
 *
 * Guarantee: a launch is repeated only where the long way would bind the storages the same way.
 * Kernels that follow addresses always go the long way.
 */
import type { LaunchCost } from '../events';
import type { LaunchRequest } from '../workers/bridge';
import { hasWholeVectors, type Leaf, type PointerLeaf } from './arguments';
import type { CompiledUnit } from './compileCache';
import type { Engine } from './engine';
import type { Partition } from './grouping';
import type { Storage } from './storage';

export interface Prepared {
  /** It was compiled for this one. */
  readonly engine: Engine;
  readonly request: LaunchRequest;
  readonly unit: CompiledUnit & { readonly ok: true };
  readonly leaves: readonly Leaf[];
  /** The binding group of each pointer, in order. */
  readonly groupOf: readonly number[];
  readonly groups: number;
  /** `hasWholeVectors` of each pointer's storage, which the code relies on. */
  readonly wholeVectors: readonly boolean[];
  /** It was a benchmark's, of which no inputs are kept (`InputKeeper`). */
  readonly benchmark: boolean;
  /**
   * Bindings of the last launch, until one of any launch's storages is released: a launch in a row
   * has the same.
   */
  last: Bound | null;
  /** The last launch's cost, with the bytes of the storages it was counted for. */
  cost: { readonly bytes: readonly number[]; readonly cost: LaunchCost | undefined } | null;
}

/** Commands of a launch of these storages. */
export interface Bound {
  readonly ids: readonly number[];
  readonly storages: readonly Storage[];
  readonly leaves: readonly Leaf[];
  readonly groups: readonly (readonly Storage[])[];
  /** The arguments as its event reports them. */
  readonly values: LaunchRequest['values'];
}

/** Kept at the most; a program with ever new shapes starts over. */
const CAPACITY = 4096;

export class PreparedLaunches {
  private launches = new Map<number, Prepared>();
  private next = 1;
  /** Those with a `last`. */
  private readonly recent = new Set<Prepared>();

  /** @returns its number for `get`. */
  add(
    engine: Engine,
    request: LaunchRequest,
    unit: CompiledUnit & { readonly ok: true },
    leaves: readonly Leaf[],
    parts: Partition,
    benchmark: boolean,
  ): number {
    const pointers = leaves.filter((leaf) => leaf.kind === 'pointer');
    if (this.launches.size >= CAPACITY) this.clear();
    this.launches.set(this.next, {
      engine,
      request,
      unit,
      // The storages of that launch must not live on.
      leaves: leaves.map((leaf) => (leaf.kind === 'pointer' ? forget(leaf) : leaf)),
      groupOf: pointers.map((leaf) => parts.groupOf.get(leaf.storage) ?? 0),
      groups: parts.groups.length,
      wholeVectors: pointers.map(({ storage }) => hasWholeVectors(storage)),
      benchmark,
      last: null,
      cost: null,
    });
    return this.next++;
  }

  get(id: number): Prepared | undefined {
    return this.launches.get(id);
  }

  /** Which of its pointers a launch writes through, where that is all it does. */
  writes(id: number): { readonly writes?: readonly number[] } {
    const prepared = this.launches.get(id);
    const through = prepared?.unit.unit.cost?.written;
    if (!prepared || !through) return {};
    const pointers = prepared.leaves.flatMap(({ kind }, i) => (kind === 'pointer' ? [i] : []));
    return { writes: pointers.flatMap((leaf, i) => (through.has(leaf) ? [i] : [])) };
  }

  /**
   * Launch of `prepared` on the storages with these ids; null where the launch must be requested in
   * full (`fits`). @throws where there is no storage of an id.
   */
  bound(prepared: Prepared, ids: readonly number[], find: (id: number) => Storage): Bound | null {
    const bound = this.boundOf(prepared, ids, find);
    return bound && fits(prepared, bound.storages) ? bound : null;
  }
  private boundOf(
    prepared: Prepared,
    ids: readonly number[],
    find: (id: number) => Storage,
  ): Bound | null {
    const { last } = prepared;
    if (ids.length !== prepared.groupOf.length) return null;
    if (last?.ids.every((id, i) => id === ids[i])) return last;
    const storages = ids.map(find);
    let next = 0;
    const values = prepared.request.values.map((value) =>
      value && 'storage' in value ? { ...value, storage: ids[next++]! } : value,
    );
    const made = { ids, storages, values, ...bind(prepared, storages) };
    prepared.last = made;
    this.recent.add(prepared);
    return made;
  }

  /** A storage is gone: nothing here may keep it alive, or take its id for it. */
  released(): void {
    for (const prepared of this.recent) prepared.last = null;
    this.recent.clear();
  }

  clear(): void {
    this.released();
    this.launches.clear();
  }
}

/**
 * Whether the storages fall into the groups they were in (one where they are one, or lie in one
 * block), and end as they did.
 */
function fits({ groupOf, wholeVectors }: Prepared, storages: readonly Storage[]): boolean {
  for (let i = 0; i < storages.length; i++) {
    const a = storages[i]!;
    if (hasWholeVectors(a) !== wholeVectors[i]) return false;
    for (let j = 0; j < i; j++) {
      const b = storages[j]!;
      const together = a === b || (a.block !== null && a.block === b.block);
      if (together !== (groupOf[i] === groupOf[j])) return false;
    }
  }
  return true;
}

/** The leaves and groups of a launch of these storages. */
function bind(
  { leaves, groupOf, groups }: Prepared,
  storages: readonly Storage[],
): { leaves: readonly Leaf[]; groups: readonly (readonly Storage[])[] } {
  let next = 0;
  const bound = leaves.map((leaf): Leaf => {
    if (leaf.kind !== 'pointer') return leaf;
    const { path, dtype, elementBytes, byteOffset, label } = leaf;
    const storage = storages[next++]!;
    return { kind: 'pointer', path, dtype, elementBytes, storage, byteOffset, label };
  });
  const members: Storage[][] = Array.from({ length: groups }, () => []);
  storages.forEach((storage, i) => {
    const group = members[groupOf[i]!]!;
    if (!group.includes(storage)) group.push(storage);
  });
  return { leaves: bound, groups: members };
}

function forget(leaf: PointerLeaf): PointerLeaf {
  return { ...leaf, storage: NOWHERE };
}
/** Stands for a storage in leaves that no launch is made of. */
const NOWHERE = null as unknown as Storage;
