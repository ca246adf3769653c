/**
 * Storages: the bytes behind tensors. Each has a CPU copy and a GPU copy, each fresh or stale; copies
 * move only when somebody reads the stale one. Addresses are those of one 64-bit address space, so
 * `data_ptr()` is honest: two storages never overlap, and no address is used twice in a session.
 *
 * The GPU copy lies in a `Block` (one GPUBuffer), usually alone; `gpuMemory.ts` owns blocks.
 */
import { formatBytes, RuntimeFault } from './errors';

/** Which copy holds the truth. `zero`: neither exists yet; `lost`: it was on a GPU that is gone. */
export type Freshness = 'zero' | 'cpu' | 'gpu' | 'both' | 'lost';

/** One GPUBuffer, with the storages that lie in it. */
export interface Block {
  readonly id: number;
  readonly buffer: GPUBuffer;
  /** Bytes, a multiple of 16. */
  readonly size: number;
  readonly members: Set<Storage>;
  /** The batch that last used it: its commands may not be submitted yet. */
  lastBatch: number;
}

export interface Storage {
  readonly id: number;
  /** As asked for. */
  readonly bytes: number;
  /** Padded to 16 bytes, as on the GPU; never 0. */
  readonly size: number;
  readonly address: number;
  fresh: Freshness;
  /** Once made, the same array as long as the storage lives; its buffer has `size` bytes. */
  cpu: Uint8Array | null;
  block: Block | null;
  /** Bytes from the block's start, a multiple of 256. */
  base: number;
  released: boolean;
}

/** Storages are padded to this: WebGPU wants multiples of 4, vec4 access of 16. */
const PADDING = 16;
/** CUDA's allocations are aligned to 256 bytes, and so are WebGPU's binding offsets. */
export const STORAGE_ALIGNMENT = 256;
/** Where a real CUDA heap tends to lie; above 2³², so programs that cut addresses to 32 bits fail. */
const FIRST_ADDRESS = 0x7f00_0000_0000;

export function alignUp(value: number, alignment: number): number {
  return Math.ceil(value / alignment) * alignment;
}

export class StorageTable {
  private readonly storages = new Map<number, Storage>();
  private nextId = 1;
  private nextAddress = FIRST_ADDRESS;

  /** @param maxBytes the most that one storage may have. */
  constructor(public maxBytes: number) {}

  /** A new zeroed storage. @throws MemoryError above `maxBytes`. */
  create(bytes: number): Storage {
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      throw new RuntimeFault('ValueError', `a tensor cannot have ${bytes} bytes`);
    }
    if (bytes > this.maxBytes) {
      throw new RuntimeFault(
        'MemoryError',
        `This tensor needs ${formatBytes(bytes)}; this run allows ${formatBytes(this.maxBytes)} a ` +
          'tensor. Use a smaller shape, or raise the limit in the run settings (--max-bytes).',
      );
    }
    const size = Math.max(PADDING, alignUp(bytes, PADDING));
    const storage: Storage = {
      id: this.nextId++,
      bytes,
      size,
      address: this.nextAddress,
      fresh: 'zero',
      cpu: null,
      block: null,
      base: 0,
      released: false,
    };
    // A gap of one alignment unit: one past the end of a storage is not the start of the next.
    this.nextAddress += alignUp(size, STORAGE_ALIGNMENT) + STORAGE_ALIGNMENT;
    this.storages.set(storage.id, storage);
    return storage;
  }

  /** @throws RuntimeError where it was released or never was. */
  get(id: number): Storage {
    const storage = this.storages.get(id);
    if (!storage) throw new RuntimeFault('RuntimeError', `storage ${id} was released`);
    return storage;
  }

  /** Takes it out of the table; its GPU memory is `GpuMemory.release`'s. */
  remove(id: number): Storage | null {
    const storage = this.storages.get(id);
    if (!storage) return null;
    this.storages.delete(id);
    storage.released = true;
    return storage;
  }

  all(): Iterable<Storage> {
    return this.storages.values();
  }

  get count(): number {
    return this.storages.size;
  }
}

/** The CPU copy's bytes, allocated (zeroed) where they do not exist; not made fresh. */
export function cpuCopy(storage: Storage): Uint8Array {
  if (!storage.cpu) {
    try {
      storage.cpu = new Uint8Array(new ArrayBuffer(storage.size), 0, storage.bytes);
    } catch {
      throw new RuntimeFault(
        'MemoryError',
        `The browser cannot allocate ${formatBytes(storage.size)} of CPU memory for a tensor.`,
      );
    }
  }
  return storage.cpu;
}

/** All `size` bytes of the CPU copy, padding included. */
export function cpuPadded(storage: Storage): Uint8Array<ArrayBuffer> {
  const copy = cpuCopy(storage);
  return new Uint8Array(copy.buffer as ArrayBuffer, 0, storage.size);
}

/** The CPU copy was written: it is the truth now. */
export function markCpuWritten(storage: Storage): void {
  storage.fresh = 'cpu';
}

/** A kernel may have written the GPU copy: it is the truth now. */
export function markGpuWritten(storage: Storage): void {
  storage.fresh = 'gpu';
}
