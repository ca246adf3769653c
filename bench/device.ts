/**
 * A device for measuring, in a page or in Node: buffers, pipelines, and times by timestamp query. A
 * sample is one compute pass of as many runs as make it long enough for the clock. What is compared
 * takes turns, sample by sample, so that whatever else the machine does hits both. A software
 * adapter's threads share the CPU with everything else, so its clock is the CPU time of the
 * processes that compute (`busy`).
 */
import type { Target } from '../compiler/target';

/** Inputs of a dispatch. */
export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly dynamicOffsets?: readonly number[];
  readonly immediates?: Uint32Array<ArrayBuffer>;
  readonly workgroups: readonly [number, number, number];
}
/** Dispatches one after the other: one run of what is measured. */
export type Work = readonly Dispatch[];

/** Contents of a buffer: f32, the bits of f16, i32 or i8. */
export type Numbers =
  | Float32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>;

/** The middle and the 10th and 90th percentile of samples, in their unit. */
export interface Measured {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** A sample shorter than this is repeated more often. Seconds. */
const SAMPLE_SECONDS = 2e-3;
/** A sample spans at least this many ticks of the clock. */
const SAMPLE_TICKS = 50;
/** Work submitted at once is about this long at the most. Seconds. */
const SUBMISSION = 0.5;
/**
 * Seconds of work in front of samples, submitted with them: while a submission is waited for, the
 * clock falls.
 */
const LEAD = 0.1;
/** A sample by CPU time: taking it costs up to a millisecond, from a page. Seconds. */
const BUSY_SAMPLE_SECONDS = 30e-3;

const POISON_BYTES = 2 ** 22;

export class BenchDevice {
  private poisoned: GPUBuffer | undefined;

  constructor(
    readonly device: GPUDevice,
    readonly target: Target,
    /** Nanoseconds. */
    readonly quantum: number,
    /** Work of so many seconds goes before samples: a GPU takes its time to raise its clock. */
    readonly warmSeconds: number,
    /**
     * For a software adapter: seconds of CPU that the processes which compute have taken so far.
     */
    readonly busy?: () => Promise<number>,
  ) {}

  /** A storage buffer, filled where data is given. */
  buffer(bytes: number, data?: Numbers): GPUBuffer {
    const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
    const size = Math.max(16, Math.ceil(bytes / 16) * 16);
    const buffer = this.device.createBuffer({ size, usage: STORAGE | COPY_DST | COPY_SRC });
    if (data) this.device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  /** Fills with NaN (of f32 and of f16), so that an element that nobody writes is seen. */
  poison(buffer: GPUBuffer): void {
    if (!this.poisoned) {
      const words = new Uint32Array(POISON_BYTES / 4).fill(0x7fff7fff);
      this.poisoned = this.buffer(POISON_BYTES, new Int32Array(words.buffer));
    }
    const encoder = this.device.createCommandEncoder();
    for (let at = 0; at < buffer.size; at += POISON_BYTES)
      encoder.copyBufferToBuffer(
        this.poisoned,
        0,
        buffer,
        at,
        Math.min(POISON_BYTES, buffer.size - at),
      );
    this.device.queue.submit([encoder.finish()]);
  }

  /** A pipeline of WGSL and its buffers, bound in order. @throws where WebGPU rejects it. */
  async dispatch(
    wgsl: string,
    buffers: readonly GPUBuffer[],
    workgroups: readonly [number, number, number],
  ): Promise<Dispatch> {
    const pipeline = await this.device.createComputePipelineAsync({
      layout: 'auto',
      compute: { module: this.device.createShaderModule({ code: wgsl }), entryPoint: 'main' },
    });
    const bindGroup = this.device.createBindGroup({
      layout: pipeline.getBindGroupLayout(0),
      entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
    });
    return { pipeline, bindGroup, workgroups };
  }

  async read(buffer: GPUBuffer): Promise<ArrayBuffer> {
    const { COPY_DST, MAP_READ } = GPUBufferUsage;
    const staging = this.device.createBuffer({ size: buffer.size, usage: COPY_DST | MAP_READ });
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    this.device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const data = staging.getMappedRange().slice(0);
    staging.destroy();
    return data;
  }

  /** Seconds of one run, roughly. The first run also takes the driver's last compilation. */
  async once(work: Work): Promise<number> {
    await this.passes([[work, 1]], 1);
    const [[first = 0] = []] = await this.passes([[work, 1]], 1);
    return first;
  }

  /**
   * Samples of each work in turn. Seconds of one run, `rounds` of each, in the order they were
   * taken. `warmSeconds` is none where other work has just warmed the GPU.
   */
  async turns(
    works: readonly Work[],
    rounds: number,
    warmSeconds = this.warmSeconds,
  ): Promise<number[][]> {
    if (this.busy) return this.busyTurns(works, rounds);
    const counted: [Work, number][] = [];
    let total = 0;
    for (const work of works) {
      const one = Math.max(await this.once(work), 1e-7);
      const wanted = Math.max(SAMPLE_SECONDS, SAMPLE_TICKS * this.quantum * 1e-9);
      const repeats = Math.min(2000, Math.max(1, Math.ceil(wanted / one)));
      counted.push([work, repeats]);
      total += one * repeats;
    }
    const together = Math.max(1, Math.floor(SUBMISSION / total));
    const warm = performance.now() + 1000 * warmSeconds;
    while (performance.now() < warm) await this.passes(counted, together);
    const lead = warmSeconds > 0 ? Math.ceil(LEAD / total) : 0;
    const times: number[][] = works.map(() => []);
    for (let done = 0; done < rounds; done += together) {
      const some = await this.passes(counted, Math.min(together, rounds - done), lead);
      some.forEach((each, i) => times[i]!.push(...each));
    }
    return times;
  }

  /** As `turns`, by CPU time: each sample is waited for, and every other round goes backwards. */
  private async busyTurns(works: readonly Work[], rounds: number): Promise<number[][]> {
    const repeats: number[] = [];
    for (const work of works) {
      const one = Math.max(await this.once(work), 1e-6);
      repeats.push(Math.ceil(BUSY_SAMPLE_SECONDS / one));
    }
    const times: number[][] = works.map(() => []);
    const forwards = works.map((_, i) => i);
    for (let round = 0; round < rounds; round++)
      for (const i of round % 2 === 0 ? forwards : forwards.toReversed())
        times[i]!.push(await this.cost(() => this.wall(works[i]!, repeats[i]!), repeats[i]!));
    return times;
  }

  /**
   * Seconds of one of the `runs` runs that `run` does and times: of the CPU, where that is the
   * clock.
   */
  async cost(run: () => Promise<number>, runs: number): Promise<number> {
    if (!this.busy) return (await run()) / runs;
    const before = await this.busy();
    await run();
    return ((await this.busy()) - before) / runs;
  }

  /**
   * Seconds of a run of each work, `rounds` times behind `lead` more that are not timed, all
   * submitted at once: an idle GPU lowers its clock.
   */
  private async passes(
    works: readonly (readonly [work: Work, repeats: number])[],
    rounds: number,
    lead = 0,
  ): Promise<number[][]> {
    const { device } = this;
    const count = rounds * works.length;
    const querySet = device.createQuerySet({ type: 'timestamp', count: 2 * count });
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const bytes = 16 * count;
    const resolved = device.createBuffer({ size: bytes, usage: QUERY_RESOLVE | COPY_SRC });
    const staging = device.createBuffer({ size: bytes, usage: COPY_DST | MAP_READ });
    const encoder = device.createCommandEncoder();
    const untimed = lead * works.length;
    for (let i = 0; i < untimed + count; i++) {
      const [work, repeats] = works[i % works.length]!;
      const first = 2 * (i - untimed);
      const [beginningOfPassWriteIndex, endOfPassWriteIndex] = [first, first + 1];
      const timestampWrites = { querySet, beginningOfPassWriteIndex, endOfPassWriteIndex };
      const pass = encoder.beginComputePass(i < untimed ? {} : { timestampWrites });
      for (let repeat = 0; repeat < repeats; repeat++) encode(pass, work);
      pass.end();
    }
    encoder.resolveQuerySet(querySet, 0, 2 * count, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, staging, 0, bytes);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const ticks = new BigUint64Array(staging.getMappedRange().slice(0));
    for (const buffer of [resolved, staging]) buffer.destroy();
    querySet.destroy();
    return works.map(([, repeats], which) =>
      Array.from({ length: rounds }, (_, round) => {
        const at = 2 * (round * works.length + which);
        return (Number((ticks[at + 1] ?? 0n) - (ticks[at] ?? 0n)) * 1e-9) / repeats;
      }),
    );
  }

  /** Wall-clock seconds of `runs` runs, each a pass, submitted together and waited for. */
  async wall(work: Work, runs: number): Promise<number> {
    const start = performance.now();
    const encoder = this.device.createCommandEncoder();
    for (let run = 0; run < runs; run++) {
      const pass = encoder.beginComputePass();
      encode(pass, work);
      pass.end();
    }
    this.device.queue.submit([encoder.finish()]);
    await this.device.queue.onSubmittedWorkDone();
    return (performance.now() - start) / 1000;
  }
}

function encode(pass: GPUComputePassEncoder, work: Work): void {
  for (const { pipeline, bindGroup, dynamicOffsets, immediates, workgroups } of work) {
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, bindGroup, dynamicOffsets ?? []);
    if (immediates) pass.setImmediates(0, immediates);
    pass.dispatchWorkgroups(...workgroups);
  }
}

export function summary(samples: readonly number[]): Measured {
  const sorted = [...samples].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.round((sorted.length - 1) * share)] ?? NaN;
  return { median: at(0.5), low: at(0.1), high: at(0.9) };
}
