/**
 * Inputs of a kernel in thread IR: the storages of each binding group in one buffer, as the
 * runtime places them, and the launch's words.
 */
import { floatBits } from '../../ir/numbers';
import type { Value } from '../../ir/ir';
import type { DType, FloatType } from '../../ir/types';
import { byteSize, elementOf, isFloat } from '../../ir/types';
import type { ArgumentSpec, Specialization, UniformWord } from '../../program';
import type { MemoryStorage } from '../memory';
import type { Arguments } from './compile';

/** Storages begin at multiples of this many bytes, which is also a page of the arena's table. */
const PAGE = 256;

export interface LaunchOptions {
  /** The arguments of the function in tile IR: their types say what pointers point to. */
  readonly parameters: readonly Value[];
  readonly specialization: Specialization;
  /** For each parameter: an address or a value. */
  readonly args: readonly (number | bigint | boolean)[];
  readonly memory: readonly MemoryStorage[];
  readonly grid: readonly [number, number, number];
  /** Bytes of a program's shared memory in storage. */
  readonly sharedBytes: number;
}

type Leaf =
  | { readonly kind: 'pointer'; readonly path: readonly number[]; readonly group: number }
  | { readonly kind: 'scalar'; readonly path: readonly number[] };

/** The arguments that are parameters: everything but constexprs, tuples flattened. */
function leavesOf(specs: readonly ArgumentSpec[], before: readonly number[] = []): Leaf[] {
  return specs.flatMap((spec, i): Leaf[] => {
    const path = [...before, i];
    if (spec.kind === 'tuple') return leavesOf(spec.items, path);
    if (spec.kind === 'pointer') return [{ kind: 'pointer', path, group: spec.group }];
    return spec.kind === 'scalar' ? [{ kind: 'scalar', path }] : [];
  });
}
const keyOf = (path: readonly number[]): string => path.join(' ');
const alignUp = (value: number, to: number): number => Math.ceil(value / to) * to;

export class Launch implements Arguments {
  /** The linear index of the workgroup's first program. */
  program = 0;
  readonly #leaves: readonly Leaf[];
  readonly #byPath: ReadonlyMap<string, number>;
  readonly #buffers = new Map<number | 'shared', Uint8Array>();
  /** Place of each storage: its group and the first byte in it. */
  readonly #places = new Map<MemoryStorage, { readonly group: number; readonly byte: number }>();
  readonly #arena: { readonly address: number; readonly bytes: number };

  constructor(private readonly options: LaunchOptions) {
    this.#leaves = leavesOf(options.specialization.arguments);
    this.#byPath = new Map(this.#leaves.map(({ path }, i) => [keyOf(path), i]));
    const { memory } = options;
    const first = Math.min(...memory.map(({ address }) => address));
    const address = memory.length === 0 ? 0 : Math.floor(first / PAGE) * PAGE;
    const end = Math.max(0, ...memory.map((each) => each.address + each.bytes.length));
    this.#arena = { address, bytes: alignUp(end - address, 2 * PAGE) };
    this.#placeAll();
  }

  buffer(group: number | 'shared'): Uint8Array {
    const found = this.#buffers.get(group);
    if (found) return found;
    // Another program's words, of which this one must not read any.
    const bytes = group === 'shared' ? this.options.sharedBytes : 16;
    const made = new Uint8Array(Math.max(16, alignUp(bytes, 16))).fill(0x5a);
    this.#buffers.set(group, made);
    return made;
  }
  /** Copies what the launch left in its buffers back to the storages. */
  finish(): void {
    for (const [storage, { group, byte }] of this.#places) {
      const { bytes } = storage;
      bytes.set(this.buffer(group).subarray(byte, byte + bytes.length));
    }
  }

  /** A pointer may point right behind its storage. */
  #storageOf(address: number): MemoryStorage | undefined {
    const { memory } = this.options;
    const reaches = (past: number) => (storage: MemoryStorage) =>
      address >= storage.address && address < storage.address + storage.bytes.length + past;
    return memory.find(reaches(0)) ?? memory.find(reaches(1));
  }
  #placeAll(): void {
    const { args, memory, specialization } = this.options;
    const groups = new Map<number, Set<MemoryStorage>>();
    this.#leaves.forEach((leaf, i) => {
      if (leaf.kind !== 'pointer') return;
      const own = groups.get(leaf.group) ?? new Set();
      groups.set(leaf.group, own);
      const storage = this.#storageOf(Number(args[i]));
      if (storage) own.add(storage);
    });
    for (const [group, storages] of groups)
      if (group !== specialization.arena) this.#place(group, [...storages]);
    if (specialization.arena !== undefined) this.#placeArena(specialization.arena, memory);
  }
  #place(group: number, storages: readonly MemoryStorage[]): void {
    let end = 0;
    for (const storage of storages) {
      const byte = alignUp(end, PAGE);
      this.#places.set(storage, { group, byte });
      end = byte + Math.max(16, alignUp(storage.bytes.length, 16));
    }
    const bytes = new Uint8Array(Math.max(16, end));
    this.#fill(group, bytes);
  }
  /**
   * Each storage at its address less the arena's; behind them how many bytes of each page are used.
   */
  #placeArena(group: number, memory: readonly MemoryStorage[]): void {
    const { address, bytes } = this.#arena;
    const buffer = new Uint8Array(bytes + alignUp((bytes / PAGE) * 2, 16));
    const pages = new Uint16Array(buffer.buffer, bytes, bytes / PAGE);
    for (const storage of memory) {
      if (this.#places.has(storage)) continue;
      const byte = storage.address - address;
      this.#places.set(storage, { group, byte });
      const end = byte + storage.bytes.length;
      for (let page = Math.floor(byte / PAGE); page * PAGE < end; page++)
        pages[page] = Math.min(PAGE, end - page * PAGE);
    }
    this.#fill(group, buffer);
  }
  #fill(group: number, bytes: Uint8Array): void {
    for (const [storage, place] of this.#places)
      if (place.group === group) bytes.set(storage.bytes, place.byte);
    this.#buffers.set(group, bytes);
  }

  // ── words
  // ─────────────────────────────────────────────────────────────────────────────────────────
  word(word: UniformWord): number {
    switch (word.kind) {
      case 'grid':
        return this.options.grid[word.axis];
      case 'program':
        return this.program;
      case 'zero':
      case 'report':
        return 0;
      case 'arena-bytes':
        return this.#arena.bytes;
      case 'arena': {
        const { address } = this.#arena;
        return word.word === 0 ? address % 2 ** 32 : Math.floor(address / 2 ** 32);
      }
      case 'scalar':
        return this.#scalar(word.path, word.word);
      case 'offset':
        return this.#elements(word.path, (byte, storage, at) => byte + at - storage.address);
      case 'begin':
        return this.#elements(word.path, (byte) => byte);
      case 'end':
        return this.#elements(word.path, (byte, { bytes }) => byte + bytes.length);
      default:
        return word satisfies never;
    }
  }
  #indexOf(path: readonly number[]): number {
    const index = this.#byPath.get(keyOf(path));
    if (index === undefined) throw new Error(`no argument ${keyOf(path)}`);
    return index;
  }
  #scalar(path: readonly number[], word: 0 | 1): number {
    const index = this.#indexOf(path);
    const value = this.options.args[index]!;
    const element = elementOf(this.options.parameters[index]!.type);
    const bits = element.kind === 'pointer' ? BigInt(value) : bitsOf(element.dtype, value);
    return Number(BigInt.asUintN(32, word === 0 ? bits : bits >> 32n));
  }
  /** Whole elements: a storage's tail that holds none is not part of it. */
  #elements(
    path: readonly number[],
    byteOf: (byte: number, storage: MemoryStorage, address: number) => number,
  ): number {
    const index = this.#indexOf(path);
    const element = elementOf(this.options.parameters[index]!.type);
    if (element.kind !== 'pointer') throw new Error('no pointer');
    const address = Number(this.options.args[index]);
    const storage = this.#storageOf(address);
    const place = storage && this.#places.get(storage);
    if (!storage || !place) return 0;
    return Math.floor(byteOf(place.byte, storage, address) / byteSize(element.pointee));
  }
}

function bitsOf(dtype: DType, value: number | bigint | boolean): bigint {
  if (isFloat(dtype)) return floatBits(dtype as FloatType, Number(value));
  return BigInt.asUintN(64, typeof value === 'boolean' ? BigInt(value) : BigInt(value));
}
