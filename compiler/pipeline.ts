/**
 * The whole compiler on one screen:
 *
 *     lower       Python text and a specialization → tile IR
 *     optimize    passes that no target matters to          (3-optimize/index.ts)
 *     distribute  tiles → registers, lanes, workgroup memory (4-distribute/index.ts)
 *     threads     TTGIR → thread IR, and passes on it       (5-threads/index.ts)
 *     emit        thread IR → WGSL                          (6-emit/emit.ts)
 *
 * Nothing here throws for what a program contains. An exception inside of a pass is a fault of
 * ours: it becomes a diagnostic that names the pass.
 */
import type { Parser } from './1-parse/parser';
import { lower } from './2-lower/index';
import { OPTIMIZE_PASSES } from './3-optimize/index';
import { DISTRIBUTE_PASSES, distributeContext } from './4-distribute/index';
import { OutOfWorkgroupMemory } from './4-distribute/allocate_shared_memory';
import { lower_tiles, RegroupNeeded, THREAD_PASSES, TILE_PASSES } from './5-threads/index';
import type { ThreadPass } from './5-threads/index';
import { emit } from './6-emit/emit';
import { answering } from './answers';
import { MESSAGES } from './codes';
import type { Diagnostic } from './diagnostics';
import { DiagnosticError } from './diagnostics';
import type { Func } from './ir/ir';
import { printFunc } from './ir/printer';
import type { PrintedIr } from './ir/printer';
import type { ThreadKernel } from './ir/thread/kernel';
import { printThreadFunc } from './ir/thread/printer';
import { verifyThreads } from './ir/thread/verifier';
import type { VerifierProblem } from './ir/verifier';
import { verify } from './ir/verifier';
import type {
  CompiledKernel,
  CompileRequest,
  CompileResult,
  CompilerServices,
  PassRecord,
  Regroup,
} from './program';
import { Schedule } from './schedule';

/** Every pass, in order: the index of one is that of its record in the log. */
export const PIPELINE: readonly Pick<PassRecord, 'phase' | 'name'>[] = [
  { phase: 'lower', name: 'lower' },
  ...OPTIMIZE_PASSES.map(({ name }) => ({ phase: 'optimize', name }) as const),
  ...DISTRIBUTE_PASSES.map(({ name }) => ({ phase: 'distribute', name }) as const),
  ...TILE_PASSES.map(({ name }) => ({ phase: 'distribute', name }) as const),
  { phase: 'threads', name: 'lower_tiles' },
  ...THREAD_PASSES.map(({ name }) => ({ phase: 'threads', name }) as const),
  { phase: 'emit', name: 'emit' },
];

const LOWER_TILES = PIPELINE.findIndex(({ name }) => name === 'lower_tiles');

/**
 * Called after every pass on tiles with the live IR: the check mode interprets it there. `lower`,
 * where `lower_tiles` follows the pass's decisions, lowers the tiles as they stand at the call.
 */
export type PassObserver = (record: PassRecord, func: Func, lower?: () => ThreadKernel) => void;

/** The same for the passes on threads. */
export type ThreadObserver = (record: PassRecord, kernel: ThreadKernel) => void;

export type Compile = (
  request: CompileRequest,
  services?: CompilerServices,
  observe?: PassObserver,
  observeThreads?: ThreadObserver,
) => CompileResult;

/** Tile IR before distribution: what the interpreter runs where there is no GPU. */
export type Optimize = (
  request: CompileRequest,
  services?: CompilerServices,
  observe?: PassObserver,
) => OptimizeResult;
export interface OptimizeResult {
  /** Absent if there are errors. */
  readonly func?: Func;
  readonly log: readonly PassRecord[];
  readonly diagnostics: readonly Diagnostic[];
}

export interface Compiler {
  readonly compile: Compile;
  readonly optimize: Optimize;
}

export function createCompiler(parser: Parser, extra: readonly ExtraPass[] = []): Compiler {
  const run = (
    request: CompileRequest,
    services: CompilerServices = {},
    observe?: PassObserver,
    observeThreads?: ThreadObserver,
    until: 'optimize' | 'emit' = 'emit',
  ): Finished => {
    const pipeline = new Run(request, extra, observe, observeThreads);
    const func = pipeline.lower(parser, answering(request.answers, services));
    if (!func) return pipeline;
    for (const pass of OPTIMIZE_PASSES)
      if (!pipeline.pass('optimize', pass.name, func, () => pass.run(func))) return pipeline;
    if (until === 'optimize') return { func, log: pipeline.log, diagnostics: pipeline.diagnostics };
    const { choices, manyPrograms } = request.options;
    const { numWarps, statedWarps = false } = request.specialization;
    const report = pipeline.diagnostics.push.bind(pipeline.diagnostics);
    const takes = { report, schedule: pipeline.schedule, statedWarps };
    const context = distributeContext(request.target, numWarps, choices, manyPrograms, takes);
    for (const pass of DISTRIBUTE_PASSES)
      if (!pipeline.pass('distribute', pass.name, func, () => pass.run(func, context)))
        return pipeline;
    const kernel = pipeline.threads(func);
    return { ...pipeline, result: kernel && pipeline.emit(kernel) };
  };
  return {
    compile: (request, services, observe, observeThreads) => {
      const first = run(request, services, observe, observeThreads);
      // A row to sort, say, that workgroup memory does not hold: slower in storage, and right.
      const target = { ...request.target, sharedMemoryInStorage: true };
      const { log, diagnostics, regroup, result } = first.sharedMemoryTooSmall
        ? run({ ...request, target }, services, observe, observeThreads)
        : first;
      return regroup ?? result ?? { kind: 'failed', log, diagnostics };
    },
    optimize: (request, services, observe) => {
      const { func, log, diagnostics } = run(request, services, observe, undefined, 'optimize');
      return func ? { func, log, diagnostics } : { log, diagnostics };
    },
  };
}

/** Outcome of a run of the pipeline. */
type Finished = OptimizeResult & {
  readonly result?: CompileResult | undefined;
  /** Pointers of different binding groups meet. */
  readonly regroup?: Regroup | undefined;
  /** Workgroup memory does not hold what some operation needs there at once. */
  readonly sharedMemoryTooSmall?: boolean;
};

/**
 * A pass of a test's, behind a pass or within it: how we know that the check mode finds its faults.
 */
export interface ExtraPass {
  readonly name: string;
  /**
   * The pass that it follows, under its own name; the last one of `3-optimize`, where it names
   * none.
   */
  readonly after?: string;
  /** Runs at the end of the pass of this index in `PIPELINE`, as a part of it. */
  readonly into?: number;
  /** On tiles, on threads, or (into `emit`) on what is printed: the others may be missing. */
  readonly run?: (func: Func) => boolean;
  readonly runThreads?: (kernel: ThreadKernel) => boolean;
  readonly runText?: (kernel: CompiledKernel) => CompiledKernel;
}

const LAST_OPTIMIZE_PASS = OPTIMIZE_PASSES.at(-1)?.name;

/** The IR as it stands, of tiles or of threads. */
interface CurrentIr {
  readonly location: Func['location'];
  readonly print: () => Pick<PrintedIr, 'text' | 'locations'>;
  readonly check: () => readonly VerifierProblem[];
}

/** One compilation: its log, its diagnostics, and each phase guarded. */
class Run {
  readonly log: PassRecord[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly schedule = new Schedule();
  sharedMemoryTooSmall = false;
  regroup: Regroup | undefined;

  constructor(
    private readonly request: CompileRequest,
    private readonly extra: readonly ExtraPass[],
    private readonly observe: PassObserver | undefined,
    private readonly observeThreads: ThreadObserver | undefined,
  ) {}

  lower(parser: Parser, services: CompilerServices): Func | undefined {
    const { program, specialization, options } = this.request;
    const wanted = { program, specialization, ...options };
    const start = performance.now();
    const planted = this.within();
    const lowered = this.guard('lower', () => {
      const made = lower(wanted, services, parser);
      if (made.func) for (const each of planted) each.run?.(made.func);
      return made;
    });
    this.diagnostics.push(...(lowered?.diagnostics ?? []));
    const func = lowered?.func;
    if (!func) return undefined;
    return this.recordTiles('lower', 'lower', func, true, start) ? func : undefined;
  }

  /** False where it failed. */
  pass(
    phase: PassRecord['phase'],
    name: string,
    func: Func,
    run: () => boolean,
    lower?: () => ThreadKernel,
  ): boolean {
    const start = performance.now();
    const planted = this.within();
    const whole = (): boolean => {
      const own = run();
      planted.forEach((each) => each.run?.(func));
      return own;
    };
    const changed = this.guard(name, whole, func);
    // Passes replace operations, and do not say which assignments stood there.
    if (changed) func.bindings = new Map();
    if (changed === undefined || !this.recordTiles(phase, name, func, changed, start, lower))
      return false;
    return this.extra.every(
      ({ name: extra, into, after = LAST_OPTIMIZE_PASS, run: own }) =>
        into !== undefined ||
        after !== name ||
        !own ||
        this.pass(phase, extra, func, () => own(func)),
    );
  }
  /** Fault that a test planted into the pass that runs now. */
  private within(): readonly ExtraPass[] {
    return this.extra.filter(({ into }) => into === this.log.length);
  }

  /** The kernel in thread IR, after the passes on it; undefined where one failed. */
  threads(func: Func): ThreadKernel | undefined {
    const lower = (): ThreadKernel => {
      const made = lower_tiles(func, this.request);
      for (const { into, runThreads } of this.extra) if (into === LOWER_TILES) runThreads?.(made);
      return made;
    };
    for (const pass of TILE_PASSES)
      if (!this.pass('distribute', pass.name, func, () => pass.run(func, this.request), lower))
        return undefined;
    const start = performance.now();
    const kernel = this.guard('lower_tiles', lower, func);
    if (!kernel || !this.recordThreads('threads', 'lower_tiles', kernel, true, start))
      return undefined;
    const fine = this.plantedThreads('lower_tiles', kernel);
    return fine && THREAD_PASSES.every((pass) => this.threadPass(pass.name, kernel, pass.run))
      ? kernel
      : undefined;
  }
  /** False where it failed. */
  private threadPass(name: string, kernel: ThreadKernel, run: ThreadPass): boolean {
    const start = performance.now();
    const planted = this.within();
    const whole = (): boolean => {
      const own = run(kernel.func, kernel);
      planted.forEach((each) => each.runThreads?.(kernel));
      return own;
    };
    const changed = this.guard(name, whole, kernel.func);
    if (changed === undefined) return false;
    if (!this.recordThreads('threads', name, kernel, changed, start)) return false;
    return this.plantedThreads(name, kernel);
  }
  private plantedThreads(name: string, kernel: ThreadKernel): boolean {
    return this.extra.every(
      ({ name: extra, into, after, runThreads }) =>
        into !== undefined ||
        after !== name ||
        !runThreads ||
        this.threadPass(extra, kernel, () => runThreads(kernel)),
    );
  }

  emit(kernel: ThreadKernel): CompileResult | undefined {
    const start = performance.now();
    const planted = this.within();
    const text = (): CompiledKernel =>
      planted.reduce((made, { runText }) => runText?.(made) ?? made, emit(kernel, this.request));
    const compiled = this.guard('emit', text, kernel.func);
    if (!compiled || !this.recordThreads('emit', 'emit', kernel, false, start)) return undefined;
    const { log, diagnostics } = this;
    const schedule = this.schedule.decisions();
    return { kind: 'compiled', kernel: compiled, log, diagnostics, schedule };
  }

  private recordTiles(
    phase: PassRecord['phase'],
    name: string,
    func: Func,
    changed: boolean,
    start: number,
    lower?: () => ThreadKernel,
  ): boolean {
    const ir = { location: func.location, print: () => printFunc(func), check: () => verify(func) };
    const record = this.record(phase, name, ir, changed, start);
    if (record) this.observe?.(record, func, lower);
    return record !== undefined;
  }

  private recordThreads(
    phase: PassRecord['phase'],
    name: string,
    kernel: ThreadKernel,
    changed: boolean,
    start: number,
  ): boolean {
    const { func } = kernel;
    const ir = {
      location: func.location,
      print: () => printThreadFunc(func),
      check: () => verifyThreads(func),
    };
    const record = this.record(phase, name, ir, changed, start);
    if (record) this.observeThreads?.(record, kernel);
    return record !== undefined;
  }

  /** Adds a line to the log; undefined, with a diagnostic, where the IR is invalid. */
  private record(
    phase: PassRecord['phase'],
    name: string,
    ir: CurrentIr,
    changed: boolean,
    start: number,
  ): PassRecord | undefined {
    const milliseconds = performance.now() - start;
    const { keepIr, verify: verifies } = this.request.options;
    const index = this.log.length;
    const before = this.log[index - 1];
    // Printing a long kernel after each of two dozen passes takes longer than the passes.
    const { text, locations } = !keepIr
      ? { text: '', locations: [] }
      : before && !changed
        ? { text: before.ir, locations: before.locations }
        : ir.print();
    const record = { index, name, phase, changed, milliseconds, ir: text, locations };
    this.log.push(record);
    const problem = verifies ? ir.check()[0] : undefined;
    if (!problem) return record;
    const notes = [{ message: problem.message, location: problem.location }];
    this.diagnostics.push(internalError(name, 'it left invalid IR', ir, notes));
    return undefined;
  }

  /** The result of `body`; undefined, with a diagnostic, where it throws. */
  private guard<T>(name: string, body: () => T, func?: Pick<Func, 'location'>): T | undefined {
    try {
      return body();
    } catch (error) {
      if (error instanceof OutOfWorkgroupMemory) this.sharedMemoryTooSmall = true;
      if (error instanceof RegroupNeeded) {
        const { merge, arena } = error;
        this.regroup = arena ? { kind: 'regroup', merge, arena } : { kind: 'regroup', merge };
      } else if (error instanceof DiagnosticError) this.diagnostics.push(error.diagnostic);
      else {
        const message = error instanceof Error ? error.message : String(error);
        const stack = error instanceof Error ? (error.stack ?? '') : '';
        const notes = [{ message: stack.split('\n').slice(1, 6).join('\n') }];
        this.diagnostics.push(internalError(name, message, func ?? this.fallback(), notes));
      }
      return undefined;
    }
  }
  /** Place of the kernel, for faults before there is IR. */
  private fallback(): Pick<Func, 'location'> {
    const { functions, entry } = this.request.program;
    const kernel = functions[entry];
    const line = kernel?.line ?? 1;
    const file = kernel?.file ?? '<unknown>';
    return { location: { file, line, column: 1, endLine: line, endColumn: 1 } };
  }
}

function internalError(
  pass: string,
  message: string,
  { location }: Pick<Func, 'location'>,
  notes: Diagnostic['notes'],
): Diagnostic {
  return {
    code: 'HC0399',
    severity: 'error',
    message: MESSAGES.HC0399.pass({ pass, what: message }),
    location,
    notes,
  };
}
