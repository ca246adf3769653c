/**
 * A batch: commands of many launches in one encoder, submitted together. Its resources (uniform and
 * report rings, a query set, a staging buffer) are made once and used again.
 *
 * A launch has a pass of its own, with timestamps; the same launch many times over joins the pass
 * of the one before (`timedPasses.ts`).
 *
 * A launch takes one slot (or more, for many arguments) of the uniform ring and one of the report
 * ring. A launch whose words are immediates takes the latter only, and a row of them on the same
 * tensors is bound once.
 */
import { hasReported, REPORT_WORDS } from '../../../compiler/boundsReport';
import { passTimes, TimedPasses } from './timedPasses';
import { SLOT, UniformRing } from './uniformRing';

/** Launches of a batch at the most. */
export const BATCH_LAUNCHES = 128;
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
  readonly timed: boolean;
}

export class Batch<T> {
  readonly reports: GPUBuffer;
  /** Places of the last added launch's words and report, in bytes. */
  uniformOffset = 0;
  reportOffset = 0;
  private readonly uniformRing: UniformRing;
  private readonly passes: TimedPasses;
  private readonly staging: GPUBuffer;
  private entries: Entry<T>[] = [];
  private submitted = 0;
  /** Destroyed when the GPU is done with the batch. */
  private readonly owned: GPUBuffer[] = [];
  /** Buffers to read for a launch, by its index. */
  private readonly debug = new Map<number, GPUBuffer>();

  constructor(
    private readonly device: GPUDevice,
    /** Identifies the ring buffers for the cache of bind groups. */
    readonly ring: number,
    /** Grows with every batch that is opened. */
    public id: number,
  ) {
    this.uniformRing = new UniformRing(device, UNIFORM_BYTES);
    this.passes = new TimedPasses(device, BATCH_LAUNCHES);
    this.reports = device.createBuffer({
      size: BATCH_LAUNCHES * SLOT,
      usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC,
    });
    this.staging = device.createBuffer({
      size: BATCH_LAUNCHES * (SLOT + 16),
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
  }

  /** Used again: empty rings. */
  reopen(id: number): void {
    this.id = id;
    this.entries = [];
    this.submitted = 0;
    this.uniformRing.reset();
    this.passes.reset();
  }

  get uniforms(): GPUBuffer {
    return this.uniformRing.buffer;
  }
  /** For copies: what is encoded stands after the launches before it. */
  get encoder(): GPUCommandEncoder {
    return this.passes.encoder;
  }
  /** Launches of the open pass. */
  get passLaunches(): number {
    return this.passes.openLaunches;
  }

  hasRoom(uniformBytes: number): boolean {
    return this.entries.length < BATCH_LAUNCHES && this.uniformRing.hasRoom(uniformBytes);
  }

  /**
   * Takes the slots of one launch (`uniformOffset`, `reportOffset`), and opens its pass.
   * @param words null where they are immediates.
   * @param joins it goes into the pass of the launch before, where that is still open.
   * @param timed false: the pass has launches of other kernels, too.
   */
  add(
    launch: T,
    words: Uint32Array | null,
    reports: boolean,
    joins: boolean,
    timed: boolean,
  ): GPUComputePassEncoder {
    const index = this.entries.length;
    if (index === 0) this.encoder.clearBuffer(this.reports);
    this.reportOffset = index * SLOT;
    if (words) this.uniformOffset = this.uniformRing.add(words);
    const pass = this.passes.next(joins);
    this.entries.push({ launch, reports, query: this.passes.launches.length - 1, timed });
    return pass;
  }

  /** Launches that the GPU does not have yet. */
  get unsubmitted(): number {
    return this.entries.length - this.submitted;
  }
  /** Submits what is encoded so far; the batch stays open. */
  submitPart(): void {
    this.submitted = this.entries.length;
    this.uniformRing.write();
    this.passes.submit();
  }

  /** A further pass of the launch that was added last: its time ends with that pass. */
  resume(): GPUComputePassEncoder {
    return this.passes.resume();
  }
  /** Whether the open pass is of launches without times, so that another one joins it. */
  get openUntimed(): boolean {
    return this.passes.openLaunches > 0 && this.entries.at(-1)?.timed === false;
  }
  /** Binds a group in the open pass: without dynamic offsets, unless it is bound. */
  bind(group: GPUBindGroup, offsets?: readonly number[]): void {
    this.passes.bind(group, offsets);
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

  /** Submits what is encoded. @returns the outcomes, once the GPU has them. */
  submit(): Promise<LaunchOutcome<T>[]> {
    const { entries, encoder } = this;
    const { launches, timeBytes } = this.passes;
    const reportBytes = entries.length * SLOT;
    if (entries.length === 0) {
      this.passes.submit();
      return Promise.resolve([]);
    }
    this.passes.copyTimes(this.staging, reportBytes);
    encoder.copyBufferToBuffer(this.reports, 0, this.staging, 0, reportBytes);
    this.submitPart();
    const debug = [...this.debug];
    this.debug.clear();
    const bytes = reportBytes + timeBytes;
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
      return outcomesOf(entries, launches, copy, reportBytes, queues);
    });
  }

  destroy(): void {
    this.uniformRing.buffer.destroy();
    this.reports.destroy();
    this.staging.destroy();
    this.passes.destroy();
  }
}

/**
 * Outcomes of the launches of a batch. @param launches of each pass. @param copy their reports, and
 * behind `reportBytes` the passes' timestamps. @param queues of prints, by launch.
 */
function outcomesOf<T>(
  entries: readonly Entry<T>[],
  launches: readonly number[],
  copy: ArrayBuffer,
  reportBytes: number,
  queues: ReadonlyMap<number, Uint32Array>,
): LaunchOutcome<T>[] {
  const words = new Uint32Array(copy, 0, reportBytes / 4);
  const times = passTimes(new BigUint64Array(copy, reportBytes));
  return entries.map(({ launch, reports, query, timed }, index) => {
    const queue = queues.get(index);
    const time = timed ? (times[query] ?? null) : null;
    const together = launches[query] ?? 1;
    const isFirst = entries[index - 1]?.query !== query;
    const at = (index * SLOT) / 4;
    const own = hasReported(words, at) ? words.subarray(at, at + REPORT_WORDS) : null;
    return {
      launch,
      report: reports ? (queue?.subarray(0, REPORT_WORDS) ?? own) : null,
      debug: queue ?? null,
      nanoseconds: time && Number(time[1] - time[0]) / together,
      together,
      pass: time && isFirst ? [Number(time[0]), Number(time[1])] : null,
    };
  });
}
