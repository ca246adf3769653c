/**
 * Storages: the bytes behind tensors. Each has a CPU copy and a GPU copy, each fresh or stale;
 * copies move only when somebody reads the stale one. Addresses are those of one 64-bit address
 * space (`addresses.ts`), so `data_ptr()` is honest: it stays as long as the storage lives, and
 * storages that live at once never overlap.
 *
 * The GPU copy lies in a `Block` (one GPUBuffer), usually alone; `gpu/gpuMemory.ts` owns blocks.
 */
import { AddressSpace, alignUp, ARENA_ADDRESS, HOST_ADDRESS } from './addresses';
import { filledBuffer, refill, ZERO, type Fill } from '../../compiler/inspect/fill';
import { formatBytes, RuntimeFault } from './errors';

/**
 * Which copy holds the truth. `new`: nobody has written either; `lost`: it was on a GPU that is
 * gone.
 */
export type Freshness = 'new' | 'cpu' | 'gpu' | 'both' | 'lost';

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

/** The two address spaces of a session. */
export interface Addresses {
  readonly device: AddressSpace;
  readonly host: AddressSpace;
}

/** Bytes that freed CPU copies keep together, and the fewest that are worth keeping. */
const SPARE_BYTES = 128 * 1024 * 1024;
const SPARE_LEAST = 64 * 1024;

/**
 * CPU copies of released storages, for new ones of the same size: the pages of new memory cost the
 * system more than most operations on them.
 */
export class SpareCopies {
  private readonly bySize = new Map<number, ArrayBuffer[]>();
  private bytes = 0;

  take(size: number): ArrayBuffer | null {
    const found = this.bySize.get(size)?.pop() ?? null;
    if (found) this.bytes -= size;
    return found;
  }

  /** The memory must be nobody else's. The longest unused go where there is no room. */
  give(copy: ArrayBuffer): void {
    const size = copy.byteLength;
    if (size < SPARE_LEAST || size > SPARE_BYTES) return;
    for (const [other, copies] of this.bySize) {
      while (this.bytes + size > SPARE_BYTES && copies.shift()) this.bytes -= other;
      if (copies.length === 0) this.bySize.delete(other);
    }
    const copies = this.bySize.get(size) ?? [];
    // The size that is in use moves to the end.
    this.bySize.delete(size);
    this.bySize.set(size, copies);
    copies.push(copy);
    this.bytes += size;
  }

  clear(): void {
    this.bySize.clear();
    this.bytes = 0;
  }
}

/** Storages are padded to this: WebGPU requires multiples of 4, vec4 access of 16. */
const PADDING = 16;

export class Storage {
  /** Padded to 16 bytes, as on the GPU; never 0. */
  readonly size: number;
  fresh: Freshness = 'new';
  /** Once made, the same array as long as the storage lives; its buffer has `size` bytes. */
  cpu: Uint8Array | null = null;
  block: Block | null = null;
  /** Bytes from the block's start, a multiple of 256. */
  base = 0;
  released = false;
  /** A kernel stored floats here that it made of integers' bits: they may be denormals. */
  madeOfBits = false;
  /** Its address was reported, so a kernel may come to it without being passed it. */
  exposed = false;
  #address: { readonly at: number; readonly space: AddressSpace } | null = null;

  constructor(
    readonly id: number,
    /** As requested. */
    readonly bytes: number,
    private readonly addresses: Addresses,
    /** Fill of the storage until it is written. */
    readonly fill: Fill = ZERO,
    readonly spare: SpareCopies | null = null,
  ) {
    this.size = Math.max(PADDING, alignUp(bytes, PADDING));
  }

  /** A multiple of 256, where a kernel finds it; given out by the first who asks. */
  get address(): number {
    return this.addressIn(this.addresses.device);
  }
  /** The address of a tensor of the CPU, which kernels cannot reach. */
  get hostAddress(): number {
    return this.addressIn(this.addresses.host);
  }
  private addressIn(space: AddressSpace): number {
    this.#address ??= { at: space.allocate(this.size), space };
    return this.#address.at;
  }

  /** Its block is gone, and what only the GPU had. @returns whether that was its contents. */
  loseBlock(): boolean {
    this.block = null;
    this.base = 0;
    const lost = this.fresh === 'gpu';
    if (lost) this.fresh = 'lost';
    else if (this.fresh === 'both') this.fresh = 'cpu';
    return lost;
  }

  /** Its address may be another storage's from now on. */
  releaseAddress(): void {
    this.#address?.space.free(this.#address.at, this.size);
    this.#address = null;
  }
}

export class StorageTable {
  private readonly storages = new Map<number, Storage>();
  private readonly addresses: Addresses = {
    device: new AddressSpace(ARENA_ADDRESS),
    host: new AddressSpace(HOST_ADDRESS),
  };
  private nextId = 1;
  /** Freed CPU copies. */
  readonly spare = new SpareCopies();

  /** Bytes of all storages. */
  private bytes = 0;

  /**
   * @param maxBytes the most that one storage may have
   * @param maxTotal the most that all of them may have
   */
  constructor(
    public maxBytes: number,
    public maxTotal = Infinity,
  ) {}

  /** A new storage. @throws MemoryError above `maxBytes` or `maxTotal`. */
  create(bytes: number, fill = ZERO): Storage {
    if (!Number.isSafeInteger(bytes) || bytes < 0) {
      throw new RuntimeFault('ValueError', `a tensor cannot have ${bytes} bytes`);
    }
    if (bytes > this.maxBytes) {
      throw new RuntimeFault(
        'MemoryError',
        `Tried to allocate ${formatBytes(bytes)}; this run allows ${formatBytes(this.maxBytes)} a ` +
          'tensor. Use a smaller shape, or raise the limit in the run settings.',
      );
    }
    if (this.bytes + bytes > this.maxTotal) {
      throw new RuntimeFault(
        'MemoryError',
        `Tried to allocate ${formatBytes(bytes)}; this run's tensors have ${formatBytes(this.bytes)}, and ` +
          `together they may have ${formatBytes(this.maxTotal)} on an adapter that computes on the CPU. ` +
          'Delete tensors that are not needed, or raise the limit of a tensor in the run settings.',
      );
    }
    const storage = new Storage(this.nextId++, bytes, this.addresses, fill, this.spare);
    this.storages.set(storage.id, storage);
    this.bytes += bytes;
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
    this.bytes -= storage.bytes;
    storage.released = true;
    // A storage of the GPU may still be on its way there.
    if (storage.cpu && !storage.block && !storage.exposed)
      this.spare.give(storage.cpu.buffer as ArrayBuffer);
    return storage;
  }

  /** Those whose addresses were reported. */
  exposed(): Storage[] {
    return this.all().filter((storage) => storage.exposed);
  }

  all(): Storage[] {
    return [...this.storages.values()];
  }
}

/**
 * The CPU copy's bytes, allocated where they do not exist; fresh where nobody has written the
 * storage.
 *
 * @param overwrite the caller writes every byte: they hold anything.
 */
export function cpuCopy(storage: Storage, overwrite = false): Uint8Array {
  if (!storage.cpu) {
    try {
      const fill = storage.fresh === 'new' ? storage.fill : ZERO;
      const used = storage.spare?.take(storage.size) ?? null;
      if (used && !overwrite) refill(used, fill);
      const buffer = used ?? filledBuffer(storage.size, overwrite ? ZERO : fill);
      // Elements behind the end read as 0.
      const whole = new Uint8Array(buffer).fill(0, storage.bytes);
      storage.cpu = whole.subarray(0, storage.bytes);
    } catch {
      throw new RuntimeFault(
        'MemoryError',
        `Tried to allocate ${formatBytes(storage.size)} of CPU memory, which is not available.`,
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
