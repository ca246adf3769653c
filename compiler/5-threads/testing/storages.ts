/**
 * For tests: the storages of a launch's pointer arguments in the buffers of its binding groups,
 * with canaries around them. A write outside of the storages shows.
 */
import type { Func } from '../../ir/ir';

/** An argument of a launch: a buffer's bytes, or the bits of a scalar (low word first). */
export type LaunchArgument = Uint8Array<ArrayBuffer> | readonly number[];

/** The places of pointer arguments' storages. */
export interface StorageOptions {
  /** Binding groups of the arguments, by index; each pointer its own where missing. */
  readonly groups?: readonly number[];
  /**
   * Bytes from where a pointer's storage begins to where it points, by argument: they hold
   * `CANARY`.
   */
  readonly shifts?: readonly number[];
}

/** Words around storages, and in them before the arguments. */
export const CANARY = 0x5a;

/** A pointer argument's storage: what `shifts` puts before it, and its bytes. */
export function storageOf(arg: Uint8Array, shift = 0): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(shift + arg.length).fill(CANARY);
  bytes.set(arg, shift);
  return bytes;
}

/** Which pointer arguments' storages end where a vector does. */
export function endsOf(args: readonly LaunchArgument[], shifts: readonly number[] = []): boolean[] {
  return args.map(
    (arg, i) => arg instanceof Uint8Array && storageOf(arg, shifts[i]).length % 16 === 0,
  );
}
/** Calls `make` for the ends of a launch's storages, once for each. */
export function byEnds<T>(
  make: (ends: readonly boolean[]) => T,
): (args: readonly LaunchArgument[], shifts?: readonly number[]) => T {
  const made = new Map<string, T>();
  return (args, shifts) => {
    const ends = endsOf(args, shifts);
    const found = made.get(ends.join()) ?? make(ends);
    made.set(ends.join(), found);
    return found;
  };
}
/** States of the parameters what the runtime would of these storages. */
export function stateEnds(func: Func, ends: readonly boolean[]): Func {
  ends.forEach((wholeVectors, i) => {
    if (wholeVectors) func.parameters[i] = { ...func.parameters[i], wholeVectors };
  });
  return func;
}

/**
 * Place of each pointer argument's storage: the group, the byte in its buffer, and where it points.
 */
export interface Place {
  readonly group: number;
  readonly byte: number;
  readonly shift: number;
  readonly storage: Uint8Array<ArrayBuffer>;
}

export const alignUp = (value: number, alignment: number): number =>
  Math.ceil(value / alignment) * alignment;
/** Bytes that a storage takes in its group's buffer. */
export const paddedLength = (storage: Uint8Array): number =>
  Math.max(16, alignUp(storage.length, 16));

/**
 * The storages of a group one after the other, as the runtime places them: each from a multiple of
 * 256 bytes on, padded to 16 bytes with zeros; and canaries behind it.
 */
export function placeArguments(
  func: Func,
  args: readonly LaunchArgument[],
  options: StorageOptions,
): { readonly places: Map<number, Place>; readonly sizes: Map<number, number> } {
  const places = new Map<number, Place>();
  const sizes = new Map<number, number>();
  let own = 0;
  func.body.args.forEach((arg, i) => {
    if (arg.type.kind !== 'pointer') return;
    const group = options.groups?.[i] ?? own++;
    const before = sizes.get(group);
    const byte = before === undefined ? 0 : alignUp(before + 16, 256);
    const shift = options.shifts?.[i] ?? 0;
    const storage = storageOf(args[i] as Uint8Array, shift);
    places.set(i, { group, byte, shift, storage });
    sizes.set(group, byte + paddedLength(storage));
  });
  return { places, sizes };
}

/** The bytes of each group's buffer before the launch. */
export function initialBytes(
  places: ReadonlyMap<number, Place>,
  sizes: ReadonlyMap<number, number>,
): Map<number, Uint8Array<ArrayBuffer>> {
  const initial = new Map(
    [...sizes].map(([group, size]) => [group, new Uint8Array(size + 16).fill(CANARY)]),
  );
  for (const { group, byte, storage } of places.values()) {
    const bytes = initial.get(group)!;
    bytes.fill(0, byte, byte + paddedLength(storage));
    bytes.set(storage, byte);
  }
  return initial;
}

/** The storages of a group after a launch, by argument; throws where bytes around them changed. */
export function storagesIn(
  group: number,
  before: Uint8Array,
  after: Uint8Array<ArrayBuffer>,
  places: ReadonlyMap<number, Place>,
): Map<number, Uint8Array<ArrayBuffer>> {
  const storages = new Map<number, Uint8Array<ArrayBuffer>>();
  const around = after.slice();
  for (const [i, { group: own, byte, storage }] of places) {
    if (own !== group) continue;
    storages.set(i, after.slice(byte, byte + storage.length));
    around.set(storage, byte);
  }
  const wrong = around.findIndex((byte, i) => byte !== before[i]);
  if (wrong >= 0) throw new Error(`wrote outside of storages, at byte ${wrong} of group ${group}`);
  return storages;
}
