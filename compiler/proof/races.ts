/**
 * Pairs of accesses by which two programs could race: one writes, and not both are atomic. Each
 * pair is decided by its addresses (`disjoint.ts`).
 */
import type { LaunchArgument, LaunchInputs } from '../inspect/launch';
import type { Operation } from '../ir/ir';
import type { Access } from './accesses';
import { neverMeet } from './disjoint';
import type { Setting } from './launchProof';

export interface Pair {
  readonly first: Operation;
  readonly second: Operation;
}

type PointerArgument = Extract<LaunchArgument, { kind: 'pointer' }>;

/** In the order of the text; accesses of different storages cannot race. */
export function pairsOf(setting: Setting, inputs: LaunchInputs): Pair[] {
  const accesses = [...setting.accesses.values()];
  return accesses.flatMap((a, i) =>
    accesses
      .slice(i)
      .filter((b) => canRace(a, b) && mayShare(a, b, inputs))
      .map((b) => ({ first: a.op, second: b.op })),
  );
}

function canRace(a: Access, b: Access): boolean {
  const writes = a.kind !== 'load' || b.kind !== 'load';
  return writes && !(a.kind === 'atomic' && b.kind === 'atomic');
}

function argumentOf({ pointer }: Access, inputs: LaunchInputs): PointerArgument | undefined {
  const argument = pointer ? inputs.args[pointer.root] : undefined;
  return argument?.kind === 'pointer' ? argument : undefined;
}

function mayShare(a: Access, b: Access, inputs: LaunchInputs): boolean {
  const [x, y] = [argumentOf(a, inputs), argumentOf(b, inputs)];
  return !x || !y || x.storage === y.storage;
}

/**
 * Whether no two programs meet by a pair.
 * @param moving whether tensors of one storage may lie elsewhere in another launch
 */
export function neverRaces(
  { first, second }: Pair,
  setting: Setting,
  inputs: LaunchInputs,
  moving: boolean,
): boolean {
  // One program meets no other, also where it chooses its pointers at run time.
  if (setting.programs.every(({ isZero }) => isZero)) return true;
  const [a, b] = [setting.accesses.get(first)!, setting.accesses.get(second)!];
  const [x, y] = [argumentOf(a, inputs), argumentOf(b, inputs)];
  if (!x || !y) return false;
  const shift = y.address - x.address;
  if (moving && shift !== 0) return false;
  return neverMeet(a, b, setting.arithmetic, setting.programs, setting.facts, shift);
}
