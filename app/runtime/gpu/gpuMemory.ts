/**
 * GPU memory: blocks (GPUBuffers) and the storages in them. A storage gets a block of its own,
 * until a launch needs it in one group with others: then all of them move into one block, once, and
 * stay.
 *
 * Freed buffers go to a pool (`bufferPool.ts`); a storage that nobody has written holds its fill.
 * Ordering: `queue.writeBuffer` runs before commands that are encoded but not submitted, so a block
 * that the open batch uses is flushed first; copies and clears go through the open encoder.
 */
import { alignUp, STORAGE_ALIGNMENT } from '../addresses';
import { Arena } from './arena';
import { ZERO, type Fill } from '../../../compiler/inspect/fill';
import { BufferPool, type Pooled } from './bufferPool';
import { Fills } from './fills';
import { formatBytes, RuntimeFault } from '../errors';
import { outOfMemory } from './gpuFaults';
import { cpuPadded, type Block, type Storage } from '../storage';
import type { Submissions } from './submissions';

/** Callbacks of memory. */
export interface MemoryEvents {
  /** Bytes went to the GPU; `performance.now()`. */
  onUpload(bytes: number, start: number, end: number): void;
  /** A buffer could not be allocated. */
  onOutOfMemory(error: RuntimeFault): void;
  /** A buffer is destroyed: cached bind groups of it are useless. */
  onBlockGone(): void;
}

/**
 * Whether there is memory is waited for from this size on: the launch that needs it is the one that
 * fails.
 */
const LARGE = 16 * 2 ** 20;

export class GpuMemory {
  private nextBlock = 1;
  private readonly pool: BufferPool;
  private readonly fills: Fills;
  /** Buffers that there was no memory for: whatever is done with them fails. */
  private readonly missing = new WeakSet<GPUBuffer>();
  private unsure: Promise<void>[] = [];
  /** Releases wait while a benchmark records: its launches will be replayed on these buffers. */
  private held: { readonly blocks: Block[]; readonly storages: Storage[] } | null = null;
  private readonly arena: Arena;

  constructor(
    private readonly device: GPUDevice,
    private readonly stream: Submissions,
    private readonly events: MemoryEvents,
  ) {
    this.fills = new Fills(device);
    this.pool = new BufferPool((buffers, fill) => {
      const { encoder, id } = stream.open();
      for (const buffer of buffers) this.fills.encode(encoder, fill, buffer, 0, buffer.size);
      return id;
    });
    this.arena = new Arena(
      device,
      stream,
      (size) => this.allocate(size, ZERO),
      (block) => this.retire(block),
      this.fills,
    );
  }

  /**
   * Puts the storages into one block and makes their GPU copies fresh.
   * @throws MemoryError where the block would exceed what can be bound.
   */
  place(group: readonly Storage[]): Block {
    return this.freshen(this.blockFor(group), group);
  }

  /** Likewise, into the arena. */
  placeInArena(group: readonly Storage[]): Block {
    return this.freshen(this.arena.place(group, this.limit), group);
  }
  /** Bytes of the arena, where its table of pages begins. */
  get arenaBytes(): number {
    return this.arena.bytes;
  }

  private freshen(block: Block, group: readonly Storage[]): Block {
    for (const storage of group) this.upload(storage);
    block.lastBatch = this.stream.open().id;
    return block;
  }

  private get limit(): number {
    const { maxStorageBufferBindingSize, maxBufferSize } = this.device.limits;
    return Math.min(maxStorageBufferBindingSize, maxBufferSize);
  }

  private blockFor(group: readonly Storage[]): Block {
    const [first] = group;
    if (!first) throw new Error('an empty group');
    if (first.block && group.every((storage) => storage.block === first.block)) return first.block;
    // A storage in the arena stays there, so the others come to it.
    if (group.some((storage) => this.arena.has(storage))) {
      return this.arena.place(group, this.limit);
    }
    const { limit } = this;
    const [alone] = group;
    if (group.length === 1 && alone) return this.move([alone], limit);
    // Whole blocks are merged, so that storages do not go to and fro between kernels' groupings.
    const whole = new Set<Storage>(group);
    for (const storage of group) {
      for (const member of storage.block?.members ?? []) whole.add(member);
    }
    const fits = layout([...whole]).size <= limit;
    return this.move(fits ? [...whole] : group, limit);
  }

  /** A new block with these storages; GPU copies that are fresh are copied over. */
  private move(storages: readonly Storage[], limit: number): Block {
    const { size, bases } = layout(storages);
    if (size > limit) {
      throw new RuntimeFault(
        'MemoryError',
        storages.length === 1
          ? `This tensor's memory has ${formatBytes(size)}; WebGPU binds at most ${formatBytes(limit)} of it to a ` +
              'kernel on this adapter. Launch on several smaller tensors instead: parts of it, each with ' +
              '.clone(), because a view shares the memory of the whole.'
          : `These ${storages.length} tensors must share one GPU buffer, which would have ` +
              `${formatBytes(size)}; WebGPU binds at most ${formatBytes(limit)} on this adapter. Use smaller ` +
              'tensors, or fewer in one launch.',
      );
    }
    // One storage has the whole block; of several, each that needs it is filled by itself.
    const [first] = storages;
    const alone = storages.length === 1 && first?.fresh === 'new' ? first.fill : ZERO;
    const block = this.allocate(size, alone);
    const left = new Set<Block>();
    storages.forEach((storage, index) => {
      const base = bases[index] ?? 0;
      const from = storage.block;
      if (from) {
        if (storage.fresh === 'gpu' || storage.fresh === 'both') {
          const { encoder, id } = this.stream.open();
          encoder.copyBufferToBuffer(from.buffer, storage.base, block.buffer, base, storage.size);
          from.lastBatch = block.lastBatch = id;
        }
        from.members.delete(storage);
        left.add(from);
      }
      if (storage.fresh === 'new') {
        const filled = storage.fill === alone;
        const padded = storage.fill === ZERO || storage.bytes === storage.size;
        if (!filled || !padded) {
          const { encoder, id } = this.stream.open();
          if (!filled) this.fills.encode(encoder, storage.fill, block.buffer, base, storage.size);
          this.fills.encodePadding(encoder, storage.fill, block.buffer, base, storage);
          block.lastBatch = id;
        }
      }
      storage.block = block;
      storage.base = base;
      block.members.add(storage);
    });
    for (const old of left) if (old.members.size === 0) this.retire(old);
    return block;
  }

  /**
   * Makes the GPU copy fresh. A `new` storage is: its part of the block was filled when it moved
   * in.
   */
  private upload(storage: Storage): void {
    const block = storage.block;
    if (!block) throw new Error('upload before placement');
    switch (storage.fresh) {
      case 'gpu':
      case 'both':
      case 'new':
        return;
      case 'lost':
        throw lostError(storage);
      case 'cpu': {
        const start = performance.now();
        if (block.lastBatch === this.stream.openId) this.stream.flush();
        this.device.queue.writeBuffer(block.buffer, storage.base, cpuPadded(storage));
        storage.fresh = 'both';
        this.events.onUpload(storage.bytes, start, performance.now());
        return;
      }
      default:
        return unreachable(storage.fresh);
    }
  }

  /** The storage's GPU memory and address are not needed any more. */
  release(storage: Storage): void {
    // A replay writes where its launches wrote.
    if (this.held) this.held.storages.push(storage);
    else storage.releaseAddress();
    const block = storage.block;
    if (!block) return;
    block.members.delete(storage);
    if (this.arena.has(storage)) this.arena.remove(storage);
    else if (block.members.size === 0) this.retire(block);
    storage.block = null;
  }

  private retire(block: Block): void {
    if (this.held) this.held.blocks.push(block);
    else this.free(block);
  }

  /** From now on released blocks stay as they are, until `unhold`. */
  hold(): void {
    this.held ??= { blocks: [], storages: [] };
  }
  unhold(): void {
    const { blocks, storages } = this.held ?? { blocks: [], storages: [] };
    this.held = null;
    for (const block of blocks) this.free(block);
    for (const storage of storages) storage.releaseAddress();
  }

  destroy(): void {
    this.pool.destroy();
    this.fills.destroy();
  }

  private allocate(size: number, fill: Fill): Block {
    const pooled = this.pool.take(size, fill) ?? this.create(size, fill);
    return { ...pooled, size, members: new Set() };
  }

  private create(size: number, fill: Fill): Pooled {
    const buffer = this.createBuffer(size);
    const id = this.nextBlock++;
    if (this.fills.write(fill, buffer, size)) return { id, buffer, lastBatch: -1 };
    const { encoder, id: lastBatch } = this.stream.open();
    this.fills.encode(encoder, fill, buffer, 0, size);
    return { id, buffer, lastBatch };
  }

  private createBuffer(size: number): GPUBuffer {
    this.device.pushErrorScope('out-of-memory');
    const buffer = this.device.createBuffer({
      size,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
    });
    const made = this.device.popErrorScope().then(
      (error) => {
        if (!error) return;
        this.missing.add(buffer);
        // An unused block may make room for the next; the open batch may have used it.
        this.stream.flush();
        this.pool.destroy();
        this.events.onBlockGone();
        const fault = outOfMemory(size);
        if (size < LARGE) this.events.onOutOfMemory(fault);
        else throw fault;
      },
      () => {},
    );
    // Who waits for it gets the error; nobody waits for small ones.
    if (size >= LARGE) this.unsure.push(made);
    return buffer;
  }

  /**
   * Waits until it is known that there is memory for the large buffers made last, where there are
   * any.
   * @throws (rejects) MemoryError; then the storages of `groups` have left the buffers that are
   * none.
   */
  sure(groups: readonly (readonly Storage[])[]): Promise<unknown> | undefined {
    if (this.unsure.length === 0) return undefined;
    return Promise.all(this.unsure.splice(0)).catch((fault: unknown) => {
      for (const storage of groups.flat()) {
        if (!storage.block || !this.missing.has(storage.block.buffer)) continue;
        storage.block.members.delete(storage);
        storage.loseBlock();
      }
      throw fault;
    });
  }

  private free(block: Block): void {
    const { buffer, id, lastBatch, size } = block;
    if (!this.missing.has(buffer) && this.pool.give(size, { buffer, id, lastBatch })) return;
    this.events.onBlockGone();
    if (block.lastBatch === this.stream.openId) this.stream.flush();
    block.buffer.destroy();
  }
}

/** Offsets of the storages in a block of them all. */
function layout(storages: readonly Storage[]): { size: number; bases: number[] } {
  let size = 0;
  const bases = storages.map((storage) => {
    const base = alignUp(size, STORAGE_ALIGNMENT);
    size = base + storage.size;
    return base;
  });
  return { size, bases };
}

export function lostError(storage: Storage): RuntimeFault {
  return new RuntimeFault(
    'RuntimeError',
    `The contents of a tensor (${formatBytes(storage.bytes)}) were lost with the GPU device: only ` +
      'the GPU had them. Run the program again.',
  );
}

function unreachable(fresh: never): never {
  throw new Error(`unknown freshness ${String(fresh)}`);
}
