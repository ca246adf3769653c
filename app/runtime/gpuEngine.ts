/**
 * Launches on WebGPU. Commands are batched: a launch only encodes, the batch is submitted when it is
 * full, when somebody reads or waits, or when a copy needs the order. What the GPU reports of its
 * launches (times, out-of-range accesses) arrives with the batch; faults are thrown at the next read
 * or wait, as CUDA does.
 *
 * Guarantee: a storage's `fresh` is true to what submitted and encoded commands will have done.
 */
import type { CompiledKernel } from '../../compiler/program';
import type { Target } from '../../compiler/target';
import type { AdapterInfo, Calibration } from '../events';
import { alignUp } from './addresses';
import { Backup } from './backup';
import { Batch } from './batch';
import { boundsDiagnostics, endless } from './bounds';
import { pathKey } from './arguments';
import { calibrate } from './calibration';
import { timingOf, timingOfOne } from './clock';
import { DEBUG_BYTES, readDebug, type Bases } from './debugReport';
import type { Engine, EngineEvents, EngineLaunch, Replay, Unit } from './engine';
import { RuntimeFault } from './errors';
import { GpuMemory, lostError, outOfMemory } from './gpuMemory';
import { isSoftware } from './limits';
import { type Dispatch, dispatchesOf, exchangeBytesOf } from './dispatches';
import { createBindGroup, Pipelines, reports, type Pipeline } from './pipelines';
import { replayRecording, type RecordedLaunch } from './replay';
import { cpuCopy, cpuPadded, markGpuWritten, type Block, type Storage } from './storage';
import { uniformBytes, UniformPacker } from './uniforms';

/** Batches that may be on their way before a launch waits for the oldest. */
const BATCHES_IN_FLIGHT = 4;
/** Cached bind groups; beyond it the cache starts anew. */
const BIND_GROUPS = 4096;

/** Bytes that are written between the runs of a benchmark: more than the caches hold. Triton writes 256 MB,
 * too; a CPU would take longer for that than for most kernels. */
const HARDWARE_FLUSH = 256 * 2 ** 20;
const SOFTWARE_FLUSH = 16 * 2 ** 20;
/** Launches of a row that have a pass, and a time, of their own; those behind them share one. */
const TIMED_ALONE = 8;
/** Milliseconds between a failed mapping and the news that the device is lost. */
const LOSS_PATIENCE = 200;

export interface GpuDevice {
  readonly device: GPUDevice;
  readonly info: AdapterInfo;
  readonly target: Target;
  /** Nanoseconds; null without timestamps. */
  readonly quantum: number | null;
}

interface Recording {
  readonly launches: RecordedLaunch[];
  /** Something else than a launch happened in it, so it cannot be replayed. */
  broken: boolean;
}

export class GpuEngine implements Engine {
  readonly info: AdapterInfo;
  readonly target: Target;
  readonly bindingLimit: number;
  lost: string | null = null;

  private readonly device: GPUDevice;
  private readonly memory: GpuMemory;
  private readonly pipelines: Pipelines;
  private batch: Batch<EngineLaunch> | null = null;
  private readonly idle: Batch<EngineLaunch>[] = [];
  private batchCount = 0;
  private ringCount = 0;
  private readonly inFlight = new Map<Promise<void>, readonly EngineLaunch[]>();
  private encoded: EngineLaunch[] = [];
  private faults: RuntimeFault[] = [];
  private readonly bindGroups = new Map<string, GPUBindGroup>();
  /** The one that was asked for last: launches in a row need no look-up. */
  private lastBound: {
    readonly pipeline: number;
    readonly ring: number;
    readonly blocks: readonly number[];
    readonly group: GPUBindGroup;
  } | null = null;
  /** Open recordings, the innermost last: what is measured may itself tune a kernel. */
  private readonly recordings: Recording[] = [];
  private readonly recorded = new WeakMap<EngineLaunch, RecordedLaunch>();
  private lastDone = 0;
  private readonly packers = new WeakMap<Unit, UniformPacker>();
  private last: { unit: Unit | null; grid: readonly number[]; count: number } = {
    unit: null,
    grid: [],
    count: 0,
  };
  private readonly bases = new WeakMap<EngineLaunch, Bases>();
  private exchange: Block | null = null;
  /** Launches with a program that would wait forever. */
  private readonly endlessWaits = new Map<EngineLaunch, RuntimeFault>();

  constructor(
    private readonly gpu: GpuDevice,
    private readonly events: EngineEvents,
  ) {
    this.device = gpu.device;
    this.info = gpu.info;
    this.target = gpu.target;
    // One binding is the bounds report's.
    this.bindingLimit = Math.max(1, gpu.target.maxStorageBuffers - 1);
    this.memory = new GpuMemory(
      this.device,
      {
        encoder: () => {
          const { encoder, id } = this.open();
          return { encoder, id };
        },
        flush: () => this.flush(),
        batch: () => this.open().id,
        openBatch: () => this.batch?.id ?? -1,
        onUpload: (bytes, start, end) => events.onUpload?.(bytes, start, end),
      },
      (error) => this.faults.push(error),
    );
    this.memory.onBlockGone = () => {
      this.bindGroups.clear();
      this.lastBound = null;
    };
    this.pipelines = new Pipelines(this.device);
    void this.device.lost.then((info) => {
      this.lost = `${info.message || info.reason}`;
    });
    this.device.addEventListener('uncapturederror', (event) => {
      const { error } = event as GPUUncapturedErrorEvent;
      this.faults.push(
        error.constructor.name === 'GPUOutOfMemoryError'
          ? outOfMemory(null)
          : new RuntimeFault('RuntimeError', `WebGPU refused a command: ${error.message}`),
      );
    });
  }

  unfinished(): readonly EngineLaunch[] {
    return [...[...this.inFlight.values()].flat(), ...this.encoded];
  }

  prepare(unit: Unit): void | Promise<void> {
    const pipeline = this.pipelines.get(kernelOf(unit));
    if (pipeline instanceof Promise) return pipeline.then(() => {});
  }

  launch(launch: EngineLaunch): void | Promise<void> {
    const pipeline = this.pipelines.get(kernelOf(launch.unit));
    if (pipeline instanceof Promise)
      return pipeline.then((made) => this.launchWhenRoom(launch, made));
    return this.launchWhenRoom(launch, pipeline);
  }

  private launchWhenRoom(launch: EngineLaunch, pipeline: Pipeline): void | Promise<void> {
    if (this.inFlight.size >= BATCHES_IN_FLIGHT) {
      return Promise.race(this.inFlight.keys()).then(() => this.launchNow(launch, pipeline));
    }
    return this.launchNow(launch, pipeline);
  }

  private launchNow(launch: EngineLaunch, pipeline: Pipeline): void | Promise<void> {
    const { boundsReport } = kernelOf(launch.unit);
    if (boundsReport?.accesses.some(({ kind }) => kind === 'wait'))
      return this.launchInTurn(launch, pipeline);
    const placed = this.place(launch);
    const sure = this.memory.sure(launch.groups);
    if (!sure) return this.encode(launch, pipeline, placed);
    return sure.then(
      () => this.encode(launch, pipeline, this.place(launch)),
      (fault: unknown) => {
        // What was to be written to it was refused.
        this.faults = this.faults.filter((each) => !followsFault(each));
        throw fault;
      },
    );
  }

  /**
   * Programs that wait for others, one after the other: in order, and where one waits for a later one
   * (the first program of stream-K gathers what the others did) once more, from the last to the first.
   */
  private async launchInTurn(launch: EngineLaunch, pipeline: Pipeline): Promise<void> {
    const placed = this.place(launch);
    const written = kernelOf(launch.unit).bindings.flatMap(({ group, access }) =>
      access === 'read_write' && group !== 'exchange' ? [placed[group]!] : [],
    );
    const { encoder, id } = this.open();
    for (const block of written) block.lastBatch = id;
    const backup = new Backup(this.device, encoder, written);
    this.encode(launch, pipeline, placed);
    await this.allDone();
    if (this.endlessWaits.delete(launch)) {
      const recording = this.recordings.at(-1);
      if (recording?.launches.at(-1)?.launch === launch) recording.launches.pop();
      backup.restore(this.open().encoder);
      this.encode(launch, pipeline, placed, true);
      await this.allDone();
      const fault = this.endlessWaits.get(launch);
      this.endlessWaits.delete(launch);
      if (fault) this.faults.push(fault);
    }
    backup.destroy();
  }
  private async allDone(): Promise<void> {
    this.flush();
    await Promise.all(this.inFlight.keys());
  }

  private place(launch: EngineLaunch): Block[] {
    return launch.groups.map((group, index) =>
      index === launch.arena ? this.memory.placeInArena(group) : this.memory.place(group),
    );
  }

  private encode(
    launch: EngineLaunch,
    pipeline: Pipeline,
    before: readonly Block[],
    backwards = false,
  ): void {
    const kernel = kernelOf(launch.unit);
    const hadRoom = !this.batch || this.batch.hasRoom(uniformBytes(kernel.uniforms.length));
    if (!hadRoom) this.flush();
    // Blocks stay where they are; what is not fresh any more is uploaded again.
    const placed = hadRoom && !backwards ? before : this.place(launch);
    const { arenaBytes } = this.memory;
    const plan = dispatchesOf(kernel, launch.grid, this.target.maxWorkgroupsPerDimension);
    if (backwards) plan.reverse();
    const blocks = kernel.bindings.map(({ group }) => {
      if (group === 'exchange') return this.exchangeFor(kernel, plan);
      const block = placed[group];
      if (!block) throw new Error(`${kernel.name} binds group ${group}, which is not there`);
      return block;
    });
    const batch = this.open();
    for (const block of blocks) block.lastBatch = batch.id;
    const packer = this.packerOf(launch);
    const wordsOf = (first: number, report = 0): Uint32Array<ArrayBuffer> =>
      packer.pack(launch.leaves, launch.grid, first, arenaBytes, report);
    const immediates = kernel.immediates === true;
    const words =
      plan.length > 1 && !immediates ? plan.map(({ first }) => wordsOf(first).slice()) : null;
    const debug = kernel.debugSites !== undefined;
    const row = this.rowOf(launch, debug);
    const pass = batch.add(
      launch,
      immediates ? null : (words?.[0] ?? wordsOf(0)),
      kernel.boundsReport !== null,
      row > TIMED_ALONE,
    );
    const queue = debug ? batch.beginDebug(DEBUG_BYTES) : null;
    if (queue) this.bases.set(launch, basesOf(launch));
    this.encoded.push(launch);
    const many = words ? batch.own(this.uniformSlots(words)) : null;
    const bindGroup =
      many || queue
        ? createBindGroup(
            this.device,
            pipeline,
            kernel,
            blocks,
            many ?? batch.uniforms,
            queue ?? batch.reports,
          )
        : this.bindGroup(pipeline, launch.unit, blocks, batch);
    // A pass that this launch joins has the pipeline.
    if (row <= TIMED_ALONE || batch.passLaunches === 1) pass.setPipeline(pipeline.pipeline);
    const reporting = reports(kernel);
    for (let index = 0; index < plan.length; index++) {
      const { first, workgroups } = plan[index]!;
      if (immediates) {
        batch.bind(bindGroup);
        // The buffer, not its view: Dawn's module for Node takes a microsecond longer for a view.
        pass.setImmediates(0, wordsOf(first, queue ? 0 : batch.reportOffset / 4).buffer);
      } else {
        const offset = many ? index * slotBytes(words![index]!) : batch.uniformOffset;
        const offsets = reporting ? [offset, queue ? 0 : batch.reportOffset] : [offset];
        pass.setBindGroup(0, bindGroup, offsets);
      }
      const [x, y, z] = workgroups;
      pass.dispatchWorkgroups(x, y, z);
    }
    if (queue) batch.endDebug(queue);
    for (const { group, access } of kernel.bindings) {
      if (access !== 'read_write' || group === 'exchange') continue;
      for (const storage of launch.groups[group] ?? []) markGpuWritten(storage);
    }
    const recording = this.recordings.at(-1);
    if (recording) {
      const nanoseconds = null;
      const dispatches = plan.map(({ workgroups, first }, i) => ({
        words: words?.[i] ?? wordsOf(first).slice(),
        workgroups,
      }));
      const made = { launch, pipeline, kernel, blocks, dispatches, nanoseconds };
      recording.launches.push(made);
      this.recorded.set(launch, made);
    }
    // Without timestamps the CPU's clock measures a launch, so every launch is submitted alone.
    // Queues of prints are large: not more than one a batch.
    if (this.gpu.quantum === null || queue) this.flush();
  }

  private packerOf({ unit, leaves }: EngineLaunch): UniformPacker {
    let packer = this.packers.get(unit);
    if (!packer) {
      packer = new UniformPacker(kernelOf(unit).uniforms, leaves);
      this.packers.set(unit, packer);
    }
    return packer;
  }

  /** How many launches of this unit on this grid stand in a row, this one included. */
  private rowOf({ unit, grid }: EngineLaunch, alone: boolean): number {
    const { last } = this;
    const same = last.unit === unit && last.grid.every((size, axis) => size === grid[axis]);
    const count = same && !alone && this.recordings.length === 0 ? last.count + 1 : 1;
    this.last = { unit, grid, count };
    return count;
  }

  /** The buffer that the programs of one dispatch exchange through: one for all launches, it grows. */
  private exchangeFor(kernel: CompiledKernel, plan: readonly Dispatch[]): Block {
    const programs = Math.max(...plan.map(({ workgroups: [x, y, z] }) => x * y * z));
    const needed = programs * exchangeBytesOf(kernel);
    if (this.exchange && this.exchange.size >= needed) return this.exchange;
    // Launches that were encoded before keep the old one alive.
    const size = 2 ** Math.ceil(Math.log2(needed));
    const buffer = this.device.createBuffer({ size, usage: GPUBufferUsage.STORAGE });
    const id = -1 - Math.log2(size);
    this.exchange = { id, buffer, size, members: new Set(), lastBatch: 0 };
    return this.exchange;
  }

  /** A uniform buffer with the words of many dispatches, `slotBytes` apart. */
  private uniformSlots(words: readonly Uint32Array[]): GPUBuffer {
    const stride = slotBytes(words[0]!);
    const buffer = this.device.createBuffer({
      size: words.length * stride,
      usage: GPUBufferUsage.UNIFORM,
      mappedAtCreation: true,
    });
    const mapped = new Uint32Array(buffer.getMappedRange());
    words.forEach((each, index) => mapped.set(each, (index * stride) / 4));
    buffer.unmap();
    return buffer;
  }

  private bindGroup(
    pipeline: Pipeline,
    unit: Unit,
    blocks: readonly Block[],
    batch: Batch<EngineLaunch>,
  ): GPUBindGroup {
    const { lastBound } = this;
    if (
      lastBound?.pipeline === pipeline.id &&
      lastBound.ring === batch.ring &&
      blocks.every(({ id }, i) => id === lastBound.blocks[i])
    )
      return lastBound.group;
    const ids = blocks.map((block) => block.id);
    const key = `${pipeline.id}/${batch.ring}/${ids.join(',')}`;
    const group =
      this.bindGroups.get(key) ?? this.makeBindGroup(key, pipeline, unit, blocks, batch);
    this.lastBound = { pipeline: pipeline.id, ring: batch.ring, blocks: ids, group };
    return group;
  }

  private makeBindGroup(
    key: string,
    pipeline: Pipeline,
    unit: Unit,
    blocks: readonly Block[],
    batch: Batch<EngineLaunch>,
  ): GPUBindGroup {
    const kernel = kernelOf(unit);
    const made = createBindGroup(
      this.device,
      pipeline,
      kernel,
      blocks,
      batch.uniforms,
      batch.reports,
    );
    if (this.bindGroups.size >= BIND_GROUPS) this.bindGroups.clear();
    this.bindGroups.set(key, made);
    return made;
  }

  private open(): Batch<EngineLaunch> {
    if (!this.batch) {
      const used = this.idle.pop();
      const id = ++this.batchCount;
      if (used) used.reopen(id);
      this.batch = used ?? new Batch(this.device, ++this.ringCount, id);
    }
    return this.batch;
  }

  private flush(): void {
    const { batch } = this;
    if (!batch) return;
    this.batch = null;
    const launches = this.encoded;
    this.encoded = [];
    const submitted = performance.now();
    const done = batch.submit().then(
      (outcomes) => {
        const now = performance.now();
        for (const { launch, report, debug, nanoseconds, together, pass } of outcomes) {
          if (pass) this.events.onPass?.(launch, together, ...pass, now);
          if (debug) this.checkDebug(launch, debug);
          if (report) this.checkReport(launch, report);
          const recorded = this.recorded.get(launch);
          if (recorded) recorded.nanoseconds = nanoseconds;
          if (nanoseconds !== null && this.gpu.quantum !== null) {
            this.events.onTime(launch, timingOfOne(nanoseconds, this.gpu.quantum, together));
          } else if (this.gpu.quantum === null) {
            const since = Math.max(submitted, this.lastDone);
            this.events.onTime(launch, timingOf([(now - since) * 1e6], 'cpu', 100_000));
          }
        }
        this.lastDone = now;
        this.idle.push(batch);
        this.inFlight.delete(done);
      },
      async (error: unknown) => {
        // A lost device rejects the mapping, perhaps before it says so itself. Its launches stay
        // unfinished: the session tells of them.
        await Promise.race([this.device.lost, sleep(LOSS_PATIENCE)]);
        if (this.lost !== null) return;
        this.faults.push(new RuntimeFault('RuntimeError', `WebGPU failed: ${String(error)}`));
        this.inFlight.delete(done);
      },
    );
    this.inFlight.set(done, launches);
  }

  private checkDebug(launch: EngineLaunch, queue: Uint32Array): void {
    const bases = this.bases.get(launch) ?? new Map<string, number>();
    const { prints, dropped, failure } = readDebug(launch, queue, bases);
    if (prints.length > 0 || dropped > 0) this.events.onPrint(launch, prints, dropped);
    if (failure) this.faults.push(failure);
  }

  private checkReport(launch: EngineLaunch, report: Uint32Array): void {
    for (const found of boundsDiagnostics(launch, report)) {
      const fault = endless(found);
      if (fault) this.endlessWaits.set(launch, fault);
      else this.events.onDiagnostic(found, launch);
    }
  }

  read(storage: Storage): void | Promise<void> {
    switch (storage.fresh) {
      case 'zero':
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
    const recording = this.recordings.at(-1);
    if (recording) recording.broken = true;
    const target = cpuPadded(storage);
    const staging = this.device.createBuffer({
      size: storage.size,
      usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ,
    });
    this.open().encoder.copyBufferToBuffer(block.buffer, storage.base, staging, 0, storage.size);
    this.flush();
    try {
      await staging.mapAsync(GPUMapMode.READ);
      target.set(new Uint8Array(staging.getMappedRange()));
      staging.unmap();
      storage.fresh = 'both';
    } catch (error) {
      await Promise.race([this.device.lost, sleep(LOSS_PATIENCE)]);
      if (this.lost === null) {
        this.throwFaults();
        throw new RuntimeFault('RuntimeError', `reading a tensor back failed: ${String(error)}`);
      }
    } finally {
      staging.destroy();
    }
    await this.settle();
  }

  /** Waits for what was submitted. @throws the faults that were reported. */
  private async settle(): Promise<void> {
    await Promise.all(this.inFlight.keys());
    this.throwFaults();
  }

  private throwFaults(): void {
    const first = this.faults.find(({ name }) => name === 'MemoryError') ?? this.faults[0];
    if (!first) return;
    const diagnostics = this.faults.flatMap((fault) => fault.diagnostics);
    this.faults = [];
    throw new RuntimeFault(
      first.name as RuntimeFault['name'] & 'RuntimeError',
      first.message,
      diagnostics,
    );
  }

  async synchronize(): Promise<void> {
    this.flush();
    await this.settle();
    await this.device.queue.onSubmittedWorkDone();
    // Errors of the device arrive on their own channel, just behind.
    this.throwFaults();
  }

  release(storage: Storage): void {
    this.memory.release(storage);
  }

  benchBegin(): void {
    this.memory.hold();
    const outer = this.recordings.at(-1);
    if (outer) outer.broken = true;
    this.recordings.push({ launches: [], broken: false });
  }

  async benchEnd(milliseconds: number, replay: boolean, best?: number): Promise<Replay | null> {
    const { launches, broken } = this.recordings.pop() ?? { launches: [], broken: true };
    try {
      await this.synchronize();
      const { quantum } = this.gpu;
      if (!replay || broken || launches.length === 0 || quantum === null) return null;
      const { samples, dropped } = await replayRecording(
        this.device,
        launches,
        milliseconds,
        quantum,
        { flushBytes: isSoftware(this.info) ? SOFTWARE_FLUSH : HARDWARE_FLUSH, best },
      );
      const [only] = launches;
      if (launches.length === 1 && only && samples.length > 0) {
        this.events.onTime(only.launch, timingOf(samples, 'gpu', quantum));
      }
      return { samples, quantum, dropped };
    } finally {
      if (this.recordings.length === 0) this.memory.unhold();
    }
  }

  async calibrate(): Promise<Calibration | null> {
    await this.synchronize();
    return this.lost === null ? calibrate(this.gpu) : null;
  }

  dispose(): void {
    this.memory.destroy();
    this.batch?.destroy();
    for (const batch of this.idle) batch.destroy();
    this.device.destroy();
  }
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Bytes between the words of one dispatch and those of the next: WebGPU's alignment of offsets. */
function slotBytes(words: Uint32Array): number {
  return alignUp(words.byteLength, 256);
}

function basesOf(launch: EngineLaunch): Bases {
  const bases = new Map<string, number>();
  for (const leaf of launch.leaves)
    if (leaf.kind === 'pointer') bases.set(pathKey(leaf.path), leaf.storage.base);
  return bases;
}

function kernelOf(unit: Unit): NonNullable<Unit['kernel']> {
  if (!unit.kernel) throw new Error(`${unit.name} was not compiled for a GPU`);
  return unit.kernel;
}

function unreachable(fresh: never): never {
  throw new Error(`unknown freshness ${String(fresh)}`);
}

/** Whether WebGPU refused something only because what it needs was refused before. */
function followsFault({ message }: RuntimeFault): boolean {
  return /Invalid Buffer|invalid due to a previous error/.test(message);
}
