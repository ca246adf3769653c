/**
 * A session: what the Python packages call (`Bridge`), over an engine. One session lives as long as its
 * Python; `begin` and `end` mark the runs of programs. Compilations and pipelines outlive a run,
 * storages do not.
 *
 * Methods return a promise only where there is something to wait for; Python waits with `run_sync`.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import { MESSAGES } from '../../compiler/codes';
import type { Compiler } from '../../compiler/pipeline';
import type { CompilerServices, KernelProgram, Specialization } from '../../compiler/program';
import type { Calibration, ProgramEvent, RunOptions, Timing, TraceTrack } from '../events';
import type {
  Bridge,
  HoldRequest,
  LaunchRequest,
  LaunchResponse,
  LaunchValue,
} from '../workers/bridge';
import { digest } from './key';
import { denseCopy, type Holder } from './hold';
import { flattenArguments, type Leaf } from './arguments';
import { checkLaunch } from './checkLaunch';
import { CALIBRATION_VERSION } from './calibration';
import { CompileCache, type CompiledUnit } from './compileCache';
import { compileInGroups } from './compileInGroups';
import { achieved, floatOperations, launchCost } from './cost';
import { COMPILER_VERSION } from './compilerVersion';
import { devicePrintText } from './devicePrint';
import type { Engine, EngineEvents, EngineLaunch, Unit } from './engine';
import { diagnostic, formatBytes, RuntimeFault, siteLocation } from './errors';
import { isSoftware, resolveOptions, type ResolvedOptions } from './limits';
import type { Partition } from './grouping';
import { InputKeeper, type SendInputs } from './launchInputs';
import { PreparedLaunches } from './prepared';
import { cpuCopy, markCpuWritten, StorageTable, type Storage } from './storage';
import { ProfileTimes } from './profileTimes';
import { numericName, Trace } from './trace';

/** The bridge as it is registered: any method may have to wait. */
export type AsyncBridge = {
  [Name in keyof Bridge]: (
    ...args: Parameters<Bridge[Name]>
  ) => ReturnType<Bridge[Name]> | Promise<ReturnType<Bridge[Name]>>;
};

/** Texts by key, kept beyond the page or the process. */
export interface TuningStore {
  /** '' where there is none, or it cannot be read. */
  get(key: string): Promise<string>;
  set(key: string, text: string): void;
}

export interface SessionServices {
  readonly compiler: Compiler;
  /** A new engine of this kind; the interpreter (with a reason) where there is no WebGPU. */
  openEngine(kind: RunOptions['adapter'], events: EngineEvents): Promise<Engine>;
  /** Keeps copies of tensors for the page; absent where there is none. */
  readonly holder?: Holder;
  /** Takes what launches got, for the page; absent where there is none. */
  readonly keepInputs?: SendInputs;
  /** Where tunings are kept from run to run; absent where they are not. */
  readonly tunings?: TuningStore;
  /** Set once Python is there. */
  callConstexpr?: NonNullable<CompilerServices['callConstexpr']>;
}

/** CUDA's limit of the grid's y and z. */
const CUDA_GRID_YZ = 65_535;

export class Session implements AsyncBridge {
  private readonly engines = new Map<RunOptions['adapter'], Engine>();
  private readonly storages = new StorageTable(0);
  private readonly programs: { text: string; program: KernelProgram }[] = [];
  private readonly programIds = new Map<string, number>();
  private readonly cache: CompileCache;
  private current: Engine | null = null;
  private options: ResolvedOptions | null = null;
  private send: (event: ProgramEvent) => void = () => {};
  private nextLaunch = 1;
  private inputs: InputKeeper | null = null;
  private told = new Set<string>();
  /** Of compilations, not yet told to Python. */
  private warned: NonNullable<(LaunchResponse & { ok: true })['warnings']>[number][] = [];
  /** What kernels print, where the program asks for it. */
  private captured: string[] | null = null;
  /** Benchmarks that are being measured, one inside the other. */
  private benchmarks = 0;
  private readonly prepared = new PreparedLaunches();
  /** What was compiled in this run, by key. */
  private readonly units = new Map<string, CompiledUnit & { ok: true }>();
  /** Of `current`, once it is known. */
  private calibration: Calibration | null = null;
  private trace: Trace | null = null;
  private profile = new ProfileTimes();
  private calibrated: Engine | null = null;

  constructor(private readonly services: SessionServices) {
    this.cache = new CompileCache(services.compiler);
  }

  // ── runs ──────────────────────────────────────────────────────────────────────────────────────

  /** Starts a run. @returns the engine it runs on. */
  async begin(options: RunOptions, send: (event: ProgramEvent) => void): Promise<Engine> {
    this.send = send;
    this.told = new Set();
    this.warned = [];
    this.nextLaunch = 1;
    const { keepInputs } = this.services;
    this.inputs = keepInputs ? new InputKeeper(keepInputs, options.keepInputs ?? false) : null;
    this.benchmarks = 0;
    this.captured = null;
    this.services.holder?.begin();
    // The page looks at it.
    this.trace = this.services.holder ? new Trace(send) : null;
    this.prepared.clear();
    this.profile = new ProfileTimes();
    this.units.clear();
    const before = this.current;
    this.current = await this.engineFor(options.adapter);
    if (this.current !== before) this.calibration = this.calibrated = null;
    this.options = resolveOptions(options, this.current.info);
    this.storages.maxBytes = this.options.maxBytes;
    return this.current;
  }

  /** Tells what the adapter can do, where that is known; after `started`. */
  async tellCalibration(): Promise<void> {
    await this.calibrate(false);
    if (this.calibration) this.send({ type: 'calibration', calibration: this.calibration });
  }

  /** @param measures where nothing is kept of an earlier run. */
  async calibrate(measures: boolean): Promise<void> {
    const engine = this.current ?? (await this.engineFor('webgpu'));
    if (this.calibrated === engine || engine.info.kind === 'interpreter') return;
    const { name, vendor, architecture } = engine.info;
    // A browser that offers more, or a toggle, raises the roof of halves.
    const { f16, subgroupMatrices } = engine.target;
    const facts = [CALIBRATION_VERSION, name, vendor, architecture, f16, subgroupMatrices];
    const key = `calibration-${digest(JSON.stringify(facts))}`;
    const kept = (await this.services.tunings?.get(key)) ?? '';
    if (kept === '' && !measures) return;
    this.calibrated = engine;
    if (kept !== '') {
      this.calibration = { ...(JSON.parse(kept) as Calibration), fromCache: true };
      return;
    }
    this.calibration = await engine.calibrate();
    // A CPU's roofs are those of a moment: it has other work.
    if (this.calibration && !isSoftware(engine.info))
      this.services.tunings?.set(key, JSON.stringify(this.calibration));
  }

  /** Ends a run: waits for its launches and gives its memory back. @throws what they reported. */
  async end(): Promise<void> {
    try {
      await this.current?.synchronize();
      if (this.current?.lost) await this.recover();
    } finally {
      this.trace?.finish();
      for (const storage of [...this.storages.all()]) this.storage_release(storage.id);
    }
  }

  async engineFor(kind: RunOptions['adapter']): Promise<Engine> {
    let engine = this.engines.get(kind);
    if (!engine || engine.lost) {
      engine = await this.services.openEngine(kind, {
        onTime: (launch, timing) => this.tellTime(launch, timing),
        onPrint: ({ id, unit }, prints, dropped) => {
          if (this.captured) this.captured.push(devicePrintText(prints, dropped));
          else this.send({ type: 'device-print', launch: id, kernel: unit.name, prints, dropped });
        },
        onDiagnostic: (found, launch) => this.report(found, launch),
        onPass: ({ id, unit }, together, begin, end, arrived) => {
          const name = together > 1 ? `${unit.name} × ${together}` : unit.name;
          this.trace?.pass(name, id, begin, end, arrived);
        },
        onUpload: (bytes, start, end) => this.trace?.span('upload', formatBytes(bytes), start, end),
      });
      this.engines.set(kind, engine);
    }
    return engine;
  }

  dispose(): void {
    for (const engine of this.engines.values()) engine.dispose();
    this.engines.clear();
  }

  private get engine(): Engine {
    if (!this.current) throw new RuntimeFault('RuntimeError', 'no program is running');
    return this.current;
  }

  // ── storages ──────────────────────────────────────────────────────────────────────────────────

  storage_create(bytes: number): number {
    return this.storages.create(Number(bytes)).id;
  }

  storage_address(id: number, host: boolean): number {
    const storage = this.storages.get(id);
    if (host) return storage.hostAddress;
    storage.exposed = true;
    return storage.address;
  }

  storage_read(id: number): Uint8Array | Promise<Uint8Array> {
    const storage = this.storages.get(id);
    if (this.engine.lost) return this.recover();
    const wait = this.traced('readback', formatBytes(storage.bytes), () =>
      this.engine.read(storage),
    );
    if (!wait) return cpuCopy(storage);
    return wait.then(() => (this.engine.lost ? this.recover() : cpuCopy(storage)));
  }

  storage_written(id: number): void {
    markCpuWritten(this.storages.get(id));
  }

  storage_release(id: number): void {
    const storage = this.storages.remove(id);
    this.prepared.released();
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
      id = this.programs.push({ text, program: JSON.parse(text) as KernelProgram }) - 1;
      this.programIds.set(text, id);
    }
    return id;
  }

  launch(text: string): string | Promise<string> {
    const request = JSON.parse(text) as LaunchRequest;
    try {
      if (this.engine.lost) return this.recover().catch(respond);
      const result = this.start(request);
      return result instanceof Promise ? result.catch(respond) : result;
    } catch (error) {
      return respond(error);
    }
  }

  private start(request: LaunchRequest): string | Promise<string> {
    const registered = this.programs[request.program];
    if (!registered) throw new RuntimeFault('RuntimeError', `no program ${request.program}`);
    const specialization = request.specialization as Specialization;
    const leaves = flattenArguments(
      specialization,
      request.values,
      request.labels,
      (id) => this.storages.get(id),
      request.warmup,
    );
    const start = performance.now();
    const { unit, parts, plain } = compileInGroups(
      {
        cache: this.cache,
        engine: this.engine,
        exposed: () => this.storages.exposed(),
        services: this.compilerServices(),
      },
      request,
      registered.program,
      specialization,
      leaves,
    );
    this.tellCompiled(unit);
    this.tellCompileTime(unit, start);
    if (!unit.ok) return JSON.stringify(unit.response);
    const ready = this.traced('pipeline', unit.unit.name, () => this.engine.prepare(unit.unit));
    if (request.ahead) {
      // What goes wrong is told when it is waited for.
      ready?.catch(() => {});
      const operations = floatOperations(unit.unit, leaves, request.grid);
      return this.respondTo(unit, null, 0, operations);
    }
    const run = (): string | Promise<string> => {
      if (request.warmup) return this.respondTo(unit);
      const repeatable =
        plain && parts.arena === null && !this.options?.check && request.grid.every((n) => n > 0);
      const prepared = repeatable
        ? this.prepared.add(request, unit, leaves, parts, this.benchmarks > 0)
        : 0;
      const response = this.respondTo(unit, expose(parts), prepared);
      const wait = this.run(request, unit, leaves, parts);
      return wait ? wait.then(() => response) : response;
    };
    return ready ? ready.then(run) : run();
  }

  /** Runs, and is a span of the trace where there is one. */
  private traced<T>(track: TraceTrack, name: string, run: () => T): T {
    return this.trace ? this.trace.over(track, name, run) : run();
  }

  /** Compilations that were known already take no time worth telling. */
  private tellCompileTime({ request }: CompiledUnit, start: number): void {
    const end = performance.now();
    const { functions, entry } = request.program;
    if (end - start > 0.3)
      this.trace?.span('compile', functions[entry]?.name ?? 'kernel', start, end);
  }

  /** The launch that `prepared` names, on other storages: '' where it is done, 'anew' where it must be asked for
   * in full, else a `LaunchResponse`. */
  relaunch(id: number, ...ids: number[]): string | Promise<string> {
    const prepared = this.prepared.get(id);
    if (!prepared || this.engine.lost) return 'anew';
    // The first outside of a benchmark goes the long way, which keeps its inputs.
    if (prepared.benchmark && this.inputs && this.benchmarks === 0) return 'anew';
    try {
      const bound = this.prepared.bound(prepared, ids, (each) => this.storages.get(each));
      if (!bound) return 'anew';
      const { storages, leaves, groups, values } = bound;
      const { unit, request } = prepared;
      const launch = this.makeLaunch(request, unit.unit, leaves, groups, null);
      if (prepared.cost?.bytes.every((bytes, i) => bytes === storages[i]!.bytes)) {
        launch.cost = prepared.cost.cost;
      } else {
        launch.cost = launchCost(launch);
        prepared.cost = { bytes: storages.map(({ bytes }) => bytes), cost: launch.cost };
      }
      this.tellLaunch(launch, unit.key, values);
      if (this.benchmarks === 0) this.profile.launched(launch.id);
      const wait = this.startLaunch(launch);
      return wait ? wait.then(() => '', respond) : '';
    } catch (error) {
      return respond(error);
    }
  }

  /** What Python's `CompiledKernel` shows. @returns JSON. */
  kernel_facts(key: string): string {
    const unit = this.units.get(key);
    const kernel = unit?.unit.kernel;
    return JSON.stringify({
      registers: kernel?.registers ?? 0,
      workgroupBytes: kernel?.workgroupBytes ?? 0,
      workgroupSize: kernel?.workgroupSize ?? 1,
      wgsl: kernel?.wgsl ?? '',
      ttir: unit?.ttir ?? '',
    });
  }

  /** One `compile` event for each specialization of a run. */
  private tellCompiled(unit: CompiledUnit): void {
    if (this.told.has(unit.key)) return;
    this.told.add(unit.key);
    for (const { severity, message, location } of unit.diagnostics)
      if (severity === 'warning')
        this.warned.push({ message, file: location.file, line: location.line });
    this.send({
      type: 'compile',
      key: unit.key,
      request: unit.request,
      milliseconds: unit.milliseconds,
      diagnostics: unit.diagnostics,
    });
  }

  private respondTo(
    unit: CompiledUnit & { ok: true },
    reached: readonly number[] | null = null,
    prepared = 0,
    operations?: number,
  ): string {
    this.units.set(unit.key, unit);
    const response: LaunchResponse = {
      ok: true,
      key: unit.key,
      ...(prepared ? { prepared, ...this.prepared.writes(prepared) } : {}),
      ...(reached ? { reached } : {}),
      ...(operations === undefined ? {} : { operations }),
      ...(this.warned.length > 0 ? { warnings: this.warned.splice(0) } : {}),
    };
    return JSON.stringify(response);
  }

  private run(
    request: LaunchRequest,
    unit: CompiledUnit & { ok: true },
    leaves: readonly Leaf[],
    parts: Partition,
  ): void | Promise<void> {
    const { grid, site } = request;
    const name = unit.unit.name;
    if (grid.some((size) => size <= 0)) {
      this.warn('HC8005', site, MESSAGES.HC8005.empty({ kernel: name, grid: grid.join(', ') }));
      return;
    }
    if (grid[1] > CUDA_GRID_YZ || grid[2] > CUDA_GRID_YZ) {
      this.warn(
        'HC8006',
        site,
        MESSAGES.HC8006.dimensions({ kernel: name, grid: grid.join(', '), limit: CUDA_GRID_YZ }),
      );
    }
    const launch = this.makeLaunch(request, unit.unit, leaves, parts.groups, parts.arena);
    launch.cost = launchCost(launch);
    this.tellLaunch(launch, unit.key, request.values);
    if (this.benchmarks > 0) return this.startLaunch(launch);
    const start = (): void | Promise<void> =>
      this.options?.check ? this.launchChecked(launch, unit) : this.startLaunch(launch);
    this.profile.launched(launch.id);
    const kept = this.inputs?.keep(this.engine, launch, unit.request);
    return kept ? kept.then(start) : start();
  }

  private startLaunch(launch: EngineLaunch): void | Promise<void> {
    const { trace } = this;
    if (!trace) return this.engine.launch(launch);
    const start = performance.now();
    const wait = this.engine.launch(launch);
    trace.span('launch', launch.unit.name, start, performance.now(), launch.id);
    return wait;
  }

  private makeLaunch(
    { grid, site, labels }: LaunchRequest,
    unit: Unit,
    leaves: readonly Leaf[],
    groups: readonly (readonly Storage[])[],
    arena: number | null,
  ): EngineLaunch {
    return { id: this.nextLaunch++, unit, leaves, groups, arena, grid, site, labels };
  }

  private tellLaunch(
    { id, unit, grid, site, labels, cost }: EngineLaunch,
    key: string,
    values: readonly LaunchValue[],
  ): void {
    this.send({
      type: 'launch',
      id,
      kernel: unit.name,
      grid,
      key,
      site,
      arguments: labels,
      values,
      device: this.engine.info.kind,
      benchmark: this.benchmarks > 0,
      ...(cost ? { cost } : {}),
    });
  }

  private tellTime({ id, cost }: EngineLaunch, timing: Timing): void {
    this.profile.add(id, timing);
    const rates = cost && achieved(cost, timing, this.calibration);
    this.send({ type: 'launch-time', id, timing, ...(rates ? { achieved: rates } : {}) });
  }

  /** One launch of each specialization and grid is checked: the second would say the same. */
  private async launchChecked(
    launch: EngineLaunch,
    unit: CompiledUnit & { ok: true },
  ): Promise<void> {
    const { engine } = this;
    const once = `check ${unit.key} ${launch.grid.join(',')}`;
    const { compiler } = this.services;
    const check = this.told.has(once)
      ? null
      : await checkLaunch(engine, launch, compiler, unit.request, this.compilerServices());
    await engine.launch(launch);
    if (this.told.has(once)) return;
    this.told.add(once);
    if (!check) {
      this.warn('HC8013', launch.site, MESSAGES.HC8013.large({ kernel: unit.unit.name }));
      return;
    }
    const passes = await check.finish();
    this.send({ type: 'check', launch: launch.id, key: unit.key, passes });
  }

  private compilerServices(): CompilerServices {
    const { callConstexpr } = this.services;
    return {
      ...(callConstexpr ? { callConstexpr } : {}),
      print: (line) => {
        if (this.captured) this.captured.push(`${line}\n`);
        else this.send({ type: 'print', stream: 'stdout', text: `${line}\n` });
      },
    };
  }

  /** A warning, once a line and code in a run. */
  private warn(code: string, site: LaunchRequest['site'], message: string): void {
    const key = `${code} ${site.file}:${site.line} ${message}`;
    if (this.told.has(key)) return;
    this.told.add(key);
    this.send({
      type: 'diagnostic',
      diagnostic: diagnostic(code, 'warning', message, siteLocation(site)),
    });
  }

  /** What a launch did out of range: told once for each line and launching line of a run. */
  private report(found: Diagnostic, launch: EngineLaunch): void {
    const { file, line, column } = found.location;
    const key = `${found.code} ${file}:${line}:${column} ${launch.site.file}:${launch.site.line}`;
    if (this.told.has(key)) return;
    this.told.add(key);
    this.send({ type: 'diagnostic', diagnostic: found });
  }

  /** @throws (rejects) what the launches reported. */
  synchronize(): string | Promise<string> {
    const wait = this.traced('wait', 'synchronize', () => this.engine.synchronize());
    if (!wait) return '';
    return wait.then(() => (this.engine.lost ? this.recover() : ''));
  }

  // ── timing ────────────────────────────────────────────────────────────────────────────────────

  capture_prints(on: boolean): string {
    const text = this.captured?.join('') ?? '';
    this.captured = on ? [] : null;
    return text;
  }

  bench_mark(on: boolean): void {
    // A tuning inside a benchmark is a benchmark inside a benchmark.
    this.benchmarks += on ? 1 : -1;
  }

  bench_begin(): void {
    this.engine.benchBegin();
  }

  async bench_end(milliseconds: number, cpuWork: boolean, best: number): Promise<string> {
    const replay = await this.traced('wait', 'benchmark', () =>
      this.engine.benchEnd(milliseconds, !cpuWork, best > 0 ? best * 1e6 : undefined),
    );
    if (!replay) return JSON.stringify({ clock: 'cpu' });
    // Who measures wants to know how much is possible.
    if (!this.calibration && this.calibrated !== this.engine) {
      await this.calibrate(true);
      await this.tellCalibration();
    }
    return JSON.stringify({
      clock: 'gpu',
      dropped: replay.dropped,
      samples: replay.samples.map((nanoseconds) => nanoseconds / 1e6),
      quantum: replay.quantum / 1e6,
    });
  }

  profile_slot(slot: number): void {
    this.profile.slot = slot;
  }

  profile_times(): string {
    return JSON.stringify(this.profile.times());
  }

  // ── events and facts ──────────────────────────────────────────────────────────────────────────

  /** An operation of torch or numpy, computed on the CPU. */
  tellNumeric(request: string, start: number, end: number): void {
    this.trace?.span('torch', numericName(request), start, end);
  }

  tuned(key: string): string | Promise<string> {
    return this.services.tunings?.get(key) ?? '';
  }

  remember_tuned(key: string, text: string): void {
    this.services.tunings?.set(key, text);
  }

  emit(event: string): void {
    this.send(JSON.parse(event) as ProgramEvent);
  }

  environment(): string {
    const { info, target } = this.engine;
    const software = isSoftware(info);
    return JSON.stringify({
      adapter: info,
      target,
      software,
      compiler: COMPILER_VERSION,
      options: this.options,
    });
  }

  /**
   * The device was lost: opens another, keeps what the CPU has, and tells the program.
   * @throws always: the launches that ran are lost.
   */
  private async recover(): Promise<never> {
    const old = this.engine;
    const reason = old.lost ?? 'unknown reason';
    const launches = old.unfinished();
    let lost = 0;
    for (const storage of this.storages.all()) {
      storage.block = null;
      storage.base = 0;
      if (storage.fresh === 'gpu') {
        storage.fresh = 'lost';
        lost++;
      } else if (storage.fresh === 'both') storage.fresh = 'cpu';
    }
    const kind = [...this.engines].find(([, engine]) => engine === old)?.[0] ?? 'webgpu';
    this.engines.delete(kind);
    this.current = await this.engineFor(kind);
    const [first] = launches;
    const running = first
      ? `while ${launches.map((launch) => `${launch.unit.name} (line ${launch.site.line})`).join(', ')} ran`
      : 'while no launch ran';
    const tensors =
      lost > 0 ? ` ${lost} tensor${lost === 1 ? ' was' : 's were'} lost with it.` : '';
    const message = `The GPU device was lost ${running}: ${reason}${tensors}`;
    throw new RuntimeFault('RuntimeError', message, [
      diagnostic(
        'HC8003',
        'error',
        message,
        siteLocation(first?.site ?? { file: '<program>', line: 1 }),
        ['A launch that runs for seconds is stopped by the operating system. Is a loop endless?'],
      ),
    ]);
  }
}

/** What Python raises: as CUDA does, where memory is short. */
const KINDS = {
  MemoryError: 'OutOfMemoryError',
  IndexError: 'IndexError',
  RuntimeError: 'RuntimeError',
  ValueError: 'RuntimeError',
} as const satisfies Record<RuntimeFault['name'], string>;

/** An error as a `LaunchResponse`. */
function respond(error: unknown): string {
  if (!(error instanceof RuntimeFault)) throw error;
  const response: LaunchResponse = {
    ok: false,
    kind: KINDS[error.name],
    message: error.message,
    diagnostics: error.diagnostics,
  };
  return JSON.stringify(response);
}

/** What lies in the arena can be reached from now on. @returns the ids of its storages. */
function expose(parts: Partition): readonly number[] | null {
  if (parts.arena === null) return null;
  const reached = parts.groups[parts.arena] ?? [];
  for (const storage of reached) storage.exposed = true;
  return reached.map((storage) => storage.id);
}
