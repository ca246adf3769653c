/**
 * The arena: one buffer for the storages that kernels reach by their addresses, where each lies at
 * its address less `ARENA_ADDRESS`. It grows; what moved in stays until it is released.
 *
 * Behind the storages stands a table of pages (256 bytes), 16 bits each: how many bytes of the page
 * belong to a storage. A kernel tests by it whether a computed address points into one.
 */
import { ZERO } from '../../../compiler/inspect/fill';
import { alignUp, ARENA_ADDRESS } from '../addresses';
import { formatBytes, RuntimeFault } from '../errors';
import type { Fills } from './fills';
import type { Submissions } from './submissions';
import type { Block, Storage } from '../storage';

const PAGE = 256;
const GROWTH = 64 * 1024;
/**
 * Kernels count elements, of a byte or more, from the arena's start as an i32. What is moved out of
 * it, to either side, becomes negative: no single step from inside leads inside again.
 */
const MOST_BYTES = 2 ** 31 - GROWTH;

export class Arena {
  private block: Block | null = null;
  /** Bytes before the table of pages. */
  private capacity = 0;
  private pages = new Uint16Array(0);
  /** Pages that the GPU's table has not, from … to, exclusive. */
  private dirty: [number, number] = [0, 0];

  constructor(
    private readonly device: GPUDevice,
    private readonly stream: Submissions,
    private readonly allocate: (size: number) => Block,
    private readonly retire: (block: Block) => void,
    private readonly fills: Fills,
  ) {}

  /** Bytes of the arena, where its table of pages begins. */
  get bytes(): number {
    return this.capacity;
  }

  has(storage: Storage): boolean {
    return this.block !== null && storage.block === this.block;
  }

  /** Moves the storages in. @throws MemoryError where the arena would exceed what can be bound. */
  place(storages: readonly Storage[], limit: number): Block {
    const end = Math.max(0, ...storages.map(({ address, size }) => address - ARENA_ADDRESS + size));
    const block = this.grow(end, limit);
    for (const storage of storages) if (!this.has(storage)) this.moveIn(storage, block);
    this.writePages(block);
    return block;
  }

  /** A storage that was released, and is no member any more. */
  remove(storage: Storage): void {
    this.mark(storage, 0);
    if (!this.block || this.block.members.size > 0) return;
    const { block } = this;
    this.block = null;
    this.capacity = 0;
    this.pages = new Uint16Array(0);
    this.dirty = [0, 0];
    this.retire(block);
  }

  private grow(end: number, limit: number): Block {
    if (this.block && this.capacity >= end) return this.block;
    const most = Math.min(MOST_BYTES, Math.floor(limit / 129 / PAGE) * 128 * PAGE - GROWTH);
    if (end > most) {
      throw new RuntimeFault(
        'MemoryError',
        'The tensors that kernels reach by their addresses (data_ptr) share one GPU buffer, which ' +
          `would need ${formatBytes(end)}; here it can have ${formatBytes(most)}. Delete tensors ` +
          'that are not needed, or use smaller shapes.',
      );
    }
    const capacity = Math.min(most, alignUp(Math.max(end, 2 * this.capacity), GROWTH));
    const old = this.block;
    const block = this.allocate(capacity + tableBytes(capacity));
    if (old) {
      const { encoder, id } = this.stream.open();
      encoder.copyBufferToBuffer(old.buffer, 0, block.buffer, 0, this.capacity);
      old.lastBatch = block.lastBatch = id;
      for (const storage of old.members) {
        storage.block = block;
        block.members.add(storage);
      }
      old.members.clear();
      this.retire(old);
    }
    const pages = new Uint16Array(capacity / PAGE);
    pages.set(this.pages);
    this.pages = pages;
    this.dirty = [0, pages.length];
    this.capacity = capacity;
    this.block = block;
    return block;
  }

  private moveIn(storage: Storage, block: Block): void {
    const base = storage.address - ARENA_ADDRESS;
    const from = storage.block;
    const { encoder, id } = this.stream.open();
    if (from && (storage.fresh === 'gpu' || storage.fresh === 'both')) {
      encoder.copyBufferToBuffer(from.buffer, storage.base, block.buffer, base, storage.size);
      from.lastBatch = id;
    } else {
      const fill = storage.fresh === 'new' ? storage.fill : ZERO;
      this.fills.encode(encoder, fill, block.buffer, base, storage.size);
      this.fills.encodePadding(encoder, fill, block.buffer, base, storage);
    }
    block.lastBatch = id;
    storage.block = block;
    storage.base = base;
    block.members.add(storage);
    from?.members.delete(storage);
    if (from?.members.size === 0) this.retire(from);
    this.mark(storage, storage.bytes);
  }

  /** The first `bytes` bytes from where the storage lies belong to one. */
  private mark(storage: Storage, bytes: number): void {
    const first = storage.base / PAGE;
    const last = Math.ceil((storage.base + storage.size) / PAGE);
    for (let page = first; page < last; page++)
      this.pages[page] = Math.max(0, Math.min(PAGE, bytes - (page - first) * PAGE));
    const [from, to] = this.dirty;
    this.dirty = from === to ? [first, last] : [Math.min(from, first), Math.max(to, last)];
  }

  private writePages(block: Block): void {
    const [from, to] = this.dirty;
    if (from === to) return;
    this.dirty = [0, 0];
    // A batch that is encoded but not submitted sees the table as it was.
    if (block.lastBatch === this.stream.openId) this.stream.flush();
    const first = from - (from % 2);
    const part = this.pages.slice(first, to + (to % 2));
    this.device.queue.writeBuffer(block.buffer, this.capacity + first * 2, part);
  }
}

function tableBytes(capacity: number): number {
  return alignUp((capacity / PAGE) * 2, 16);
}
