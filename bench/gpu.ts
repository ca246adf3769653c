/**
 * A device for measuring: buffers, pipelines, and times by timestamp query. A sample is one compute pass
 * of as many dispatches as make it long enough for the clock; its time is divided by their number.
 */
import { openDawn, type OpenedDevice } from '../app/cli/dawn';
import { measureQuantum } from '../app/runtime/clock';

/** What a dispatch needs. */
export interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly dynamicOffsets?: readonly number[];
  readonly workgroups: readonly [number, number, number];
}

/** Seconds for one dispatch: the median and the 10th and 90th percentile of the samples. */
export interface Measured {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly samples: number;
  readonly repeats: number;
}

/** Choices of Dawn's toggles. The figures that count are the default ones. */
export const TOGGLES = {
  /** What a browser does, but for the clock. */
  default: { disable: ['timestamp_quantization'], enable: [] },
  /** Without the bounds checks that WebGPU puts into shaders, and with f16 where Dawn hides it. */
  trusted: {
    disable: ['timestamp_quantization'],
    enable: ['allow_unsafe_apis', 'disable_robustness', 'vulkan_enable_f16_on_nvidia'],
  },
} as const;
export type ToggleChoice = keyof typeof TOGGLES;

/** A sample shorter than this is repeated more often. */
const SAMPLE_SECONDS = 2e-3;
/** A sample spans at least this many ticks of the clock. */
const SAMPLE_TICKS = 50;
/** Work of this length goes before the samples: a GPU takes its time to raise its clock. */
const WARM_SECONDS = 1;
/** The part of it that is submitted together with the samples. */
const LEAD_SECONDS = 0.1;

export class BenchDevice {
  private constructor(
    readonly opened: OpenedDevice,
    /** Nanoseconds. */
    readonly quantum: number,
    private readonly lost: { reason: string | null },
    private readonly warmSeconds: number,
  ) {}

  /** @param quick does not wait for the clock: for trying the benchmark itself. */
  static async open(choice: ToggleChoice, quick: boolean): Promise<BenchDevice> {
    const opened = await openDawn(TOGGLES[choice]);
    const lost: { reason: string | null } = { reason: null };
    void opened.device.lost.then((info) => (lost.reason = info.message));
    opened.device.addEventListener('uncapturederror', (event) => {
      console.error(`WebGPU: ${event.error.message}`);
      process.exitCode = 1;
    });
    return new BenchDevice(
      opened,
      await measureQuantum(opened.device),
      lost,
      quick ? 0 : WARM_SECONDS,
    );
  }

  get device(): GPUDevice {
    return this.opened.device;
  }

  /** A storage buffer, filled where data is given. */
  buffer(bytes: number, data?: Float32Array<ArrayBuffer>): GPUBuffer {
    const { STORAGE, COPY_DST, COPY_SRC } = GPUBufferUsage;
    const buffer = this.device.createBuffer({
      size: bytes,
      usage: STORAGE | COPY_DST | COPY_SRC,
    });
    if (data) this.device.queue.writeBuffer(buffer, 0, data);
    return buffer;
  }

  /** A pipeline of WGSL and its buffers, bound in order. */
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

  async read(buffer: GPUBuffer): Promise<Float32Array> {
    const { COPY_DST, MAP_READ } = GPUBufferUsage;
    const staging = this.device.createBuffer({ size: buffer.size, usage: COPY_DST | MAP_READ });
    const encoder = this.device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    this.device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const data = new Float32Array(staging.getMappedRange().slice(0));
    staging.destroy();
    return data;
  }

  /** Measures what `dispatches` take one after the other. */
  async measure(dispatches: readonly Dispatch[], samples: number): Promise<Measured> {
    // The first also takes the driver's last compilation.
    await this.passes(dispatches, 1, 0, 1);
    const [once = 0] = await this.passes(dispatches, 1, 0, 1);
    const wanted = Math.max(SAMPLE_SECONDS, SAMPLE_TICKS * this.quantum * 1e-9);
    const repeats = Math.min(2000, Math.max(1, Math.ceil(wanted / Math.max(once, 1e-7))));
    const lead = Math.min(100, Math.floor(LEAD_SECONDS / Math.max(once * repeats, 1e-7)));
    const warm = performance.now() + 1000 * this.warmSeconds;
    while (performance.now() < warm) await this.passes(dispatches, repeats, lead, 1);
    const times = await this.passes(dispatches, repeats, lead, samples);
    times.sort((a, b) => a - b);
    const at = (share: number): number =>
      (times[Math.round((times.length - 1) * share)] ?? 0) / repeats;
    return { median: at(0.5), low: at(0.1), high: at(0.9), samples, repeats };
  }

  /**
   * Seconds of each of `count` passes, after `warmups` that are not counted. All are submitted at
   * once: a GPU that idles between samples lowers its clock, and would be measured at that.
   */
  private async passes(
    dispatches: readonly Dispatch[],
    repeats: number,
    warmups: number,
    count: number,
  ): Promise<number[]> {
    const { device } = this;
    const querySet = device.createQuerySet({ type: 'timestamp', count: 2 * count });
    const { QUERY_RESOLVE, COPY_SRC, COPY_DST, MAP_READ } = GPUBufferUsage;
    const bytes = 16 * count;
    const resolved = device.createBuffer({ size: bytes, usage: QUERY_RESOLVE | COPY_SRC });
    const staging = device.createBuffer({ size: bytes, usage: COPY_DST | MAP_READ });
    const encoder = device.createCommandEncoder();
    for (let i = -warmups; i < count; i++) {
      const timestampWrites = {
        querySet,
        beginningOfPassWriteIndex: 2 * i,
        endOfPassWriteIndex: 2 * i + 1,
      };
      const pass = encoder.beginComputePass(i < 0 ? {} : { timestampWrites });
      for (let repeat = 0; repeat < repeats; repeat++) {
        for (const { pipeline, bindGroup, dynamicOffsets, workgroups } of dispatches) {
          pass.setPipeline(pipeline);
          pass.setBindGroup(0, bindGroup, dynamicOffsets ?? []);
          pass.dispatchWorkgroups(...workgroups);
        }
      }
      pass.end();
    }
    encoder.resolveQuerySet(querySet, 0, 2 * count, resolved, 0);
    encoder.copyBufferToBuffer(resolved, 0, staging, 0, bytes);
    device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    if (this.lost.reason !== null) throw new Error(`the device was lost: ${this.lost.reason}`);
    const ticks = new BigUint64Array(staging.getMappedRange().slice(0));
    resolved.destroy();
    staging.destroy();
    querySet.destroy();
    return Array.from(
      { length: count },
      (_, i) => Number((ticks[2 * i + 1] ?? 0n) - (ticks[2 * i] ?? 0n)) * 1e-9,
    );
  }
}
