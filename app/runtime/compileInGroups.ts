/**
 * Compiles a launch with its tensors in as few bindings as the adapter has: the compiler names
 * which of them must share one (a pointer that may lead to either, an address that was loaded), and
 * is asked again until they do.
 */
import {
  type CompileRequest,
  type CompilerServices,
  gridOptions,
  type KernelProgram,
  type Specialization,
} from '../../compiler/program';
import type { LaunchRequest } from '../workers/bridge';
import { withStorages, type Leaf } from './arguments';
import { compileRequestOf } from './compileCache';
import type { CompileCache, CompiledUnit, Regroup, UnitRequest } from './compileCache';
import type { Engine } from './engine';
import { RuntimeFault } from './errors';
import { partition, type Partition } from './grouping';
import type { Storage } from './storage';

export interface GroupingContext {
  readonly cache: CompileCache;
  readonly engine: Engine;
  /** Storages whose addresses the program has. */
  exposed(): Iterable<Storage>;
  readonly services: CompilerServices;
}

/** `plain`: each storage has a binding of its own, and no kernel reads addresses from memory. */
export interface CompiledInGroups {
  readonly unit: CompiledUnit;
  readonly parts: Partition;
  readonly plain: boolean;
}

/**
 * Compiles until the groups fit.
 * @param choices a tuning's
 * @throws RuntimeFault where the compiler merges what is merged.
 */
export function compileInGroups(
  context: GroupingContext,
  request: LaunchRequest,
  program: KernelProgram,
  specialization: Specialization,
  leaves: readonly Leaf[],
  choices?: UnitRequest['choices'],
): CompiledInGroups {
  const { cache } = context;
  const get = (unit: UnitRequest): CompiledUnit | Regroup => cache.get(unit);
  return group(context, request, program, specialization, leaves, get, choices)!;
}

/**
 * The input of `compileInGroups`, without compiling. @returns the unit where it was compiled
 * before, else the request: its groups are those of the first try.
 */
export function describeInGroups(
  context: GroupingContext,
  request: LaunchRequest,
  program: KernelProgram,
  specialization: Specialization,
  leaves: readonly Leaf[],
): CompiledUnit | CompileRequest {
  let last: UnitRequest | null = null;
  const found = group(context, request, program, specialization, leaves, (unit) => {
    last = unit;
    return context.cache.peek(unit);
  });
  return found ? found.unit : compileRequestOf(last!);
}

/** The loop over groups; undefined as soon as `compiled` has no answer. */
function group(
  { engine, exposed, services }: GroupingContext,
  request: LaunchRequest,
  program: KernelProgram,
  specialization: Specialization,
  leaves: readonly Leaf[],
  compiled: (unit: UnitRequest) => CompiledUnit | Regroup | undefined,
  choices?: UnitRequest['choices'],
): CompiledInGroups | undefined {
  const pointers = leaves.filter((leaf) => leaf.kind === 'pointer');
  const storages = pointers.map((leaf) => leaf.storage);
  const merges: (readonly Storage[])[] = [];
  /** Storages that must lie in the arena, once the kernel requests one. */
  let inArena: readonly Storage[] | null = null;
  const arena = () => inArena && [...exposed(), ...inArena];
  const ofGrid = gridOptions(request.grid, engine.target);
  let limit = engine.bindingLimit;
  for (;;) {
    const parts = partition(storages, merges, limit, arena());
    const unit = compiled({
      programId: request.program,
      program,
      specialization: {
        ...withStorages(specialization, pointers, (each) => parts.groupOf.get(each) ?? 0),
        ...(parts.arena === null ? {} : { arena: parts.arena }),
      },
      target: engine.target,
      ...ofGrid,
      debug: request.debug ?? false,
      instrumentation: request.instrumentation,
      choices,
      interpreter: engine.info.kind === 'interpreter',
      services,
    });
    if (!unit) return undefined;
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
          'the compiler requests to merge binding groups that are merged already: a bug of Hippocamp',
        );
      }
      continue;
    }
    // Shared memory in storage, and the report, are bindings of their own.
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
