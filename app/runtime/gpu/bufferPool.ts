/**
 * Freed buffers by their exact size, because programs allocate the same outputs again and again.
 *
 * Guarantee: what `take` gives is zero once the encoded commands have run. A clear ends the pass that is open, and
 * a pass costs more than many launches; so small buffers are cleared many at a time, and until there are
 * many, new ones are made.
 */

/** A buffer with what is known of it. */
export interface Pooled {
  readonly buffer: GPUBuffer;
  /** Of the buffer's block; bind groups are cached by it. */
  readonly id: number;
  /** The batch that last used it. */
  readonly lastBatch: number;
}

/** Bytes that are kept. */
const MOST_BYTES = 256 * 2 ** 20;
/** Up to this size, so many buffers are cleared at a time. */
const SMALL = 2 ** 20;
const TOGETHER = 16;

export class BufferPool {
  private readonly sizes = new Map<number, { readonly clear: Pooled[]; dirty: Pooled[] }>();
  private bytes = 0;

  /** @param zero clears buffers in the open batch. @returns its id. */
  constructor(private readonly zero: (buffers: readonly GPUBuffer[]) => number) {}

  /** A cleared buffer; undefined where a new one is to be made. */
  take(size: number): Pooled | undefined {
    const kept = this.sizes.get(size);
    if (!kept) return undefined;
    if (kept.clear.length === 0) {
      const { dirty } = kept;
      if (dirty.length === 0 || (size <= SMALL && dirty.length < TOGETHER)) return undefined;
      const some = size <= SMALL ? dirty.splice(0) : dirty.splice(-1);
      const lastBatch = this.zero(some.map(({ buffer }) => buffer));
      kept.clear.push(...some.map((each) => ({ ...each, lastBatch })));
    }
    this.bytes -= size;
    return kept.clear.pop();
  }

  /** @returns whether it is kept; else the caller destroys it. */
  give(size: number, pooled: Pooled): boolean {
    if (this.bytes + size > MOST_BYTES) return false;
    let kept = this.sizes.get(size);
    if (!kept) this.sizes.set(size, (kept = { clear: [], dirty: [] }));
    kept.dirty.push(pooled);
    this.bytes += size;
    return true;
  }

  /** Gives all of it back to the GPU. */
  destroy(): void {
    for (const { clear, dirty } of this.sizes.values())
      for (const { buffer } of [...clear, ...dirty]) buffer.destroy();
    this.sizes.clear();
    this.bytes = 0;
  }
}
