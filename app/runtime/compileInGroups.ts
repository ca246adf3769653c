/**
 * Compiles a launch with its tensors in as few bindings as the adapter has: the compiler asks which of them must
 * share one (a pointer that may lead to either, an address that was loaded), and is asked again until
 * they do.
 */
import {
  type CompilerServices,
  gridOptions,
  type KernelProgram,
  type Specialization,
} from '../../compiler/program';
import type { LaunchRequest } from '../workers/bridge';
import { pathKey, withGroups, type Leaf } from './arguments';
import type { CompileCache, CompiledUnit } from './compileCache';
import type { Engine } from './engine';
import { RuntimeFault } from './errors';
import { partition, type Partition } from './grouping';
import type { Storage } from './storage';

export interface GroupingContext {
  readonly cache: CompileCache;
  readonly engine: Engine;
  /** Storages whose addresses the program knows. */
  exposed(): Iterable<Storage>;
  readonly services: CompilerServices;
}

/** `plain`: each storage has a binding of its own, and no kernel reads addresses from memory. */
export interface CompiledInGroups {
  readonly unit: CompiledUnit;
  readonly parts: Partition;
  readonly plain: boolean;
}

export function compileInGroups(
  { cache, engine, exposed, services }: GroupingContext,
  request: LaunchRequest,
  program: KernelProgram,
  specialization: Specialization,
  leaves: readonly Leaf[],
): CompiledInGroups {
  const pointers = leaves.filter((leaf) => leaf.kind === 'pointer');
  const storages = pointers.map((leaf) => leaf.storage);
  const merges: (readonly Storage[])[] = [];
  /** Storages that must lie in the arena, once the kernel asks for one. */
  let inArena: readonly Storage[] | null = null;
  const arena = () => inArena && [...exposed(), ...inArena];
  const ofGrid = gridOptions(request.grid, engine.target);
  let limit = engine.bindingLimit;
  for (;;) {
    const parts = partition(storages, merges, limit, arena());
    const groupOf = new Map(
      pointers.map((leaf) => [pathKey(leaf.path), parts.groupOf.get(leaf.storage) ?? 0]),
    );
    const unit = cache.get({
      programId: request.program,
      program,
      specialization: {
        ...withGroups(specialization, (path) => groupOf.get(pathKey(path)) ?? 0),
        ...(parts.arena === null ? {} : { arena: parts.arena }),
      },
      target: engine.target,
      ...ofGrid,
      debug: request.debug ?? false,
      choices: request.choices,
      interpreter: engine.info.kind === 'interpreter',
      services,
    });
    if ('regroup' in unit) {
      const before = parts.groups.length;
      const members = (groups: readonly number[]): Storage[] =>
        groups.flatMap((group) => parts.groups[group] ?? []);
      for (const groups of unit.regroup) merges.push(members(groups));
      const isNew = unit.arena !== undefined && inArena === null;
      if (unit.arena) inArena = [...(inArena ?? []), ...members(unit.arena)];
      const after = partition(storages, merges, limit, arena());
      if (!isNew && after.groups.length >= before) {
        throw new RuntimeFault(
          'RuntimeError',
          'the compiler asks to merge binding groups that are merged already: a bug of Hippocamp',
        );
      }
      continue;
    }
    // An exchange in storage, and the report, are bindings of their own.
    const bound = unit.ok ? (unit.unit.kernel?.bindings.length ?? 0) : 0;
    if (bound >= engine.target.maxStorageBuffers && limit === engine.bindingLimit) {
      limit--;
      continue;
    }
    // The interpreter's memory is one anyway: it only has to know what there is.
    const uses = unit.ok ? unit.unit.addresses : 'none';
    const plain = uses === 'none' && merges.length === 0 && parts.groups.length < limit;
    if (uses === 'none') return { unit, parts, plain };
    inArena = uses === 'taken' ? storages : [];
    return { unit, parts: partition(storages, merges, limit, arena()), plain };
  }
}
