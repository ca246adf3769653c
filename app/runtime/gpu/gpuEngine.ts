/**
 * Launches on WebGPU. Commands are batched: a launch only encodes, the batch is submitted when it
 * is full, when somebody reads or waits, or when a copy needs the order. What the GPU reports of
 * its launches (times, out-of-range accesses) arrives with the batch; faults are thrown at the next
 * read or wait, as CUDA does.
 *
 * Guarantee: a storage's `fresh` is true to what submitted and encoded commands will have done.
 */
import type { Target } from '../../../compiler/target';
import type { AdapterInfo, Calibration } from '../../events';
import { Backup } from './backup';
import { calibrate } from './calibration';
import { timingOf } from '../clock';
import { kernelOf, type Engine, type EngineEvents } from '../engine';
import type { EngineLaunch, Race, Replay, Unit } from '../engine';
import { RuntimeFault } from '../errors';
import type { GpuDevice } from './gpuDevice';
import { GpuFaults } from './gpuFaults';
import { isSliceable, type Slice } from './dispatches';
import { GpuMemory, lostError } from './gpuMemory';
import { LaunchEncoder } from './launchEncoder';
import { LaunchOutcomes } from './launchOutcomes';
import { computesOnCpu } from '../limits';
import { encodeInSlices, Pacing, programsOf } from './pacing';
import { Pipelines, type Pipeline } from './pipelines';
import { Recordings } from './recordings';
import { ClockRamp } from './clockRamp';
import { replayInTurn, replayRecording, type RecordedLaunch } from './replay';
import { cpuCopy, cpuPadded, markGpuWritten, type Block, type Storage } from '../storage';
import { isLoss, Submissions } from './submissions';
import { uniformBytes } from './uniforms';

/**
 * Bytes that are written between the runs of a benchmark: more than the caches hold. Triton writes
 * 256 MB, too; a CPU would take longer for that than for most kernels.
 */
const GPU_FLUSH = 256 * 2 ** 20;
const CPU_FLUSH = 16 * 2 ** 20;

export class GpuEngine implements Engine {
  readonly info: AdapterInfo;
  readonly target: Target;
  readonly bindingLimit: number;
  lost: string | null = null;

  private readonly device: GPUDevice;
  private readonly memory: GpuMemory;
  private readonly pipelines: Pipelines;
  private readonly encoder: LaunchEncoder;
  private readonly submissions: Submissions;
  private readonly outcomes: LaunchOutcomes;
  private readonly recordings = new Recordings();
  private readonly faults: GpuFaults;
  private readonly clocks: ClockRamp;
  /** Launches of a measurement that is under way, or that failed. */
  private repeated: readonly EngineLaunch[] = [];
  /** On software adapters. */
  private readonly pacing: Pacing | null;
  /** A launch that is on its way in slices: everything else waits for it. */
  private slicing: Promise<void> | null = null;

  readonly drained = (): Promise<void> => this.device.queue.onSubmittedWorkDone().then(() => {});

  constructor(
    private readonly gpu: GpuDevice,
    private readonly events: EngineEvents,
    pacing = gpu.target.slicedLaunches ? new Pacing() : null,
  ) {
    const { device, info, target, quantum } = gpu;
    this.device = device;
    this.info = info;
    this.clocks = new ClockRamp(!computesOnCpu(info));
    this.target = target;
    // One binding is the bounds report's.
    this.bindingLimit = Math.max(1, target.maxStorageBuffers - 1);
    this.faults = new GpuFaults(device);
    this.pacing = pacing;
    this.outcomes = new LaunchOutcomes(events, quantum, this.faults);
    this.submissions = new Submissions(
      device,
      (outcomes, submitted, now) => {
        for (const { launch, nanoseconds } of outcomes) {
          this.recordings.took(launch, nanoseconds);
          this.pacing?.took(launch, quantum === null ? (now - submitted) * 1e6 : nanoseconds);
        }
        this.outcomes.report(outcomes, submitted, now);
      },
      (error) =>
        this.faults.keep(new RuntimeFault('RuntimeError', `WebGPU failed: ${String(error)}`)),
    );
    this.encoder = new LaunchEncoder(device, target.maxWorkgroupsPerDimension);
    this.pipelines = new Pipelines(device);
    this.memory = new GpuMemory(device, this.submissions, {
      onUpload: (bytes, start, end) => events.onUpload?.(bytes, start, end),
      onOutOfMemory: (fault) => this.faults.keep(fault),
      onBlockGone: () => this.encoder.bindGroups.clear(),
    });
    void device.lost.then((why) => {
      this.lost = `${why.message || why.reason}`;
    });
  }

  async isLost(): Promise<boolean> {
    return this.lost !== null || isLoss(this.device);
  }

  unfinished(): readonly EngineLaunch[] {
    return [...this.submissions.unfinished(), ...this.repeated];
  }

  prepare(unit: Unit): void | Promise<void> {
    const pipeline = this.pipelines.get(kernelOf(unit));
    if (pipeline instanceof Promise) return pipeline.then(() => {});
  }

  launch(launch: EngineLaunch): void | Promise<void> {
    if (this.slicing) return this.slicing.then(() => this.launch(launch));
    const pipeline = this.pipelines.get(kernelOf(launch.unit));
    if (pipeline instanceof Promise)
      return pipeline.then((made) => this.launchWhenRoom(launch, made));
    return this.launchWhenRoom(launch, pipeline);
  }

  private launchWhenRoom(launch: EngineLaunch, pipeline: Pipeline): void | Promise<void> {
    const room = this.submissions.room();
    return room
      ? room.then(() => this.launchNow(launch, pipeline))
      : this.launchNow(launch, pipeline);
  }

  private launchNow(launch: EngineLaunch, pipeline: Pipeline): void | Promise<void> {
    const { boundsReport } = kernelOf(launch.unit);
    if (boundsReport?.accesses.some(({ kind }) => kind === 'wait'))
      return this.launchInTurn(launch, pipeline);
    const placed = this.place(launch);
    const sure = this.memory.sure(launch.groups);
    if (!sure) return this.encodePaced(launch, pipeline, placed);
    return sure.then(
      () => this.encodePaced(launch, pipeline, this.place(launch)),
      (fault: unknown) => {
        this.faults.dropFollowing();
        throw fault;
      },
    );
  }

  /**
   * Programs that wait for others, one after the other: in order, and where one waits for a later
   * one (the first program of stream-K gathers what the others did) once more, from the last to the
   * first.
   */
  private async launchInTurn(launch: EngineLaunch, pipeline: Pipeline): Promise<void> {
    const placed = this.place(launch);
    const written = kernelOf(launch.unit).bindings.flatMap(({ group, access }) =>
      access === 'read_write' && group !== 'shared' ? [placed[group]!] : [],
    );
    const { encoder, id } = this.submissions.open();
    for (const block of written) block.lastBatch = id;
    const backup = new Backup(this.device, encoder, written);
    this.encode(launch, pipeline, placed);
    await this.allDone();
    if (this.outcomes.takeEndless(launch)) {
      this.recordings.again(launch);
      backup.restore(this.submissions.open().encoder);
      this.encode(launch, pipeline, placed, { backwards: true });
      await this.allDone();
      const fault = this.outcomes.takeEndless(launch);
      if (fault) this.faults.keep(fault);
    }
    backup.destroy();
  }

  private allDone(): Promise<void> {
    this.submissions.flush();
    return this.submissions.done();
  }

  private place(launch: EngineLaunch): Block[] {
    return launch.groups.map((group, index) =>
      index === launch.arena ? this.memory.placeInArena(group) : this.memory.place(group),
    );
  }

  private encodePaced(
    launch: EngineLaunch,
    pipeline: Pipeline,
    placed: readonly Block[],
  ): void | Promise<void> {
    const { pacing } = this;
    if (!pacing || !isSliceable(kernelOf(launch.unit)))
      return this.encode(launch, pipeline, placed);
    const expected = pacing.expect(launch);
    if (pacing.fits(expected)) {
      pacing.add(launch, expected);
      return this.encode(launch, pipeline, placed);
    }
    this.slicing = this.encodeInSlices(pacing, launch, pipeline, placed).finally(() => {
      this.slicing = null;
    });
    return this.slicing;
  }

  private async encodeInSlices(
    pacing: Pacing,
    launch: EngineLaunch,
    pipeline: Pipeline,
    placed: readonly Block[],
  ): Promise<void> {
    await this.allDone();
    const cut = await encodeInSlices(pacing, launch, this.target.maxWorkgroupsPerDimension, {
      isLost: () => this.lost !== null,
      encode: (slice) => this.encode(launch, pipeline, placed, slice ? { slice } : {}),
      submit: () => this.submissions.part(),
    });
    if (cut) this.submissions.flush();
  }

  private encode(
    launch: EngineLaunch,
    pipeline: Pipeline,
    placed: readonly Block[],
    { backwards = false, slice }: { readonly backwards?: boolean; readonly slice?: Slice } = {},
  ): void {
    const { bindings, debugSites, uniforms } = kernelOf(launch.unit);
    const batch = this.submissions.openFor(uniformBytes(uniforms.length));
    const { arenaBytes } = this.memory;
    const records = this.recordings.recording;
    const encoding = { placed, arenaBytes, backwards, records, ...(slice ? { slice } : {}) };
    const recorded = this.encoder.encode(batch, launch, pipeline, encoding);
    if (slice && slice.end < programsOf(launch)) return;
    this.submissions.added(launch);
    if (recorded) this.recordings.add(recorded);
    if (debugSites) this.outcomes.prints(launch);
    for (const { group, access } of bindings) {
      if (access !== 'read_write' || group === 'shared') continue;
      for (const storage of launch.groups[group] ?? []) markGpuWritten(storage);
    }
    // Without timestamps the CPU's clock measures a launch, so every launch is submitted alone.
    // Queues of prints are large: not more than one a batch.
    if (this.gpu.quantum === null || debugSites) this.submissions.flush();
    else if (launch.untimed && !this.pacing) this.submissions.begin();
  }

  read(storage: Storage): void | Promise<void> {
    if (this.slicing) return this.slicing.then(() => this.read(storage));
    switch (storage.fresh) {
      case 'new':
      case 'cpu':
      case 'both':
        cpuCopy(storage);
        return;
      case 'lost':
        throw lostError(storage);
      case 'gpu':
        return this.readBack(storage);
      default:
        return unreachable(storage.fresh);
    }
  }

  private async readBack(storage: Storage): Promise<void> {
    const { block } = storage;
    if (!block) throw new Error('a GPU copy without a block');
    this.recordings.breakOff();
    const target = cpuPadded(storage);
    const staging = this.device.createBuffer({
      size: storage.size,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    const { encoder } = this.submissions.open();
    encoder.copyBufferToBuffer(block.buffer, storage.base, staging, 0, storage.size);
    this.submissions.flush();
    try {
      await staging.mapAsync(GPUMapMode.READ);
      target.set(new Uint8Array(staging.getMappedRange()));
      staging.unmap();
      storage.fresh = 'both';
    } catch (error) {
      if (!(await isLoss(this.device))) {
        this.faults.throwAll();
        throw new RuntimeFault('RuntimeError', `reading a tensor back failed: ${String(error)}`);
      }
    } finally {
      staging.destroy();
    }
    await this.settle();
  }

  /** Waits for what was submitted. @throws the faults that were reported. */
  private async settle(): Promise<void> {
    await this.submissions.done();
    this.faults.throwAll();
  }

  async synchronize(): Promise<void> {
    await this.slicing;
    this.submissions.flush();
    await this.settle();
    await this.device.queue.onSubmittedWorkDone();
    // Errors of the device arrive on their own channel, just behind.
    this.faults.throwAll();
  }

  release(storage: Storage): void {
    this.memory.release(storage);
  }

  benchBegin(): void {
    this.memory.hold();
    this.recordings.begin();
  }

  async benchEnd(milliseconds: number, replay: boolean, best?: number): Promise<Replay | null> {
    const launches = this.recordings.end();
    try {
      await this.synchronize();
      const { quantum } = this.gpu;
      if (!replay || !launches || quantum === null) return null;
      const flushBytes = computesOnCpu(this.info) ? CPU_FLUSH : GPU_FLUSH;
      const { samples, dropped } = await this.repeating(launches, () =>
        replayRecording(this.device, launches, milliseconds, quantum, {
          flushBytes,
          clocks: this.clocks,
          best,
        }),
      );
      const [only] = launches;
      if (launches.length === 1 && only && samples.length > 0) {
        this.events.onTime(only.launch, timingOf(samples, 'gpu', quantum));
      }
      return { samples, quantum, dropped };
    } finally {
      if (!this.recordings.recording) this.memory.unhold();
    }
  }

  /** Makes the launch. @returns null where it cannot be replayed. */
  private async recorded(launch: EngineLaunch): Promise<readonly RecordedLaunch[] | null> {
    this.recordings.begin();
    let recorded: readonly RecordedLaunch[] | null = null;
    try {
      await this.launch(launch);
    } finally {
      // After an error, too: else all that follows would be recorded.
      recorded = this.recordings.end();
    }
    return recorded;
  }

  async race(launches: readonly EngineLaunch[], rounds: number): Promise<Race | null> {
    const { quantum } = this.gpu;
    if (quantum === null) return null;
    this.memory.hold();
    try {
      const recordings: (readonly RecordedLaunch[])[] = [];
      for (const launch of launches) {
        const recorded = await this.recorded(launch);
        await this.synchronize();
        if (!recorded) return null;
        recordings.push(recorded);
      }
      const samples = await this.repeating(recordings.flat(), () =>
        replayInTurn(this.device, recordings, rounds, quantum, this.clocks),
      );
      return { samples, quantum };
    } finally {
      if (!this.recordings.recording) this.memory.unhold();
    }
  }

  private async repeating<T>(
    recorded: readonly RecordedLaunch[],
    measure: () => Promise<T>,
  ): Promise<T> {
    this.repeated = recorded.map(({ launch }) => launch);
    const measured = await measure();
    this.repeated = [];
    return measured;
  }

  async calibrate(): Promise<Calibration | null> {
    await this.synchronize();
    return this.lost === null ? calibrate(this.gpu) : null;
  }

  dispose(): void {
    this.memory.destroy();
    this.submissions.destroy();
    this.faults.destroy();
    this.device.destroy();
  }
}

function unreachable(fresh: never): never {
  throw new Error(`unknown freshness ${String(fresh)}`);
}
