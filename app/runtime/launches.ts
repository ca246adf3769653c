/**
 * The launches of a run: what Python requests is compiled, reported, and given to the engine; what
 * was launched once is prepared, so that the next time costs little (`prepared.ts`).
 *
 * Guarantee: a launch is reported before it runs, on the engine that it was compiled for. Methods
 * return a promise only where there is something to wait for; they throw a `RuntimeFault` where the
 * program did something wrong.
 */
import { answering } from '../../compiler/answers';
import { MESSAGES } from '../../compiler/codes';
import type { Compiler } from '../../compiler/pipeline';
import type { CompilerServices, KernelProgram, Specialization } from '../../compiler/program';
import type { KernelFacts, LaunchRequest, LaunchResponse } from '../workers/bridge';
import { flattenArguments, type Leaf } from './arguments';
import { askIr, type IrReply } from './askIr';
import { checkLaunch } from './checkLaunch';
import type { CompileCache, CompiledUnit } from './compileCache';
import { type CompiledInGroups, compileInGroups, describeInGroups } from './compileInGroups';
import { floatOperations, launchCost } from './cost';
import { reportDenormals } from './denormals';
import type { Engine, EngineLaunch, Unit } from './engine';
import { RuntimeFault } from './errors';
import type { Partition } from './grouping';
import type { InputKeeper } from './launchInputs';
import type { PreparedLaunches } from './prepared';
import { type RunReport, UNREPORTED } from './runReport';
import type { Candidate, TunedChoices } from './scheduleSearch';
import type { ScheduleTuner } from './scheduleTuner';
import type { Storage, StorageTable } from './storage';
import { isWanted, launchVerified } from './verifyLaunch';
import type { SampleRequest, VerifyRequest } from '../events';
import { isSampled, reportSamples } from './sampledLaunch';

/** Launches of one specialization, grid and line that are verified: the first ones. */
const MOST_VERIFIED = 3;
/** CUDA's limit of the grid's y and z. */
const CUDA_GRID_YZ = 65_535;

type Compiled = CompiledUnit & { readonly ok: true };

export interface LaunchContext {
  /** The one that runs now. @throws RuntimeFault where none does. */
  engine(): Engine;
  readonly storages: StorageTable;
  readonly programs: readonly KernelProgram[];
  readonly compiler: Compiler;
  readonly cache: CompileCache;
  /**
   * Empty, but no number of an earlier run's is given again: Python's own kernels outlive a run,
   * and ask by it.
   */
  readonly prepared: PreparedLaunches;
  readonly callConstexpr: CompilerServices['callConstexpr'];
  readonly report: RunReport;
  /** Keeps what launches got; null where nobody asks. */
  readonly inputs: InputKeeper | null;
  /** The interpreter computes what the GPU does, too. */
  readonly check: boolean;
  /** Launches that are verified; null for none. */
  readonly verify: VerifyRequest | null;
  /** Launches that are sampled; null for none. */
  readonly sample: SampleRequest | null;
  /** Finds schedules; null: all are the default. */
  readonly tuner: ScheduleTuner | null;
}

export class Launches {
  private next = 1;
  /** Kernels compiled in this run, by key. */
  private readonly units = new Map<string, Compiled>();
  /** Benchmarks that are being measured, one inside the other. */
  private benchmarks = 0;
  /** Those of them whose launches print nothing. */
  private silent = 0;
  private autotuners = 0;
  /** Specializations and grids: the second launch of one would say the same. */
  private readonly checked = new Set<string>();
  /** How often launches of a specialization, grid and line were verified. */
  private readonly verified = new Map<string, number>();
  /** Specializations and grids that were sampled. */
  private readonly sampled = new Set<string>();
  private readonly services: CompilerServices;

  constructor(private readonly context: LaunchContext) {
    const { callConstexpr, report } = context;
    this.services = { ...(callConstexpr ? { callConstexpr } : {}), print: report.print };
  }

  /**
   * Launches from here on are a benchmark's, or no longer: a tuning inside a benchmark is one
   * inside another.
   * @param silent what they print is dropped, as the program did not request them.
   */
  benchmark(on: boolean, silent = false): void {
    this.benchmarks += on ? 1 : -1;
    if (!silent) return;
    this.silent += on ? 1 : -1;
    this.context.report.mute(this.silent > 0);
  }

  /** An autotuner measures from here on, or no longer: what it tries has the default's schedule. */
  autotune(on: boolean): void {
    this.autotuners += on ? 1 : -1;
  }

  /** A storage is gone. */
  released(): void {
    this.context.prepared.released();
  }

  /** Compiles, and launches unless only that was requested. */
  launch(request: LaunchRequest): LaunchResponse | Promise<LaunchResponse> {
    const { report, storages, programs, cache } = this.context;
    const engine = this.context.engine();
    const program = programs[request.program];
    if (!program) throw new RuntimeFault('RuntimeError', `no program ${request.program}`);
    const specialization = request.specialization as Specialization;
    const leaves = flattenArguments(
      specialization,
      request.values,
      request.labels,
      (id) => storages.get(id),
      request.warmup,
    );
    const grouping = { cache, engine, exposed: () => storages.exposed(), services: this.services };
    if (request.describe) {
      const made = describeInGroups(grouping, request, program, specialization, leaves);
      return { ok: true, key: report.described(made) };
    }
    const start = performance.now();
    const made = compileInGroups(grouping, request, program, specialization, leaves);
    // The program's own functions answered once, and printed what they print.
    const silent = { ...grouping, services: answering(made.unit.request.answers, {}) };
    const compile = (choices: TunedChoices): CompiledInGroups =>
      compileInGroups(silent, request, program, specialization, leaves, choices);
    const go = (each: CompiledInGroups): LaunchResponse | Promise<LaunchResponse> =>
      this.launchCompiled(engine, request, leaves, each, start);
    const tuned = this.tunedLaunch(engine, request, leaves, made, compile);
    return tuned instanceof Promise ? tuned.then(go) : go(tuned);
  }

  /** The launch with the schedule that was found for it, or is found now. */
  private tunedLaunch(
    engine: Engine,
    request: LaunchRequest,
    leaves: readonly Leaf[],
    made: CompiledInGroups,
    compile: (choices: TunedChoices) => CompiledInGroups,
  ): CompiledInGroups | Promise<CompiledInGroups> {
    const { tuner } = this.context;
    const { unit, parts } = made;
    const { grid, warmup } = request;
    if (!tuner || warmup || this.autotuners > 0 || engine.info.kind !== 'webgpu') return made;
    if (!unit.ok || grid.some((size) => size <= 0)) return made;
    const under = (choices: TunedChoices | null): CompiledInGroups =>
      choices ? compile(choices) : made;
    const known = tuner.of(unit.key, grid);
    if (known !== undefined) return under(known);
    const launch = (each: Unit, of: Partition): EngineLaunch => {
      return { ...this.make(request, each, leaves, of.groups, of.arena), id: UNREPORTED };
    };
    const candidate = (choices: TunedChoices): Candidate | string => {
      const other = Object.keys(choices).length === 0 ? made : compile(choices);
      if (!other.unit.ok) return other.unit.response.ok ? '' : other.unit.response.message;
      return { key: other.unit.key, launch: launch(other.unit.unit, other.parts) };
    };
    return tuner.find({ engine, unit, launch: launch(unit.unit, parts), candidate }).then(under);
  }

  /** @param engine the one that the kernel was compiled for: another has no code for it */
  private launchCompiled(
    engine: Engine,
    request: LaunchRequest,
    leaves: readonly Leaf[],
    { unit, parts, plain }: CompiledInGroups,
    start: number,
  ): LaunchResponse | Promise<LaunchResponse> {
    const { report } = this.context;
    report.compiled(unit, start);
    if (!unit.ok) return unit.response;
    this.units.set(unit.key, unit);
    if (request.code) return this.answer(unit);
    const ready = report.traced('pipeline', unit.unit.name, () => engine.prepare(unit.unit));
    if (request.ahead) {
      // A failure is reported when the launch is waited for.
      ready?.catch(() => {});
      const operations = floatOperations(unit.unit, leaves, request.grid);
      return this.answer(unit, operations === undefined ? {} : { operations });
    }
    const run = (): LaunchResponse | Promise<LaunchResponse> => {
      if (request.warmup) return this.answer(unit);
      const repeatable =
        plain &&
        parts.arena === null &&
        !this.looksAtEach &&
        !(this.context.tuner && this.autotuners > 0) &&
        request.grid.every((n) => n > 0);
      const prepared = repeatable
        ? this.context.prepared.add(engine, request, unit, leaves, parts, this.benchmarks > 0)
        : 0;
      const reached = expose(parts);
      const accesses = request.accesses ? accessesOf(unit.unit, leaves) : null;
      const answer = this.answer(unit, {
        ...(accesses ? { accesses } : {}),
        ...(prepared ? { prepared, ...this.context.prepared.writes(prepared) } : {}),
        ...(reached ? { reached } : {}),
      });
      const wait = this.run(engine, request, unit, leaves, parts);
      return wait ? wait.then(() => answer) : answer;
    };
    return ready ? ready.then(run) : run();
  }

  private answer(
    unit: Compiled,
    rest: Partial<LaunchResponse & { ok: true }> = {},
  ): LaunchResponse {
    const warnings = this.context.report.takeWarnings();
    return { ok: true, key: unit.key, ...rest, ...(warnings.length > 0 ? { warnings } : {}) };
  }

  /**
   * The launch that `prepared` names, on other storages; 'anew' where it must be requested in full.
   */
  again(id: number, ids: readonly number[], untimed = false): 'anew' | void | Promise<void> {
    const { storages: table, prepared: known } = this.context;
    const prepared = known.get(id);
    const engine = this.context.engine();
    // The one that replaced a lost engine may be of another kind.
    if (prepared?.engine !== engine || engine.lost !== null) return 'anew';
    // The first outside of a benchmark goes the long way, which keeps its inputs.
    if (prepared.benchmark && this.context.inputs && this.benchmarks === 0) return 'anew';
    const bound = known.bound(prepared, ids, (each) => table.get(each));
    if (!bound) return 'anew';
    const { storages, leaves, groups, values } = bound;
    const { unit, request } = prepared;
    const made = this.make(request, unit.unit, leaves, groups, null);
    const launch = untimed ? { ...made, untimed } : made;
    if (prepared.cost?.bytes.every((bytes, i) => bytes === storages[i]!.bytes)) {
      launch.cost = prepared.cost.cost;
    } else {
      launch.cost = launchCost(launch);
      prepared.cost = { bytes: storages.map(({ bytes }) => bytes), cost: launch.cost };
    }
    this.emit(engine, launch, unit.key, values);
    this.reportDenormals(engine, launch);
    return this.start(engine, launch);
  }

  /** What Python's `CompiledKernel` shows of what this run compiled. */
  facts(key: string): KernelFacts {
    const unit = this.units.get(key);
    const kernel = unit?.unit.kernel;
    return {
      registers: kernel?.registers ?? 0,
      workgroupBytes: kernel?.workgroupBytes ?? 0,
      workgroupSize: kernel?.workgroupSize ?? 1,
      wgsl: kernel?.wgsl ?? '',
      ttir: unit?.ttir ?? '',
    };
  }

  /** Answers a question about a kernel of this run, compiled as for the GPU of a profile. */
  askIr(key: string, profile: string, question: string): IrReply {
    const unit = this.units.get(key);
    if (!unit) return { error: `no kernel ${key} was compiled in this run` };
    return askIr(this.context.compiler.compile, unit.request, profile, question);
  }

  private run(
    engine: Engine,
    request: LaunchRequest,
    unit: Compiled,
    leaves: readonly Leaf[],
    parts: Partition,
  ): void | Promise<void> {
    const { report, inputs, check } = this.context;
    const { grid, site } = request;
    const at = { kernel: unit.unit.name, grid: grid.join(', ') };
    if (grid.some((size) => size <= 0)) {
      report.warn('HC8005', site, MESSAGES.HC8005.empty(at));
      return;
    }
    if (grid[1] > CUDA_GRID_YZ || grid[2] > CUDA_GRID_YZ)
      report.warn('HC8006', site, MESSAGES.HC8006.dimensions({ ...at, limit: CUDA_GRID_YZ }));
    const launch = this.make(request, unit.unit, leaves, parts.groups, parts.arena);
    launch.cost = launchCost(launch);
    this.emit(engine, launch, unit.key, request.values);
    this.reportDenormals(engine, launch);
    if (this.benchmarks > 0) return this.start(engine, launch);
    const start = (): void | Promise<void> =>
      check
        ? this.startChecked(engine, launch, unit)
        : this.verifies(engine, launch)
          ? this.startVerified(engine, launch, unit)
          : this.start(engine, launch);
    const kept = inputs?.keep(engine, launch, unit.request);
    const { sample } = this.context;
    if (sample && this.samples(engine, launch, sample)) {
      const sampled = async (): Promise<void> => {
        await kept;
        await reportSamples(engine, launch, sample.rounds, report);
        await start();
      };
      return sampled();
    }
    return kept ? kept.then(start) : start();
  }

  private make(
    { grid, site, labels }: LaunchRequest,
    unit: Unit,
    leaves: readonly Leaf[],
    groups: readonly (readonly Storage[])[],
    arena: number | null,
  ): EngineLaunch {
    const launch = { id: this.next++, unit, leaves, groups, arena, grid, site, labels };
    return this.silent > 0 ? { ...launch, silent: true } : launch;
  }

  private emit(
    { info }: Engine,
    launch: EngineLaunch,
    key: string,
    values: LaunchRequest['values'],
  ): void {
    this.context.report.launched(launch, key, values, info.kind, this.benchmarks > 0);
  }

  private reportDenormals({ target }: Engine, launch: EngineLaunch): void {
    if (target.flushesDenormals) reportDenormals(launch, this.context.report);
  }

  private start(engine: Engine, launch: EngineLaunch): void | Promise<void> {
    const { trace } = this.context.report;
    if (!trace) return engine.launch(launch);
    const start = performance.now();
    const wait = engine.launch(launch);
    trace.span('launch', launch.unit.name, start, performance.now(), launch.id);
    return wait;
  }

  /** Whether a launch that was made before has to be requested in full. */
  private get looksAtEach(): boolean {
    return this.context.check || this.context.verify !== null || this.context.sample !== null;
  }

  /** Each specialization and grid of the wanted launches once. */
  private samples({ info }: Engine, launch: EngineLaunch, sample: SampleRequest): boolean {
    const { kind } = info;
    const of = `${launch.unit.key} ${launch.grid.join(',')}`;
    if (kind !== 'webgpu' || this.sampled.has(of) || !isSampled(launch, sample)) return false;
    this.sampled.add(of);
    return true;
  }

  private verifies({ info }: Engine, launch: EngineLaunch): boolean {
    const { verify } = this.context;
    if (!verify || info.kind !== 'webgpu' || !isWanted(launch, verify)) return false;
    const of = `${launch.unit.key} ${launch.grid.join(',')} ${launch.site.line}`;
    const made = (this.verified.get(of) ?? 0) + 1;
    this.verified.set(of, made);
    return made <= MOST_VERIFIED;
  }

  private async startVerified(engine: Engine, launch: EngineLaunch, unit: Compiled): Promise<void> {
    const { report, compiler, verify } = this.context;
    const event = await launchVerified(engine, launch, compiler, unit.request, verify!, () =>
      this.start(engine, launch),
    );
    report.send(event);
  }

  private async startChecked(engine: Engine, launch: EngineLaunch, unit: Compiled): Promise<void> {
    const { report, compiler } = this.context;
    const once = `${unit.key} ${launch.grid.join(',')}`;
    if (this.checked.has(once)) return engine.launch(launch);
    const check = await checkLaunch(engine, launch, compiler, unit.request, this.services);
    await engine.launch(launch);
    this.checked.add(once);
    if (!check) {
      report.warn('HC8013', launch.site, MESSAGES.HC8013.large({ kernel: unit.unit.name }));
      return;
    }
    const passes = await check.finish();
    const programs = launch.grid[0] * launch.grid[1] * launch.grid[2];
    report.send({ type: 'check', launch: launch.id, key: unit.key, passes, programs });
  }
}

/** The pointers of a launch that its IR reads and writes through; null where others are, too. */
function accessesOf(
  { cost }: Unit,
  leaves: readonly Leaf[],
): { readonly read: readonly number[]; readonly written: readonly number[] } | null {
  if (!cost) return null;
  const { read, written } = cost.accessed;
  if (read.has(-1) || written.has(-1)) return null;
  const pointers = leaves.flatMap(({ kind }, i) => (kind === 'pointer' ? [i] : []));
  const through = (set: ReadonlySet<number>): number[] =>
    pointers.flatMap((leaf, i) => (set.has(leaf) ? [i] : []));
  return { read: through(read), written: through(written) };
}

/** Storages in the arena can be reached from now on. @returns their ids. */
function expose(parts: Partition): readonly number[] | null {
  if (parts.arena === null) return null;
  const reached = parts.groups[parts.arena] ?? [];
  for (const storage of reached) storage.exposed = true;
  return reached.map((storage) => storage.id);
}
