/**
 * Loads, stores and atomics. A pointer that is known to come from one argument may only touch that
 * argument's storage; others may touch any storage.
 */
import type { ElementFunction } from '../ir/evaluate';
import { elementFunction } from '../ir/evaluate';
import type { Operation } from '../ir/ir';
import type { OpName } from '../ir/ops';
import type { DType } from '../ir/types';
import { isFloat } from '../ir/types';
import type { Memory, ReadElement } from './memory';
import { MemoryRegion, OutOfRangeError, reader, tileElementBytes, writer } from './memory';
import type { TileDType } from '../ir/tile';
import { Tile, elementAt, setElement } from '../ir/tile';

/** State of the launch that the memory operations need. */
export interface MemoryContext {
  readonly memory: Memory;
  readonly programId: [number, number, number];
  /**
   * For a pointer operand: the parameter it comes from and the storage that parameter points into.
   */
  readonly source: PointerSource | undefined;
  /**
   * Called for an access out of range, which then does not happen; without it the error is thrown.
   */
  readonly onOutOfRange: ((error: OutOfRangeError) => void) | undefined;
}
export interface PointerSource {
  readonly name: string;
  readonly region: MemoryRegion;
}

/**
 * An error that is reported and not thrown: a launch may have a million, and stacks are most of
 * their cost.
 */
function withoutStack<T extends Error>(make: () => T): T {
  const engine: { stackTraceLimit?: number | undefined } = Error;
  const limit = engine.stackTraceLimit;
  engine.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    engine.stackTraceLimit = limit;
  }
}

/** Elements of one dtype at addresses, wherever they lie. */
class Cursor {
  #begin = 0;
  /** The last address at which a whole element still lies in the region. */
  #last = -1;
  #aligned = false;
  #read: ReadElement;
  #write: ReadElement;
  #region: MemoryRegion | undefined;
  readonly #shift: number;
  readonly #mask: number;
  readonly #scratch = new Uint8Array(8);
  readonly #scratchRead: ReadElement;
  readonly #scratchWrite: ReadElement;

  constructor(
    private readonly op: Operation,
    private readonly access: 'load' | 'store' | 'atomic',
    dtype: TileDType,
    private readonly context: MemoryContext,
  ) {
    const size = tileElementBytes(dtype);
    this.#shift = Math.log2(size);
    this.#mask = size - 1;
    const scratch = new MemoryRegion({ address: 0, bytes: this.#scratch }).rawView(dtype)!;
    this.#read = this.#scratchRead = reader(dtype, scratch);
    this.#write = this.#scratchWrite = writer(dtype, scratch);
    this.#dtype = dtype;
    if (context.source) this.#enter(context.source.region);
  }
  readonly #dtype: TileDType;

  #enter(region: MemoryRegion): void {
    this.#region = region;
    this.#begin = region.begin;
    this.#last = region.end - this.#mask - 1;
    const view = region.rawView(this.#dtype);
    this.#aligned = view !== undefined;
    this.#read = view ? reader(this.#dtype, view) : this.#scratchRead;
    this.#write = view ? writer(this.#dtype, view) : this.#scratchWrite;
  }
  /** Makes the region of an address the current one; false where the address is out of range. */
  #locate(address: number): boolean {
    const { memory, source, programId, onOutOfRange } = this.context;
    const region = source ? undefined : memory.find(address, this.#mask + 1);
    if (region) {
      this.#enter(region);
      return true;
    }
    const element = source ? (address - source.region.begin) / (this.#mask + 1) : null;
    const id: [number, number, number] = [...programId];
    const { access, op } = this;
    const name = source?.name ?? null;
    const make = () => new OutOfRangeError(access, op.location, id, address, name, element);
    if (!onOutOfRange) throw make();
    onOutOfRange(withoutStack(make));
    return false;
  }

  /** @returns false where the address is out of range: the element is left as it is. */
  read(address: number, tile: Tile, i: number): boolean {
    if (!(address >= this.#begin && address <= this.#last) && !this.#locate(address)) return false;
    const offset = address - this.#begin;
    if (this.#aligned && (offset & this.#mask) === 0) {
      this.#read(offset / (this.#mask + 1), tile, i);
      return true;
    }
    this.#scratch.set(this.#region!.bytesAt(address, this.#mask + 1));
    this.#scratchRead(0, tile, i);
    return true;
  }
  write(address: number, tile: Tile, i: number): void {
    if (!(address >= this.#begin && address <= this.#last) && !this.#locate(address)) return;
    const offset = address - this.#begin;
    if (this.#aligned && (offset & this.#mask) === 0) {
      this.#write(offset / (this.#mask + 1), tile, i);
      return;
    }
    this.#scratchWrite(0, tile, i);
    this.#region!.bytesAt(address, this.#mask + 1).set(this.#scratch.subarray(0, this.#mask + 1));
  }

  /**
   * Reads plain numbers (f32, i32, i16, i8) as long as they stay in one region; how many it read.
   */
  readRun(addresses: Float64Array, mask: Uint8Array | undefined, tile: Tile, n: number): number {
    const view = this.#region?.rawView(this.#dtype);
    if (!view || !isPlain(this.#dtype)) return 0;
    const [begin, last, shift, low] = [this.#begin, this.#last, this.#shift, this.#mask];
    const o = tile.data;
    for (let i = 0; i < n; i++) {
      if (mask && mask[i] === 0) continue;
      const address = addresses[i]!;
      const offset = address - begin;
      if (!(offset >= 0 && address <= last) || (offset & low) !== 0) return i;
      o[i] = view[offset >>> shift]!;
    }
    return n;
  }
  writeRun(addresses: Float64Array, mask: Uint8Array | undefined, tile: Tile, n: number): number {
    const view = this.#region?.rawView(this.#dtype);
    if (!view || !isPlain(this.#dtype)) return 0;
    const [begin, last, shift, low] = [this.#begin, this.#last, this.#shift, this.#mask];
    const a = tile.data;
    for (let i = 0; i < n; i++) {
      if (mask && mask[i] === 0) continue;
      const address = addresses[i]!;
      const offset = address - begin;
      if (!(offset >= 0 && address <= last) || (offset & low) !== 0) return i;
      view[offset >>> shift] = a[i]!;
    }
    return n;
  }
}
/** Stored as they are held. */
function isPlain(dtype: TileDType): boolean {
  return dtype === 'f32' || dtype === 'i32' || dtype === 'i16' || dtype === 'i8';
}
export function loadStep(
  op: Operation,
  pointer: Tile,
  mask: Tile | undefined,
  other: Tile | undefined,
  out: Tile,
  context: MemoryContext,
): () => void {
  const cursor = new Cursor(op, 'load', out.dtype, context);
  const addresses = pointer.data as Float64Array;
  const on = mask?.data as Uint8Array | undefined;
  const n = out.count;
  const zero = out.dtype === 'i64' ? 0n : 0;
  return () => {
    out.wide = false;
    if (on) {
      if (!other) out.data.fill(0);
      else if (!other.wide) out.data.set(other.data);
      else for (let i = 0; i < n; i++) setElement(out, i, elementAt(other, i));
    }
    for (let i = cursor.readRun(addresses, on, out, n); i < n; i++) {
      if (on && !on[i]) continue;
      if (!cursor.read(addresses[i]!, out, i)) setElement(out, i, zero);
    }
  };
}

export function storeStep(
  op: Operation,
  pointer: Tile,
  value: Tile,
  mask: Tile | undefined,
  context: MemoryContext,
): () => void {
  const cursor = new Cursor(op, 'store', value.dtype, context);
  const addresses = pointer.data as Float64Array;
  const on = mask?.data as Uint8Array | undefined;
  const n = value.count;
  return () => {
    for (let i = cursor.writeRun(addresses, on, value, n); i < n; i++)
      if (!on || on[i]) cursor.write(addresses[i]!, value, i);
  };
}

/** The element operation behind each kind of read-modify-write. */
function combineOf(kind: string, dtype: DType): ElementFunction {
  const float = isFloat(dtype);
  const names: Record<string, OpName> = {
    and: 'arith.andi',
    or: 'arith.ori',
    xor: 'arith.xori',
    add: float ? 'arith.addf' : 'arith.addi',
    fadd: 'arith.addf',
    max: float ? 'arith.maxnumf' : 'arith.maxsi',
    min: float ? 'arith.minnumf' : 'arith.minsi',
    umax: 'arith.maxui',
    umin: 'arith.minui',
  };
  if (kind === 'exch') return (_, value) => value;
  const name = names[kind];
  const f = name && elementFunction(name, { from: dtype, to: dtype, attributes: {} });
  if (!f) throw new Error(`no atomic ${kind} of ${dtype}`);
  return f;
}

/** Programs run one after the other and elements in order, so atomics are plain. */
export function atomicStep(
  op: Operation,
  pointer: Tile,
  value: Tile,
  mask: Tile | undefined,
  out: Tile,
  context: MemoryContext,
): () => void {
  const cursor = new Cursor(op, 'atomic', value.dtype, context);
  const dtype = value.dtype === 'pointer' ? 'i64' : value.dtype;
  const combine = combineOf(String(op.attributes['kind']), dtype);
  const next = new Tile(value.dtype, 1);
  return () => {
    out.wide = false;
    for (let i = 0; i < value.count; i++) {
      if (mask && !mask.data[i]) {
        setElement(out, i, dtype === 'i64' ? 0n : 0);
        continue;
      }
      const address = pointer.data[i]!;
      if (!cursor.read(address, out, i)) {
        setElement(out, i, dtype === 'i64' ? 0n : 0);
        continue;
      }
      next.wide = false;
      setElement(next, 0, combine(elementAt(out, i), elementAt(value, i), 0));
      cursor.write(address, next, 0);
    }
  };
}

/** Compares bits: a NaN equals itself, 0 is not -0. */
export function compareExchangeStep(
  op: Operation,
  pointer: Tile,
  compare: Tile,
  value: Tile,
  out: Tile,
  context: MemoryContext,
): () => void {
  const cursor = new Cursor(op, 'atomic', value.dtype, context);
  return () => {
    out.wide = false;
    for (let i = 0; i < value.count; i++) {
      const address = pointer.data[i]!;
      if (!cursor.read(address, out, i)) {
        setElement(out, i, out.dtype === 'i64' ? 0n : 0);
        continue;
      }
      if (Object.is(elementAt(out, i), elementAt(compare, i))) cursor.write(address, value, i);
    }
  };
}
