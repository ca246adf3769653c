/**
 * Benchmarks: the launches of a recording are replayed on the buffers they ran on, many in one pass,
 * so that a sample is long against the clock's step; several samples give a spread.
 */
import type { CompiledKernel } from '../../compiler/program';
import { REPORT_BYTES } from './batch';
import type { EngineLaunch } from './engine';
import { createBindGroup, reports as hasReport, type Pipeline } from './pipelines';
import { alignUp } from './addresses';
import type { Block } from './storage';

export interface RecordedLaunch {
  readonly launch: EngineLaunch;
  readonly pipeline: Pipeline;
  readonly kernel: CompiledKernel;
  readonly blocks: readonly Block[];
  readonly dispatches: readonly {
    readonly words: Uint32Array;
    readonly workgroups: readonly [number, number, number];
  }[];
  /** What the recorded launch itself took; null until the GPU has told. */
  nanoseconds: number | null;
}

/** A sample lasts at least so many steps of the clock: its error is below 1 %. */
const STEPS_OF_SAMPLE = 100;
/** Nanoseconds: with a fine clock, a sample is still this long, so that it is no single hiccup. */
const SHORTEST_SAMPLE = 200_000;
const MOST_SAMPLES = 100;
const LEAST_SAMPLES = 3;
/** Dispatches in one pass, and nanoseconds in one submission: the page's own drawing must get in. */
const MOST_DISPATCHES = 20_000;
const LONGEST_SUBMISSION = 100_000_000;

/** Work of about this length goes before the samples, in four pieces. */
const WARM_MILLISECONDS = 100;
/** Nanoseconds of a run that says enough alone, where one more would try a person's patience. */
const PATIENCE = 1e9;

/**
 * @returns nanoseconds of one run of the whole recording, one a sample. A recording that fills the
 * time by itself is run once more, or not at all where it takes a second.
 */
export async function replayRecording(
  device: GPUDevice,
  recording: readonly RecordedLaunch[],
  milliseconds: number,
  quantum: number,
): Promise<number[]> {
  const replayer = new Replayer(device, recording);
  try {
    const budget = milliseconds * 1e6;
    const dispatches = recording.reduce((sum, each) => sum + each.dispatches.length, 0);
    const itself = ownTime(recording);
    if (itself !== null && itself >= Math.max(budget, 1000 * quantum)) {
      return itself >= PATIENCE ? [itself] : [itself, ...(await replayer.samples(1, 1))];
    }
    const atLeast = Math.max(STEPS_OF_SAMPLE * quantum, SHORTEST_SAMPLE);
    const mostRuns = Math.max(1, Math.floor(MOST_DISPATCHES / dispatches));
    // How long does one run take? Double until the clock can tell. This warms up, too.
    let runs = 1;
    let [time = 0] = await replayer.samples(1, runs);
    while (time < Math.max(4 * quantum, 20_000) && runs < mostRuns) {
      runs = Math.min(mostRuns, runs * 4);
      [time = 0] = await replayer.samples(1, runs);
    }
    // A GPU that has idled takes its time to raise its clocks, and would be measured at the low ones.
    const warm = performance.now() + WARM_MILLISECONDS;
    while (time > 0 && time / runs < (WARM_MILLISECONDS * 1e6) / 4 && performance.now() < warm) {
      runs = Math.min(
        mostRuns,
        Math.max(1, Math.ceil(((WARM_MILLISECONDS / 4) * 1e6 * runs) / time)),
      );
      [time = 0] = await replayer.samples(1, runs);
    }
    const estimate = Math.max(time / runs, 1);
    const runsOfSample = Math.min(mostRuns, Math.max(1, Math.ceil(atLeast / estimate)));
    const sampleTime = runsOfSample * estimate;
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
    return samples;
  } finally {
    replayer.destroy();
  }
}

/** What the launches took when they were recorded; null where the GPU did not tell of one. */
function ownTime(recording: readonly RecordedLaunch[]): number | null {
  let sum = 0;
  for (const { nanoseconds } of recording) {
    if (nanoseconds === null) return null;
    sum += nanoseconds;
  }
  return sum;
}

class Replayer {
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
        // Every repetition shares one report: the recorded launch has already told its own.
        offsets: offsets.map((offset) => (hasReport(kernel) ? [offset, 0] : [offset])),
      };
    });
  }

  /** Times of `count` passes, each of `runs` runs of the recording. Nanoseconds. */
  async samples(count: number, runs: number): Promise<number[]> {
    const encoder = this.device.createCommandEncoder();
    for (let sample = 0; sample < count; sample++) {
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
          recorded.dispatches.forEach(({ workgroups }, i) => {
            pass.setBindGroup(0, group, offsets[i]!);
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
    this.queries.destroy();
  }
}
