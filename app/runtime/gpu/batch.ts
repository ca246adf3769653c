/**
 * A batch: commands of many launches in one encoder, submitted together. Its resources (uniform and
 * report rings, a query set, a staging buffer) are made once and used again.
 *
 * A launch has a pass of its own, with timestamps; the same launch many times over joins the pass
 * of the one before, and all of a pass get their mean time (a pass costs more than what it
 * holds).
 *
 * A launch takes one 256-byte slot (or more, for many arguments) of the uniform ring, bound with a
 * dynamic offset so that bind groups can be reused, and one slot of the report ring. A launch whose
 * words are immediates takes the latter only, and a row of them on the same tensors is bound once.
 */
import { hasReported, REPORT_WORDS } from '../../../compiler/boundsReport';
import { alignUp } from '../addresses';

/** Launches of a batch at the most. */
export const BATCH_LAUNCHES = 128;
/** WebGPU's largest required alignment of dynamic offsets. */
const SLOT = 256;
const UNIFORM_BYTES = BATCH_LAUNCHES * SLOT * 2;
/** Bytes of a launch's bounds report. */
export const REPORT_BYTES = REPORT_WORDS * 4;

/** Results of one launch of a batch. */
export interface LaunchOutcome<T> {
  readonly launch: T;
  /** The words of the bounds report; null where the kernel has none, or reports nothing. */
  readonly report: Uint32Array | null;
  /** The report and the queue of prints, where the kernel has one. */
  readonly debug: Uint32Array | null;
  /** GPU nanoseconds; null without timestamps, or where the clock gave nonsense. */
  readonly nanoseconds: number | null;
  /** How many launches shared the pass: the time is their mean. */
  readonly together: number;
  /** For the first launch of a pass: when it began and ended on the GPU's clock, in nanoseconds. */
  readonly pass: readonly [begin: number, end: number] | null;
}

interface Entry<T> {
  readonly launch: T;
  readonly reports: boolean;
  /** Index of its pass's pair of timestamps. */
  readonly query: number;
}

export class Batch<T> {
  readonly uniforms: GPUBuffer;
  readonly reports: GPUBuffer;
  /** Places of the last added launch's words and report. */
  uniformOffset = 0;
  reportOffset = 0;
  private commands: GPUCommandEncoder;
  private pass: GPUComputePassEncoder | null = null;
  private bound: GPUBindGroup | null = null;
  private readonly words = new Uint32Array(UNIFORM_BYTES / 4);
  private used = 0;
  /** Destroyed when the GPU is done with the batch. */
  private readonly owned: GPUBuffer[] = [];
  private entries: Entry<T>[] = [];
  /** Launches of each pass. */
  private passes: number[] = [];
  /** Buffers to read for a launch, by its index. */
  private readonly debug = new Map<number, GPUBuffer>();
  private readonly queries: GPUQuerySet | null;
  private readonly timestamps: readonly GPUComputePassDescriptor[];
  private readonly resolved: GPUBuffer | null;
  private readonly staging: GPUBuffer;
  private readonly stagingBytes: number;

  constructor(
    private readonly device: GPUDevice,
    /** Identifies the ring buffers for the cache of bind groups. */
    readonly ring: number,
    /** Grows with every batch that is opened. */
    public id: number,
  ) {
    this.uniforms = device.createBuffer({
      size: UNIFORM_BYTES,
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    this.reports = device.createBuffer({
      size: BATCH_LAUNCHES * SLOT,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    });
    const timestamps = device.features.has('timestamp-query');
    const queries = timestamps
      ? device.createQuerySet({ type: 'timestamp', count: BATCH_LAUNCHES * 2 })
      : null;
    this.queries = queries;
    this.timestamps = Array.from({ length: BATCH_LAUNCHES }, (_, index) =>
      queries
        ? {
            timestampWrites: {
              querySet: queries,
              beginningOfPassWriteIndex: 2 * index,
              endOfPassWriteIndex: 2 * index + 1,
            },
          }
        : {},
    );
    this.resolved = timestamps
      ? device.createBuffer({
          size: BATCH_LAUNCHES * 16,
          usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
        })
      : null;
    this.stagingBytes = BATCH_LAUNCHES * (SLOT + 16);
    this.staging = device.createBuffer({
      size: this.stagingBytes,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    this.commands = device.createCommandEncoder();
  }

  /** Used again: a new encoder, empty rings. */
  reopen(id: number): void {
    this.id = id;
    this.used = 0;
    this.entries = [];
    this.passes = [];
    this.commands = this.device.createCommandEncoder();
  }

  /** For copies: what is encoded stands after the launches before it. */
  get encoder(): GPUCommandEncoder {
    this.endPass();
    return this.commands;
  }

  /** Launches of the open pass. */
  get passLaunches(): number {
    return this.pass ? (this.passes.at(-1) ?? 0) : 0;
  }

  hasRoom(uniformBytes: number): boolean {
    return (
      this.entries.length < BATCH_LAUNCHES &&
      this.used + alignUp(uniformBytes, SLOT) <= UNIFORM_BYTES
    );
  }

  /**
   * Takes the slots of one launch (`uniformOffset`, `reportOffset`), and opens its pass.
   * @param words null where they are immediates.
   * @param joins it goes into the pass of the launch before, where that is still open.
   */
  add(
    launch: T,
    words: Uint32Array | null,
    reports: boolean,
    joins: boolean,
  ): GPUComputePassEncoder {
    const index = this.entries.length;
    if (index === 0) this.encoder.clearBuffer(this.reports);
    this.uniformOffset = this.used;
    this.reportOffset = index * SLOT;
    if (words) {
      this.words.set(words, this.used / 4);
      this.used += alignUp(words.byteLength, SLOT);
    }
    let { pass } = this;
    if (pass && joins) this.passes[this.passes.length - 1]!++;
    else {
      pass = this.encoder.beginComputePass(this.timestamps[this.passes.length]);
      this.pass = pass;
      this.bound = null;
      this.passes.push(1);
    }
    this.entries.push({ launch, reports, query: this.passes.length - 1 });
    return pass;
  }

  /** Submits what is encoded so far; the batch stays open. */
  submitPart(): void {
    const { encoder } = this;
    this.writeWords();
    this.device.queue.submit([encoder.finish()]);
    this.commands = this.device.createCommandEncoder();
  }

  /** A further pass of the launch that was added last: its time ends with that pass. */
  resume(): GPUComputePassEncoder {
    const { encoder, queries: querySet } = this;
    const endOfPassWriteIndex = 2 * this.passes.length - 1;
    const pass = encoder.beginComputePass(
      querySet ? { timestampWrites: { querySet, endOfPassWriteIndex } } : {},
    );
    this.pass = pass;
    this.bound = null;
    return pass;
  }

  private writeWords(): void {
    if (this.used > 0)
      this.device.queue.writeBuffer(this.uniforms, 0, this.words, 0, this.used / 4);
  }

  /**
   * Binds a group without dynamic offsets in the open pass, unless it is bound: that is slower than
   * a dispatch.
   */
  bind(group: GPUBindGroup): void {
    if (this.bound === group) return;
    this.bound = group;
    this.pass?.setBindGroup(0, group);
  }

  private endPass(): void {
    this.pass?.end();
    this.pass = null;
  }

  /**
   * A zeroed buffer of its own for the report and the prints of the launch that was added last,
   * which are read with the batch. Its copy is encoded by `endDebug`, after the launch.
   */
  beginDebug(bytes: number): GPUBuffer {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
    return this.own(this.device.createBuffer({ size: bytes, usage }));
  }
  endDebug(buffer: GPUBuffer): void {
    const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
    const staging = this.own(this.device.createBuffer({ size: buffer.size, usage }));
    this.encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    this.debug.set(this.entries.length - 1, staging);
  }

  /** A buffer that this batch alone uses. */
  own(buffer: GPUBuffer): GPUBuffer {
    this.owned.push(buffer);
    return buffer;
  }

  /** Ends the encoder and submits. @returns the outcomes, once the GPU has them. */
  submit(): Promise<LaunchOutcome<T>[]> {
    const { entries, passes, encoder } = this;
    const count = entries.length;
    if (count === 0) {
      this.device.queue.submit([encoder.finish()]);
      return Promise.resolve([]);
    }
    const reportBytes = count * SLOT;
    const timeBytes = this.queries ? passes.length * 16 : 0;
    this.writeWords();
    if (this.queries && this.resolved) {
      encoder.resolveQuerySet(this.queries, 0, passes.length * 2, this.resolved, 0);
      encoder.copyBufferToBuffer(this.resolved, 0, this.staging, reportBytes, timeBytes);
    }
    encoder.copyBufferToBuffer(this.reports, 0, this.staging, 0, reportBytes);
    this.device.queue.submit([encoder.finish()]);
    const bytes = reportBytes + timeBytes;
    const debug = [...this.debug];
    this.debug.clear();
    const mapped = [
      this.staging.mapAsync(GPUMapMode.READ, 0, bytes),
      ...debug.map(([, buffer]) => buffer.mapAsync(GPUMapMode.READ)),
    ];
    return Promise.all(mapped).then(() => {
      const queues = new Map(
        debug.map(([index, buffer]) => [index, new Uint32Array(buffer.getMappedRange().slice(0))]),
      );
      const copy = this.staging.getMappedRange(0, bytes).slice(0);
      this.staging.unmap();
      for (const buffer of this.owned.splice(0)) buffer.destroy();
      const words = new Uint32Array(copy);
      const ticks = this.queries ? new BigUint64Array(copy, reportBytes) : null;
      const times = ticks && elapsed(ticks, passes);
      return entries.map(({ launch, reports, query }, index): LaunchOutcome<T> => {
        const queue = queues.get(index);
        const at = (index * SLOT) / 4;
        const report = !reports
          ? null
          : queue
            ? queue.subarray(0, REPORT_WORDS)
            : !hasReported(words, at)
              ? null
              : words.subarray(at, at + REPORT_WORDS);
        const nanoseconds = times?.[query] ?? null;
        return {
          launch,
          report,
          debug: queue ?? null,
          nanoseconds,
          together: passes[query] ?? 1,
          pass:
            ticks && nanoseconds !== null && entries[index - 1]?.query !== query
              ? [Number(ticks[2 * query]), Number(ticks[2 * query + 1])]
              : null,
        };
      });
    });
  }

  destroy(): void {
    this.uniforms.destroy();
    this.reports.destroy();
    this.staging.destroy();
    this.resolved?.destroy();
    this.queries?.destroy();
  }
}

/** Nanoseconds of a launch of each pass. */
function elapsed(ticks: BigUint64Array, passes: readonly number[]): (number | null)[] {
  return passes.map((launches, index) => {
    const begin = ticks[2 * index];
    const end = ticks[2 * index + 1];
    if (begin === undefined || end === undefined || begin === 0n || end < begin) return null;
    return Number(end - begin) / launches;
  });
}
