/**
 * Benchmarks: the launches of a recording are replayed on the buffers they ran on. Where the clock
 * is fine enough for a single run, the caches are flushed before each, as Triton's do_bench does:
 * small tensors would otherwise be read from them. With a coarse clock many runs share one pass, so
 * that a sample is long against its step, and the caches stay warm. Several samples give a spread.
 */
import type { CompiledKernel } from '../../../compiler/program';
import { REPORT_BYTES } from './batch';
import type { EngineLaunch } from '../engine';
import type { ClockRamp } from './clockRamp';
import { createBindGroup, reports as hasReport, type Pipeline } from './pipelines';
import { alignUp } from '../addresses';
import type { Block } from '../storage';

export interface RecordedLaunch {
  readonly launch: EngineLaunch;
  readonly pipeline: Pipeline;
  readonly kernel: CompiledKernel;
  readonly blocks: readonly Block[];
  readonly dispatches: readonly {
    readonly words: Uint32Array<ArrayBuffer>;
    readonly workgroups: readonly [number, number, number];
  }[];
  /** Time of the recorded launch itself; null until the GPU has reported it. */
  nanoseconds: number | null;
}

/** A sample lasts at least so many steps of the clock: its error is below 1 %. */
const STEPS_OF_SAMPLE = 100;
/** Nanoseconds: with a fine clock, a sample is still this long, so that it is no single hiccup. */
const SHORTEST_SAMPLE = 200_000;
const MOST_SAMPLES = 100;
const LEAST_SAMPLES = 3;
/**
 * Dispatches in one pass, and nanoseconds in one submission: the page's own drawing must get in.
 */
const MOST_DISPATCHES = 20_000;
const LONGEST_SUBMISSION = 100_000_000;

/** Work of about this length goes before the samples, in four pieces. */
const WARM_MILLISECONDS = 100;
/** Nanoseconds of a run that says enough alone, where one more would try a person's patience. */
const PATIENCE = 1e9;
/** A run of so many steps of the clock is measured by itself. */
const STEPS_OF_RUN = 20;
/** A configuration so much slower than the best known is not measured further. */
const CLEARLY_SLOWER = 1.5;

export interface ReplayOptions {
  /** Bytes to write between runs, so that no cache holds what they read; 0: none. */
  readonly flushBytes: number;
  readonly clocks: ClockRamp;
  /** Nanoseconds of the best so far, where only a better one is of interest. */
  readonly best?: number | undefined;
}

export interface Replayed {
  /** Nanoseconds of one run of the whole recording, one a sample. */
  readonly samples: readonly number[];
  /** It was clearly slower than the best, and there are few samples. */
  readonly dropped: boolean;
}

/**
 * A recording that fills the time by itself is run once more, or not at all where it takes a
 * second.
 */
export async function replayRecording(
  device: GPUDevice,
  recording: readonly RecordedLaunch[],
  milliseconds: number,
  quantum: number,
  { flushBytes, clocks, best = Infinity }: ReplayOptions,
): Promise<Replayed> {
  const replayer = new Replayer(device, recording);
  const kept = (samples: readonly number[]): Replayed => ({ samples, dropped: false });
  try {
    const budget = milliseconds * 1e6;
    const mostRuns = mostRunsOf(recording);
    const itself = clocks.low ? await replayer.raise(clocks, mostRuns) : ownTime(recording);
    if (itself !== null && itself >= Math.max(budget, 1000 * quantum)) {
      if (itself > best * CLEARLY_SLOWER) return { samples: [itself], dropped: true };
      return kept(itself >= PATIENCE ? [itself] : [itself, ...(await replayer.samples(1, 1))]);
    }
    const atLeast = Math.max(STEPS_OF_SAMPLE * quantum, SHORTEST_SAMPLE);
    // How long does one run take? Double until the clock can measure one. This warms up, too.
    let runs = 1;
    let [time = 0] = await replayer.samples(1, runs);
    while (time < Math.max(4 * quantum, 20_000) && runs < mostRuns) {
      runs = Math.min(mostRuns, runs * 4);
      [time = 0] = await replayer.samples(1, runs);
    }
    // One step more or less does not make the difference.
    if (time / runs - quantum / runs > best * CLEARLY_SLOWER)
      return { samples: [time / runs], dropped: true };
    // Clocks that fell a little are up after this.
    const warm = performance.now() + WARM_MILLISECONDS;
    while (time > 0 && time / runs < (WARM_MILLISECONDS * 1e6) / 4 && performance.now() < warm) {
      runs = Math.min(
        mostRuns,
        Math.max(1, Math.ceil(((WARM_MILLISECONDS / 4) * 1e6 * runs) / time)),
      );
      [time = 0] = await replayer.samples(1, runs);
    }
    const estimate = Math.max(time / runs, 1);
    const flush = flushBytes > 0 && estimate >= STEPS_OF_RUN * quantum;
    const flushTime = flush ? await replayer.startFlushing(flushBytes) : 0;
    const runsOfSample = flush ? 1 : Math.min(mostRuns, Math.max(1, Math.ceil(atLeast / estimate)));
    const sampleTime = runsOfSample * estimate + flushTime;
    const count = Math.max(LEAST_SAMPLES, Math.min(MOST_SAMPLES, Math.floor(budget / sampleTime)));
    const samples: number[] = [];
    while (samples.length < count) {
      const together = Math.max(1, Math.floor(LONGEST_SUBMISSION / sampleTime));
      const times = await replayer.samples(
        Math.min(together, count - samples.length),
        runsOfSample,
      );
      for (const each of times) samples.push(each / runsOfSample);
    }
    clocks.worked();
    return kept(samples);
  } finally {
    replayer.destroy();
  }
}

/**
 * Runs recordings in turn, round after round, each round from another one on: what else the
 * machine does meets all of them alike. Caches stay warm.
 * @returns for each recording the nanoseconds of one run, a sample a round; those of a recording
 *   whose clock never moved are 0
 */
export async function replayInTurn(
  device: GPUDevice,
  recordings: readonly (readonly RecordedLaunch[])[],
  rounds: number,
  quantum: number,
  clocks: ClockRamp,
): Promise<number[][]> {
  const replayers = recordings.map((recording) => new Replayer(device, recording));
  try {
    if (clocks.low) await replayers[0]?.raise(clocks, mostRunsOf(recordings[0]!));
    const atLeast = Math.max(STEPS_OF_SAMPLE * quantum, SHORTEST_SAMPLE);
    const runs: number[] = [];
    for (const [i, replayer] of replayers.entries()) {
      const most = mostRunsOf(recordings[i]!);
      let count = 1;
      // This warms up, too.
      let [time = 0] = await replayer.samples(1, count);
      while (time < atLeast && count < most) {
        const wanted = time > 0 ? Math.ceil((count * atLeast) / time) : count * 4;
        count = Math.min(most, Math.max(count * 2, Math.min(wanted, count * 8)));
        [time = 0] = await replayer.samples(1, count);
      }
      runs.push(count);
    }
    const samples: number[][] = recordings.map(() => []);
    for (let round = 0; round < rounds; round++)
      for (let i = 0; i < replayers.length; i++) {
        const which = (i + round) % replayers.length;
        const [time = 0] = await replayers[which]!.samples(1, runs[which]!);
        samples[which]!.push(time / runs[which]!);
      }
    clocks.worked();
    return samples;
  } finally {
    for (const replayer of replayers) replayer.destroy();
  }
}

/** Runs of a recording that one pass holds. */
function mostRunsOf(recording: readonly RecordedLaunch[]): number {
  const dispatches = recording.reduce((sum, each) => sum + each.dispatches.length, 0);
  return Math.max(1, Math.floor(MOST_DISPATCHES / dispatches));
}

/** Times of the launches when they were recorded; null where the GPU reported none for one. */
function ownTime(recording: readonly RecordedLaunch[]): number | null {
  let sum = 0;
  for (const { nanoseconds } of recording) {
    if (nanoseconds === null) return null;
    sum += nanoseconds;
  }
  return sum;
}

class Replayer {
  private flushed: GPUBuffer | null = null;
  private readonly uniforms: GPUBuffer;
  private readonly reports: GPUBuffer;
  private readonly queries: GPUQuerySet;
  private readonly resolved: GPUBuffer;
  private readonly staging: GPUBuffer;
  private readonly steps: {
    recorded: RecordedLaunch;
    group: GPUBindGroup;
    /** The dynamic offsets of each dispatch. */
    offsets: number[][];
  }[];

  constructor(
    private readonly device: GPUDevice,
    recording: readonly RecordedLaunch[],
  ) {
    let bytes = 0;
    const places = recording.map(({ dispatches }) =>
      dispatches.map(({ words }) => {
        const offset = bytes;
        bytes += alignUp(words.byteLength, 256);
        return offset;
      }),
    );
    this.uniforms = device.createBuffer({
      size: Math.max(256, bytes),
      usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
    });
    // Room for the report; a kernel that prints finds no room for more than a few values.
    const size = REPORT_BYTES + 256;
    this.reports = device.createBuffer({ size, usage: GPUBufferUsage.STORAGE });
    const count = MOST_SAMPLES * 2;
    this.queries = device.createQuerySet({ type: 'timestamp', count });
    this.resolved = device.createBuffer({
      size: count * 8,
      usage: GPUBufferUsage.QUERY_RESOLVE | GPUBufferUsage.COPY_SRC,
    });
    this.staging = device.createBuffer({
      size: count * 8,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    this.steps = recording.map((recorded, index) => {
      const offsets = places[index] ?? [];
      recorded.dispatches.forEach(({ words }, i) =>
        device.queue.writeBuffer(this.uniforms, offsets[i] ?? 0, words.slice()),
      );
      const { pipeline, kernel, blocks } = recorded;
      return {
        recorded,
        group: createBindGroup(device, pipeline, kernel, blocks, this.uniforms, this.reports),
        // Every repetition shares one report: the recorded launch has already reported its own.
        offsets: offsets.map((offset) => (hasReport(kernel) ? [offset, 0] : [offset])),
      };
    });
  }

  /** @returns nanoseconds of a run at raised clocks */
  raise(clocks: ClockRamp, mostRuns: number): Promise<number> {
    return clocks.raise(async (runs) => (await this.samples(1, runs))[0] ?? 0, mostRuns);
  }

  /**
   * From now on every sample follows a write of so many bytes. @returns nanoseconds of one write.
   */
  async startFlushing(bytes: number): Promise<number> {
    const size = Math.min(bytes, this.device.limits.maxBufferSize);
    this.device.pushErrorScope('out-of-memory');
    const buffer = this.device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST });
    if (await this.device.popErrorScope()) {
      buffer.destroy();
      return 0;
    }
    this.flushed = buffer;
    // The first touches the memory.
    await this.samples(1, 1);
    const start = performance.now();
    await this.samples(1, 1);
    return (performance.now() - start) * 1e6;
  }

  /** Times of `count` passes, each of `runs` runs of the recording. Nanoseconds. */
  async samples(count: number, runs: number): Promise<number[]> {
    const encoder = this.device.createCommandEncoder();
    for (let sample = 0; sample < count; sample++) {
      if (this.flushed) encoder.clearBuffer(this.flushed);
      const pass = encoder.beginComputePass({
        timestampWrites: {
          querySet: this.queries,
          beginningOfPassWriteIndex: 2 * sample,
          endOfPassWriteIndex: 2 * sample + 1,
        },
      });
      for (let run = 0; run < runs; run++) {
        for (const { recorded, group, offsets } of this.steps) {
          pass.setPipeline(recorded.pipeline.pipeline);
          const { kernel } = recorded;
          recorded.dispatches.forEach(({ workgroups, words }, i) => {
            if (kernel.immediates) {
              if (i === 0) pass.setBindGroup(0, group);
              pass.setImmediates(0, words);
            } else pass.setBindGroup(0, group, offsets[i]!);
            pass.dispatchWorkgroups(...workgroups);
          });
        }
      }
      pass.end();
    }
    const bytes = count * 16;
    encoder.resolveQuerySet(this.queries, 0, count * 2, this.resolved, 0);
    encoder.copyBufferToBuffer(this.resolved, 0, this.staging, 0, bytes);
    this.device.queue.submit([encoder.finish()]);
    await this.staging.mapAsync(GPUMapMode.READ, 0, bytes);
    const ticks = new BigUint64Array(this.staging.getMappedRange(0, bytes).slice(0));
    this.staging.unmap();
    return Array.from({ length: count }, (_, index) =>
      Math.max(0, Number((ticks[2 * index + 1] ?? 0n) - (ticks[2 * index] ?? 0n))),
    );
  }

  destroy(): void {
    for (const buffer of [this.uniforms, this.reports, this.resolved, this.staging])
      buffer.destroy();
    this.flushed?.destroy();
    this.queries.destroy();
  }
}
