/**
 * The compute passes of a batch, each with a pair of timestamps where the device has them. Launches
 * that share a pass get its mean time: a pass costs more than what it holds.
 */

/** When a pass began and ended on the GPU's clock, in nanoseconds; null where that is nonsense. */
export type PassTime = readonly [begin: bigint, end: bigint] | null;

export class TimedPasses {
  readonly #queries: GPUQuerySet | null;
  readonly #resolved: GPUBuffer | null;
  #commands: GPUCommandEncoder;
  #open: GPUComputePassEncoder | null = null;
  #bound: GPUBindGroup | null = null;
  /** Launches of each pass. */
  #launches: number[] = [];

  /** @param most passes. */
  constructor(
    private readonly device: GPUDevice,
    most: number,
  ) {
    const timed = device.features.has('timestamp-query');
    const usage = GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC;
    this.#queries = timed ? device.createQuerySet({ type: 'timestamp', count: most * 2 }) : null;
    this.#resolved = timed ? device.createBuffer({ size: most * 16, usage }) : null;
    this.#commands = device.createCommandEncoder();
  }

  /** For copies: what is encoded stands after the launches before it. */
  get encoder(): GPUCommandEncoder {
    this.#open?.end();
    this.#open = null;
    return this.#commands;
  }
  /** Launches of each pass so far. */
  get launches(): readonly number[] {
    return this.#launches;
  }
  /** Launches of the open pass. */
  get openLaunches(): number {
    return this.#open ? (this.#launches.at(-1) ?? 0) : 0;
  }
  /** Bytes of the passes' timestamps. */
  get timeBytes(): number {
    return this.#queries ? this.#launches.length * 16 : 0;
  }

  /** The pass of the next launch. @param joins the pass of the launch before, where it is open. */
  next(joins: boolean): GPUComputePassEncoder {
    if (this.#open && joins) {
      this.#launches[this.#launches.length - 1]!++;
      return this.#open;
    }
    const begin = 2 * this.#launches.length;
    this.#launches.push(1);
    return this.#begin({ beginningOfPassWriteIndex: begin, endOfPassWriteIndex: begin + 1 });
  }
  /** A further pass of the launch that came last: its time ends with that pass. */
  resume(): GPUComputePassEncoder {
    return this.#begin({ endOfPassWriteIndex: 2 * this.#launches.length - 1 });
  }
  #begin(writes: Omit<GPUComputePassTimestampWrites, 'querySet'>): GPUComputePassEncoder {
    const querySet = this.#queries;
    const timed = querySet ? { timestampWrites: { querySet, ...writes } } : {};
    this.#open = this.encoder.beginComputePass(timed);
    this.#bound = null;
    return this.#open;
  }

  /**
   * Binds a group in the open pass: without dynamic offsets, unless it is bound, since that is
   * slower than a dispatch.
   */
  bind(group: GPUBindGroup, offsets?: readonly number[]): void {
    if (!offsets && this.#bound === group) return;
    this.#bound = offsets ? null : group;
    this.#open?.setBindGroup(0, group, offsets);
  }

  /** Encodes a copy of the timestamps. */
  copyTimes(to: GPUBuffer, offset: number): void {
    if (!this.#queries || !this.#resolved) return;
    const { encoder, timeBytes } = this;
    encoder.resolveQuerySet(this.#queries, 0, this.#launches.length * 2, this.#resolved, 0);
    encoder.copyBufferToBuffer(this.#resolved, 0, to, offset, timeBytes);
  }
  /** Submits what is encoded, and goes on in a new encoder. */
  submit(): void {
    this.device.queue.submit([this.encoder.finish()]);
    this.#commands = this.device.createCommandEncoder();
  }
  /** Forgets the passes of a batch that has ended. */
  reset(): void {
    this.#launches = [];
  }

  destroy(): void {
    this.#resolved?.destroy();
    this.#queries?.destroy();
  }
}

/** The times of passes from their timestamps. */
export function passTimes(ticks: BigUint64Array): PassTime[] {
  return Array.from({ length: ticks.length / 2 }, (_, index) => {
    const [begin, end] = [ticks[2 * index]!, ticks[2 * index + 1]!];
    return begin === 0n || end < begin ? null : [begin, end];
  });
}
