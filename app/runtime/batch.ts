/**
 * A batch: commands of many launches in one encoder, submitted together. Its resources (uniform and
 * report rings, a query set, a staging buffer) are made once and used again.
 *
 * A launch takes one 256-byte slot (or more, for many arguments) of the uniform ring, bound with a
 * dynamic offset so that bind groups can be reused, and one slot of the report ring.
 */
import { REPORT_WORDS } from '../../compiler/program';
import { alignUp } from './addresses';

/** Launches of a batch at the most. */
export const BATCH_LAUNCHES = 128;
/** WebGPU's largest required alignment of dynamic offsets. */
const SLOT = 256;
const UNIFORM_BYTES = BATCH_LAUNCHES * SLOT * 2;
/** Bytes of a launch's bounds report. */
export const REPORT_BYTES = REPORT_WORDS * 4;

/** What a batch gives back of one launch. */
export interface LaunchOutcome<T> {
  readonly launch: T;
  /** The words of the bounds report; null where the kernel has none. */
  readonly report: Uint32Array | null;
  /** The report and the queue of prints, where the kernel has one. */
  readonly debug: Uint32Array | null;
  /** GPU nanoseconds; null without timestamps, or where the clock gave nonsense. */
  readonly nanoseconds: number | null;
}

export class Batch<T> {
  encoder: GPUCommandEncoder;
  readonly uniforms: GPUBuffer;
  readonly reports: GPUBuffer;
  private readonly uniformBytes = new Uint8Array(UNIFORM_BYTES);
  private used = 0;
  /** Destroyed when the GPU is done with the batch. */
  private readonly owned: GPUBuffer[] = [];
  private readonly launches: { launch: T; reports: boolean; timed: boolean }[] = [];
  /** Buffers to read for a launch, by its index. */
  private readonly debug = new Map<number, GPUBuffer>();
  private readonly queries: GPUQuerySet | null;
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
    this.queries = timestamps
      ? device.createQuerySet({ type: 'timestamp', count: BATCH_LAUNCHES * 2 })
      : null;
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
    this.encoder = device.createCommandEncoder();
  }

  /** Used again: a new encoder, empty rings. */
  reopen(id: number): void {
    this.id = id;
    this.used = 0;
    this.launches.length = 0;
    this.encoder = this.device.createCommandEncoder();
  }

  get empty(): boolean {
    return this.launches.length === 0;
  }

  hasRoom(uniformBytes: number): boolean {
    return (
      this.launches.length < BATCH_LAUNCHES &&
      this.used + alignUp(uniformBytes, SLOT) <= UNIFORM_BYTES
    );
  }

  /**
   * Takes the slots of one launch. @returns the dynamic offsets and the pass's timestamp writes.
   */
  add(
    launch: T,
    words: Uint32Array,
    reports: boolean,
  ): {
    uniformOffset: number;
    reportOffset: number;
    timestampWrites: GPUComputePassTimestampWrites | undefined;
  } {
    const index = this.launches.length;
    if (index === 0) this.encoder.clearBuffer(this.reports);
    const uniformOffset = this.used;
    this.uniformBytes.set(
      new Uint8Array(words.buffer, words.byteOffset, words.byteLength),
      uniformOffset,
    );
    this.used += alignUp(words.byteLength, SLOT);
    this.launches.push({ launch, reports, timed: this.queries !== null });
    return {
      uniformOffset,
      reportOffset: index * SLOT,
      timestampWrites: this.queries
        ? {
            querySet: this.queries,
            beginningOfPassWriteIndex: 2 * index,
            endOfPassWriteIndex: 2 * index + 1,
          }
        : undefined,
    };
  }

  /**
   * A zeroed buffer of its own for the report and the prints of the launch that was added last, which
   * are read with the batch. Its copy is encoded by `endDebug`, after the launch.
   */
  beginDebug(bytes: number): GPUBuffer {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
    return this.own(this.device.createBuffer({ size: bytes, usage }));
  }
  endDebug(buffer: GPUBuffer): void {
    const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
    const staging = this.own(this.device.createBuffer({ size: buffer.size, usage }));
    this.encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    this.debug.set(this.launches.length - 1, staging);
  }

  /** A buffer that this batch alone uses. */
  own(buffer: GPUBuffer): GPUBuffer {
    this.owned.push(buffer);
    return buffer;
  }

  /** Ends the encoder and submits. @returns the outcomes, once the GPU has them. */
  submit(): Promise<LaunchOutcome<T>[]> {
    const launches = [...this.launches];
    const count = launches.length;
    if (count === 0) {
      this.device.queue.submit([this.encoder.finish()]);
      return Promise.resolve([]);
    }
    const reportBytes = count * SLOT;
    this.device.queue.writeBuffer(this.uniforms, 0, this.uniformBytes, 0, this.used);
    if (this.queries && this.resolved) {
      this.encoder.resolveQuerySet(this.queries, 0, count * 2, this.resolved, 0);
      this.encoder.copyBufferToBuffer(this.resolved, 0, this.staging, reportBytes, count * 16);
    }
    this.encoder.copyBufferToBuffer(this.reports, 0, this.staging, 0, reportBytes);
    this.device.queue.submit([this.encoder.finish()]);
    const bytes = reportBytes + (this.queries ? count * 16 : 0);
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
      return launches.map((entry, index) => ({
        launch: entry.launch,
        report: entry.reports
          ? (queues.get(index)?.subarray(0, REPORT_BYTES / 4) ??
            new Uint32Array(copy, index * SLOT, REPORT_BYTES / 4))
          : null,
        debug: queues.get(index) ?? null,
        nanoseconds: entry.timed
          ? elapsed(new BigUint64Array(copy, reportBytes + index * 16, 2))
          : null,
      }));
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

function elapsed(ticks: BigUint64Array): number | null {
  const [begin, end] = ticks;
  if (begin === undefined || end === undefined || begin === 0n || end < begin) return null;
  return Number(end - begin);
}
