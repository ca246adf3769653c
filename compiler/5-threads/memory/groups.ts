/**
 * Which arguments a pointer can come from, and how the buffer of each binding group is declared.
 *
 * A pointer is followed back through everything that passes it on: address arithmetic, shape
 * operations, choices, loops. Pointers of different groups that meet cannot be distinguished by
 * WebGPU: the answer is then which groups to merge. A group is declared by how it is used:
 * `array<vec4<f32>>` where all accesses are f32, words of u32 where types mix or are narrower than
 * a word, atomic where a store could touch a neighbour's bytes.
 */
import { MESSAGES } from '../../codes';
import { accessKind } from '../../ir/access';
import { walk } from '../../ir/ir';
import type { Func, Operation, Value } from '../../ir/ir';
import type { DType } from '../../ir/types';
import { byteSize, elementOf } from '../../ir/types';
import { numberAttribute, refuse } from '../context';
import type { NativeTypes } from '../registers';
import type { Parameters } from '../uniforms';

export interface GroupPlan {
  readonly group: number;
  /** For people: the Python parameter's, of aliased ones the first's. */
  readonly name: string;
  readonly binding: number;
  readonly written: boolean;
  readonly loaded: boolean;
  /** `array<atomic<u32>>`. */
  readonly atomic: boolean;
  /** Type of one element of the array, or of one component of its vectors. */
  readonly element: 'f32' | 'i32' | 'u32' | 'f16';
  readonly width: 1 | 2 | 4;
}

export interface MemoryPlan {
  readonly groups: readonly GroupPlan[];
  /** For an operation on global memory: its group and the arguments its pointer may come from. */
  of(op: Operation): {
    readonly group: GroupPlan;
    readonly arguments: readonly Value[];
    /** The pointer may be one that was made of an integer. */
    readonly computed: boolean;
  };
  /** The arguments that a pointer may come from. */
  rootsOf(pointer: Value): readonly Value[];
}

/** Pointers of different groups meet. */
export class RegroupNeeded extends Error {
  constructor(
    readonly merge: readonly (readonly number[])[],
    /** The groups that must lie in the arena, where the kernel needs one and has none. */
    readonly arena?: readonly number[],
  ) {
    super('pointers of different binding groups meet');
  }
}

export function planMemory(func: Func, parameters: Parameters, native: NativeTypes): MemoryPlan {
  const roots = pointerRoots(func);
  const { arena = ARENA_WANTED } = parameters;
  const isArgument = (root: Value): boolean => func.body.args.includes(root);
  const groupOf = (root: Value): number => {
    if (!isArgument(root)) return arena;
    const parameter = parameters.of(root);
    return parameter.kind === 'pointer' ? parameter.group : -1;
  };
  /** The name of its first pointer. */
  const nameOfGroup = (group: number): string | undefined =>
    func.body.args.find((arg) => arg.type.kind === 'pointer' && groupOf(arg) === group)?.name;
  const merge: number[][] = [];
  for (const set of roots.values()) {
    const groups = [...new Set([...set].map(groupOf))];
    if (groups.length > 1) mergeInto(merge, groups);
  }
  let addresses = false;
  walk(func.body, (op) => {
    if (op.name !== 'tt.int_to_ptr' && op.name !== 'tt.ptr_to_int') return;
    addresses = true;
    const groups = [...(roots.get(op.operand(0)) ?? [])].map(groupOf);
    if (groups.some((group) => group !== arena)) mergeInto(merge, [...new Set([arena, ...groups])]);
  });
  if (addresses && arena === ARENA_WANTED) {
    const into = merge.find((list) => list.includes(arena)) ?? [];
    const others = merge.filter((list) => !list.includes(arena));
    throw new RegroupNeeded(sorted(others), sorted([into.filter((group) => group >= 0)])[0]);
  }
  if (merge.length > 0) throw new RegroupNeeded(sorted(merge));

  const uses = new Map<number, Operation[]>();
  walk(func.body, (op) => {
    if (accessKind(op) === null) return;
    const [root] = roots.get(op.operand(0)) ?? [];
    if (!root) return;
    const group = groupOf(root);
    uses.set(group, [...(uses.get(group) ?? []), op]);
  });
  const groups = [...uses.keys()]
    .sort((a, b) => a - b)
    .map((group, binding) =>
      // The arena's table of pages is read in words.
      planGroup(
        group,
        binding,
        uses.get(group)!,
        group === arena ? { ...native, f16: false } : native,
        group === arena ? 'arena' : nameOfGroup(group),
      ),
    );
  const byNumber = new Map(groups.map((plan) => [plan.group, plan]));
  return {
    groups,
    rootsOf: (pointer) => [...(roots.get(pointer) ?? [])].filter(isArgument),
    of(op) {
      const all = [...(roots.get(op.operand(0)) ?? [])];
      const args = all.filter(isArgument);
      const group = all[0] && byNumber.get(groupOf(all[0]));
      if (!group) {
        refuse(op, 'HC0509', MESSAGES.HC0509.nowhere());
      }
      return { group, arguments: args, computed: args.length < all.length };
    },
  };
}

/** Stands for the arena where the specialization has none yet. */
const ARENA_WANTED = -2;

function sorted(lists: readonly (readonly number[])[]): number[][] {
  return lists.map((list) => [...list].sort((a, b) => a - b));
}

/** Unites lists that share a member. */
function mergeInto(lists: number[][], groups: readonly number[]): void {
  const touching = lists.filter((list) => list.some((g) => groups.includes(g)));
  const united = [...new Set([...groups, ...touching.flat()])];
  for (const list of touching) lists.splice(lists.indexOf(list), 1);
  lists.push(united);
}

/** The pointer arguments, and pointers made of integers, that each pointer value may come from. */
function pointerRoots(func: Func): Map<Value, Set<Value>> {
  const roots = new Map<Value, Set<Value>>();
  let changed = true;
  const flow = (from: Value | undefined, to: Value | undefined): void => {
    const source = from && roots.get(from);
    if (!source || !to || elementOf(to.type).kind !== 'pointer') return;
    let target = roots.get(to);
    if (!target) roots.set(to, (target = new Set()));
    const before = target.size;
    for (const root of source) target.add(root);
    if (target.size !== before) changed = true;
  };
  for (const arg of func.body.args) if (arg.type.kind === 'pointer') roots.set(arg, new Set([arg]));
  const yields = (op: Operation, region: number): readonly Value[] =>
    op.regions[region]?.ops.at(-1)?.operands ?? [];
  while (changed) {
    changed = false;
    walk(func.body, (op) => {
      switch (op.name) {
        case 'tt.int_to_ptr':
          if (roots.has(op.result)) return;
          roots.set(op.result, new Set([op.result]));
          changed = true;
          return;
        case 'scf.for': {
          const [body] = op.regions;
          const inits = op.operands.slice(3);
          const out = yields(op, 0);
          op.results.forEach((result, i) => {
            flow(inits[i], body?.args[i + 1]);
            flow(out[i], body?.args[i + 1]);
            flow(inits[i], result);
            flow(out[i], result);
          });
          return;
        }
        case 'scf.while': {
          const [before, after] = op.regions;
          op.operands.forEach((value, i) => flow(value, before?.args[i]));
          yields(op, 1).forEach((value, i) => flow(value, before?.args[i]));
          yields(op, 0)
            .slice(1)
            .forEach((value, i) => {
              flow(value, after?.args[i]);
              flow(value, op.results[i]);
            });
          return;
        }
        case 'scf.if':
          op.results.forEach((result, i) => {
            flow(yields(op, 0)[i], result);
            flow(yields(op, 1)[i], result);
          });
          return;
        default:
          for (const operand of op.operands) for (const result of op.results) flow(operand, result);
      }
    });
  }
  return roots;
}

function planGroup(
  group: number,
  binding: number,
  ops: readonly Operation[],
  native: NativeTypes,
  name = `buffer_${group}`,
): GroupPlan {
  const dtypes = new Set<DType>();
  let written = false;
  let loaded = false;
  let atomic = false;
  let widest = 4;
  for (const op of ops) {
    const element = elementOf(op.operand(0).type);
    if (element.kind !== 'pointer') throw new Error(`${op.name} needs a pointer`);
    const pointee = element.pointee;
    dtypes.add(pointee.kind === 'pointer' ? 'i64' : pointee.dtype);
    const bytes = byteSize(pointee) * (numberAttribute(op, 'vector') ?? 1);
    widest = Math.max(widest, bytes);
    if (op.name !== 'tt.load') written = true;
    else loaded = true;
    if (op.name === 'tt.atomic_rmw' || op.name === 'tt.atomic_cas') atomic = true;
    const halfNative = native.f16 && pointee.kind === 'scalar' && pointee.dtype === 'f16';
    if (op.name === 'tt.store' && bytes < 4 && !halfNative) atomic = true;
  }
  const only = dtypes.size === 1 ? [...dtypes][0]! : undefined;
  // A half can only be stored alone where the buffer is one of halves.
  const narrowHalf = ops.some(
    (op) =>
      op.name === 'tt.store' &&
      dtypeOfPointee(op) === 'f16' &&
      byteSize({ kind: 'scalar', dtype: 'f16' }) * (numberAttribute(op, 'vector') ?? 1) < 4,
  );
  if (narrowHalf && only !== 'f16') atomic = true;
  if (atomic) return { group, name, binding, written, loaded, atomic, element: 'u32', width: 1 };
  // Words of four move eight halves at once where every access has as many.
  const wideHalves = ops.every((op) => (numberAttribute(op, 'vector') ?? 1) >= 8);
  if (only === 'f16' && native.f16 && !wideHalves) {
    const width = widest >= 8 ? 4 : widest >= 4 ? 2 : 1;
    // The smallest access must not cut a vector that another one owns: components are stored alone.
    return {
      group,
      name,
      binding,
      written,
      loaded,
      atomic,
      element: 'f16',
      width: width === 2 ? 1 : width,
    };
  }
  const width = widest >= 16 ? 4 : widest >= 8 ? 2 : 1;
  const element = only === 'f32' || only === 'i32' ? only : 'u32';
  return { group, name, binding, written, loaded, atomic, element, width };
}

function dtypeOfPointee(op: Operation): DType | undefined {
  const element = elementOf(op.operand(0).type);
  return element.kind === 'pointer' && element.pointee.kind === 'scalar'
    ? element.pointee.dtype
    : undefined;
}
