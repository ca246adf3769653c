/**
 * A session: what the Python packages call (`Bridge`), over an engine. One session lives as long as
 * its Python; `begin` and `end` mark the runs of programs. Engines, compilations and pipelines
 * outlive a run, storages do not; what a run reports (`runReport.ts`) and launches (`launches.ts`)
 * is the run's own.
 *
 * Methods return a promise only where there is something to wait for; Python waits with `run_sync`.
 */
import type { Compiler } from '../../compiler/pipeline';
import { fillOf, otherFill } from '../../compiler/inspect/fill';
import type { CompilerServices, KernelProgram } from '../../compiler/program';
import type { ProgramEvent, RunOptions } from '../events';
import type { Bridge, HoldRequest, LaunchRequest, LaunchResponse } from '../workers/bridge';
import { CompileCache } from './compileCache';
import { COMPILER_VERSION } from './compilerVersion';
import type { Engine, EngineEvents, Replay } from './engine';
import { Engines, failedByLoss, lossOf, type EngineKind } from './engines';
import { formatBytes, RuntimeFault } from './errors';
import { denseCopy, type Holder } from './hold';
import { KeptCalibration, type TuningStore } from './keptCalibration';
import { keptAs, keptTuning } from './keptTexts';
import { Launches } from './launches';
import { InputKeeper, type SendInputs } from './launchInputs';
import { computesOnCpu, maxTotalBytes, resolveOptions, type ResolvedOptions } from './limits';
import { PreparedLaunches } from './prepared';
import { RunReport } from './runReport';
import { ScheduleTuner } from './scheduleTuner';
import { cpuCopy, markCpuWritten, StorageTable } from './storage';
import { numericName } from './trace';

/**
 * A tuning's key is a digest; calibrations, which stand beside them, are no program's to read or
 * write.
 */
const TUNING = /^[0-9a-f]{64}$/;

/** The most seconds for one launch's schedule, where tuning has no limit of its own. */
const SEARCH_SECONDS = 60;

const NO_CHECKS =
  'a check needs a browser in which Python can wait (WebAssembly JSPI), or a page that is ' +
  'cross-origin isolated';

/** Answer of `bench_end` where the engine measured nothing. */
const UNMEASURED = JSON.stringify({ clock: 'cpu' });

/** The bridge as it is registered: any method may have to wait. */
export type AsyncBridge = {
  [Name in keyof Bridge]: (
    ...args: Parameters<Bridge[Name]>
  ) => ReturnType<Bridge[Name]> | Promise<ReturnType<Bridge[Name]>>;
};

export interface SessionServices {
  readonly compiler: Compiler;
  /** A new engine of this kind; the interpreter (with a reason) where there is no WebGPU. */
  openEngine(kind: EngineKind, events: EngineEvents): Promise<Engine>;
  /** Keeps copies of tensors for the page; absent where there is none. */
  readonly holder?: Holder;
  /** Takes what launches got, for the page; absent where there is none. */
  readonly keepInputs?: SendInputs;
  /** The other side of a check; absent where there is none. */
  readonly exchange?: (text: string) => Promise<string>;
  /** Storage of tunings from run to run; absent where they are not kept. */
  readonly tunings?: TuningStore;
  /** Set once Python is there. */
  callConstexpr?: NonNullable<CompilerServices['callConstexpr']>;
}

/** A run does this to single launches beside making them. */
type LooksAtLaunches = Partial<Pick<RunOptions, 'check' | 'verify' | 'sample'>>;

export class Session implements AsyncBridge {
  private readonly engines: Engines;
  private readonly calibration: KeptCalibration;
  private readonly storages = new StorageTable(0);
  private readonly programs: KernelProgram[] = [];
  private readonly programIds = new Map<string, number>();
  /** Launches of CUDA graphs, each with its storages. */
  private readonly graphs = new Map<number, { launches: number[][]; replays: number }>();
  private lastGraph = 0;
  private readonly cache: CompileCache;
  private readonly prepared = new PreparedLaunches();
  private current: Engine | null = null;
  private options: ResolvedOptions | null = null;
  /** Report of the run; before the first one, of none. */
  private report: RunReport;
  private launches: Launches;

  constructor(private readonly services: SessionServices) {
    this.cache = new CompileCache(services.compiler);
    this.calibration = new KeptCalibration(services.tunings);
    // Engines outlive runs.
    this.engines = new Engines((kind, events) => services.openEngine(kind, events), {
      onTime: (launch, timing) => this.report.onTime(launch, timing),
      onPrint: (launch, prints, dropped) => this.report.onPrint(launch, prints, dropped),
      onDiagnostic: (found, launch) => this.report.onDiagnostic(found, launch),
      onPass: (...pass) => this.report.onPass(...pass),
      onUpload: (bytes, start, end) => this.report.onUpload(bytes, start, end),
    });
    this.report = this.reportTo(() => {}, false);
    this.launches = this.launchesOf(null, {}, null);
  }

  // ── runs ──────────────────────────────────────────────────────────────────────────────────────

  /** Starts a run. @returns the engine it runs on. */
  async begin(options: RunOptions, send: (event: ProgramEvent) => void): Promise<Engine> {
    const { holder, keepInputs } = this.services;
    holder?.begin();
    // The page shows it.
    this.report = this.reportTo(send, holder !== undefined || options.traces === true);
    const inputs = keepInputs
      ? new InputKeeper(keepInputs, options.keepInputs ?? false, options.keepEvery)
      : null;
    this.prepared.clear();
    this.current = await this.engines.get(options.adapter);
    this.options = resolveOptions(options, this.current.info);
    this.launches = this.launchesOf(inputs, options, this.tunerOf(this.options));
    const { maxBytes } = this.options;
    this.storages.maxBytes = maxBytes;
    this.storages.maxTotal = maxTotalBytes(maxBytes, this.current.info);
    return this.current;
  }

  private reportTo(send: (event: ProgramEvent) => void, traces: boolean): RunReport {
    return new RunReport(send, traces, () => this.calibration.of(this.current));
  }

  private tunerOf({ tuneChoices, tuneSeconds, ring }: ResolvedOptions): ScheduleTuner | null {
    if (!tuneChoices || ring) return null;
    const { compiler, tunings } = this.services;
    const seconds = Math.min(tuneSeconds, SEARCH_SECONDS);
    return new ScheduleTuner(tunings, compiler, seconds, (event) => this.report.send(event));
  }

  private launchesOf(
    inputs: InputKeeper | null,
    { check = false, verify, sample }: LooksAtLaunches,
    tuner: ScheduleTuner | null,
  ): Launches {
    const { services, storages, programs, cache, prepared, report } = this;
    return new Launches({
      engine: () => this.engine,
      storages,
      programs,
      compiler: services.compiler,
      cache,
      prepared,
      callConstexpr: services.callConstexpr,
      report,
      inputs,
      check,
      verify: verify ?? null,
      sample: sample ?? null,
      tuner,
    });
  }

  /** Reports what the adapter can do, where that is known; after `started`. */
  async reportCalibration(): Promise<void> {
    await this.calibration.find(this.engine, false);
    const calibration = this.calibration.of(this.engine);
    if (calibration) this.report.send({ type: 'calibration', calibration });
  }

  /** Measures what the adapter can do, where nothing is kept of an earlier run. */
  async calibrate(): Promise<void> {
    await this.calibration.find(this.current ?? (await this.engines.get('webgpu')), true);
  }

  /** Ends a run: waits for its launches and gives its memory back. @throws what they reported. */
  async end(): Promise<void> {
    try {
      const { current } = this;
      if (current?.lost === null) await this.guarded(() => current.synchronize());
      // Nobody reads a tensor any more: what is lost is what launches had to report.
      if (current?.lost && current.unfinished().length > 0) await this.recover();
    } finally {
      this.report.trace?.finish();
      for (const storage of this.storages.all()) this.storage_release(storage.id);
    }
  }

  engineFor(kind: EngineKind): Promise<Engine> {
    return this.engines.get(kind);
  }

  dispose(): void {
    this.engines.dispose();
  }

  /** The options of a run whose numbers are of the ring; null for another. */
  get inRing(): object | null {
    return this.options?.ring ? this.options : null;
  }

  private get engine(): Engine {
    if (!this.current) throw new RuntimeFault('RuntimeError', 'no program is running');
    return this.current;
  }

  /**
   * The device was lost: opens another, and keeps what the CPU has. The program goes on where
   * nothing was lost with it.
   * @throws where launches ran, or tensors were on the GPU alone.
   */
  private async recover(): Promise<void> {
    const lost = this.engine;
    const tensors = this.storages.all().filter((storage) => storage.loseBlock()).length;
    const harmless = tensors === 0 && lost.unfinished().length === 0;
    const loss = lossOf(lost, tensors);
    this.current = await this.engines.replace(lost);
    if (!harmless) throw loss;
  }

  /**
   * Work of the engine. What fails because the device is lost is reported as its loss, whatever
   * WebGPU says of it; a device that was lost before is replaced first.
   */
  private guarded<T>(work: () => T | Promise<T>): T | Promise<T> {
    if (this.current && this.current.lost !== null) return this.recover().then(work);
    const { current } = this;
    const failed = async (error: unknown): Promise<never> => {
      if (current && current === this.current && (await failedByLoss(current, error))) {
        const loss = lossOf(current, 0);
        await this.recover();
        throw loss;
      }
      throw error;
    };
    try {
      const made = work();
      return made instanceof Promise ? made.catch(failed) : made;
    } catch (error) {
      if (error instanceof RuntimeFault || !current?.isLost) throw error;
      return failed(error);
    }
  }

  // ── storages ──────────────────────────────────────────────────────────────────────────────────

  storage_create(bytes: number, low = 0, high = 0): number {
    const fill = fillOf(Number(low), Number(high));
    const used = this.options?.otherFill ? otherFill(fill) : fill;
    return this.storages.create(Number(bytes), used).id;
  }

  storage_address(id: number, host: boolean): number {
    const storage = this.storages.get(id);
    if (host) return storage.hostAddress;
    storage.exposed = true;
    return storage.address;
  }

  storage_read(id: number): Uint8Array | Promise<Uint8Array> {
    const storage = this.storages.get(id);
    return this.guarded(() => {
      const wait = this.report.traced('readback', formatBytes(storage.bytes), () =>
        this.engine.read(storage),
      );
      if (!wait) return cpuCopy(storage);
      return wait.then(async () => {
        if (this.engine.lost) await this.recover();
        await this.engine.read(storage);
        return cpuCopy(storage);
      });
    });
  }

  storage_bytes(id: number, use: 0 | 1 | 2): Uint8Array {
    const storage = this.storages.get(id);
    const bytes = cpuCopy(storage, use === 2);
    if (use !== 0) markCpuWritten(storage);
    return bytes;
  }

  storage_written(id: number): void {
    markCpuWritten(this.storages.get(id));
  }

  storage_release(id: number): void {
    const storage = this.storages.remove(id);
    this.launches.released();
    if (storage) this.current?.release(storage);
  }

  tensor_hold(text: string): string | Promise<string> {
    const { holder } = this.services;
    if (!holder) return '';
    const request = JSON.parse(text) as HoldRequest;
    if (!holder.hasRoom(request)) return '';
    const bytes = this.storage_read(request.storage);
    const keep = (read: Uint8Array): string => holder.hold(request, denseCopy(request, read));
    return bytes instanceof Promise ? bytes.then(keep) : keep(bytes);
  }

  // ── kernels ───────────────────────────────────────────────────────────────────────────────────

  program_register(text: string): number {
    let id = this.programIds.get(text);
    if (id === undefined) {
      id = this.programs.push(JSON.parse(text) as KernelProgram) - 1;
      this.programIds.set(text, id);
    }
    return id;
  }

  launch(text: string): string | Promise<string> {
    const parsed = JSON.parse(text) as LaunchRequest;
    const request: LaunchRequest = this.inRing ? { ...parsed, instrumentation: 'prove' } : parsed;
    try {
      const answer = this.guarded(() => this.launches.launch(request));
      return answer instanceof Promise
        ? answer.then((reported) => JSON.stringify(reported), refused)
        : JSON.stringify(answer);
    } catch (error) {
      return refused(error);
    }
  }

  relaunch(id: number, ...ids: number[]): string | Promise<string> {
    return this.again(id, ids, false);
  }

  private again(id: number, ids: readonly number[], untimed: boolean): string | Promise<string> {
    try {
      // A lost device is replaced by the launch that is requested anew.
      const wait = this.engine.lost
        ? 'anew'
        : this.guarded(() => this.launches.again(id, ids, untimed));
      return wait instanceof Promise ? wait.then((anew) => anew ?? '', refused) : (wait ?? '');
    } catch (error) {
      return refused(error);
    }
  }

  graph_create(text: string): number {
    const launches = JSON.parse(text) as number[][];
    this.graphs.set(++this.lastGraph, { launches, replays: 0 });
    return this.lastGraph;
  }

  graph_launch(id: number): string | Promise<string> {
    const graph = this.graphs.get(id);
    const launches = graph?.launches ?? [];
    // The first replay measures each launch. Passes of their own would make the later ones slower.
    const untimed = graph !== undefined && graph.replays++ > 0;
    const from = (first: number): string | Promise<string> => {
      for (let i = first; i < launches.length; i++) {
        const [prepared, ...ids] = launches[i]!;
        const answer = this.again(prepared!, ids, untimed);
        if (answer instanceof Promise)
          return answer.then((text) => (text === '' ? from(i + 1) : `${i} ${text}`));
        if (answer !== '') return `${i} ${answer}`;
      }
      return '';
    };
    return from(0);
  }

  graph_release(id: number): void {
    this.graphs.delete(id);
  }

  kernel_facts(key: string): string {
    return JSON.stringify(this.launches.facts(key));
  }

  kernel_ir(key: string, profile: string, question: string): string {
    return JSON.stringify(this.launches.askIr(key, profile, question));
  }

  /** @throws (rejects) what the launches reported. */
  synchronize(): string | Promise<string> {
    const wait = this.guarded(() =>
      this.report.traced('wait', 'synchronize', () => this.engine.synchronize()),
    );
    if (!wait) return '';
    return wait.then(async () => {
      if (this.engine.lost) await this.recover();
      return '';
    });
  }

  // ── timing ────────────────────────────────────────────────────────────────────────────────────

  bench_mark(on: boolean, silent = false): void {
    this.launches.benchmark(on, silent);
  }

  autotune_mark(on: boolean): void {
    this.launches.autotune(on);
  }

  bench_begin(): void {
    this.engine.benchBegin();
  }

  bench_end(milliseconds: number, cpuWork: boolean, best: number): string | Promise<string> {
    return this.guarded(() => {
      const replay = this.report.traced('wait', 'benchmark', () =>
        this.engine.benchEnd(milliseconds, !cpuWork, best > 0 ? best * 1e6 : undefined),
      );
      return replay ? replay.then((found) => this.measured(found)) : UNMEASURED;
    });
  }

  private async measured(replay: Replay | null): Promise<string> {
    if (!replay) return UNMEASURED;
    // Measurements are compared with what is possible.
    if (await this.calibration.find(this.engine, true)) await this.reportCalibration();
    return JSON.stringify({
      clock: 'gpu',
      dropped: replay.dropped,
      samples: replay.samples.map((nanoseconds) => nanoseconds / 1e6),
      quantum: replay.quantum / 1e6,
    });
  }

  profile_slot(slot: number): void {
    this.report.profile.slot = slot;
  }

  profile_times(): string {
    return JSON.stringify(this.report.profile.times());
  }

  tuned(key: string): string | Promise<string> {
    const { tunings } = this.services;
    if (!tunings || !TUNING.test(key)) return '';
    return keptAs(tunings, key, keptTuning).then((kept) => (kept ? JSON.stringify(kept) : ''));
  }

  remember_tuned(key: string, text: string): void {
    if (TUNING.test(key)) this.services.tunings?.set(key, text);
  }

  // ── events and facts ──────────────────────────────────────────────────────────────────────────

  capture_prints(on: boolean): string {
    return this.report.capture(on);
  }

  /** An operation of torch or numpy, computed on the CPU. */
  reportNumeric(request: string, start: number, end: number): void {
    this.report.trace?.span('torch', numericName(request), start, end);
  }

  emit(event: string): void {
    this.report.send(JSON.parse(event) as ProgramEvent);
  }

  exchange(text: string): string | Promise<string> {
    const { exchange } = this.services;
    if (!exchange) throw new RuntimeFault('RuntimeError', NO_CHECKS);
    return exchange(text);
  }

  environment(): string {
    const { info, target } = this.engine;
    const software = computesOnCpu(info);
    return JSON.stringify({
      adapter: info,
      target,
      software,
      compiler: COMPILER_VERSION,
      options: this.options,
    });
  }
}

/** What Python raises: as CUDA does, where memory is short. */
const KINDS = {
  MemoryError: 'OutOfMemoryError',
  IndexError: 'IndexError',
  RuntimeError: 'RuntimeError',
  ValueError: 'RuntimeError',
} as const satisfies Record<RuntimeFault['name'], string>;

/** A launch that went wrong, as a `LaunchResponse`. */
function refused(error: unknown): string {
  if (!(error instanceof RuntimeFault)) throw error;
  const response: LaunchResponse = {
    ok: false,
    kind: KINDS[error.name],
    message: error.message,
    diagnostics: error.diagnostics,
  };
  return JSON.stringify(response);
}
