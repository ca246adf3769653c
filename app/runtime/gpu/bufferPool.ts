/**
 * Freed buffers by their exact size, because programs allocate the same outputs again and again.
 *
 * Guarantee: what `take` gives holds the fill once the encoded commands have run. Filling ends the
 * pass that is open, and a pass costs more than many launches; so small buffers are filled many at
 * a time, and until there are many, new ones are made.
 */
import type { Fill } from '../../../compiler/inspect/fill';

/** A buffer with what is known of it. */
export interface Pooled {
  readonly buffer: GPUBuffer;
  /** Id of the buffer's block; bind groups are cached by it. */
  readonly id: number;
  /** The batch that last used it. */
  readonly lastBatch: number;
}

/** Bytes that are kept. */
const MOST_BYTES = 256 * 2 ** 20;
/** Up to this size, so many buffers are filled at a time. */
const SMALL = 2 ** 20;
const TOGETHER = 16;

export class BufferPool {
  private readonly sizes = new Map<
    number,
    { readonly filled: Map<Fill, Pooled[]>; dirty: Pooled[] }
  >();
  private bytes = 0;

  /** @param refill fills buffers in the open batch. @returns its id. */
  constructor(private readonly refill: (buffers: readonly GPUBuffer[], fill: Fill) => number) {}

  /** A buffer that holds the fill; undefined where a new one is to be made. */
  take(size: number, fill: Fill): Pooled | undefined {
    const kept = this.sizes.get(size);
    if (!kept) return undefined;
    let filled = kept.filled.get(fill);
    if (!filled) kept.filled.set(fill, (filled = []));
    if (filled.length === 0) {
      const { dirty } = kept;
      if (dirty.length === 0 || (size <= SMALL && dirty.length < TOGETHER)) return undefined;
      const some = size <= SMALL ? dirty.splice(0) : dirty.splice(-1);
      const buffers = some.map(({ buffer }) => buffer);
      const lastBatch = this.refill(buffers, fill);
      filled.push(...some.map((each) => ({ ...each, lastBatch })));
    }
    this.bytes -= size;
    return filled.pop();
  }

  /** @returns whether it is kept; else the caller destroys it. */
  give(size: number, pooled: Pooled): boolean {
    if (this.bytes + size > MOST_BYTES) return false;
    let kept = this.sizes.get(size);
    if (!kept) this.sizes.set(size, (kept = { filled: new Map(), dirty: [] }));
    kept.dirty.push(pooled);
    this.bytes += size;
    return true;
  }

  /** Gives all of it back to the GPU. */
  destroy(): void {
    for (const { filled, dirty } of this.sizes.values())
      for (const { buffer } of [...[...filled.values()].flat(), ...dirty]) buffer.destroy();
    this.sizes.clear();
    this.bytes = 0;
  }
}
