/**
 * The whole compiler on one screen:
 *
 *     lower       Python text and a specialization → tile IR
 *     optimize    passes that no target matters to          (3-optimize/index.ts)
 *     distribute  tiles → registers, lanes, workgroup memory (4-distribute/index.ts)
 *     emit        → WGSL
 *
 * Nothing here throws for what a program contains. An exception inside of a pass is a fault of ours: it
 * becomes a diagnostic that names the pass.
 */
import type { Parser } from './1-parse/parser';
import { lower } from './2-lower/index';
import { OPTIMIZE_PASSES } from './3-optimize/index';
import { DISTRIBUTE_PASSES, distributeContext } from './4-distribute/index';
import { OutOfWorkgroupMemory } from './4-distribute/allocate_workgroup_memory';
import { emit } from './5-emit/emit';
import { MESSAGES } from './codes';
import type { Diagnostic } from './diagnostics';
import { DiagnosticError } from './diagnostics';
import type { Func } from './ir/ir';
import { printFunc } from './ir/printer';
import { verify } from './ir/verifier';
import type { CompileRequest, CompileResult, CompilerServices, PassRecord } from './program';

/** Called after every pass with the live IR: the check mode interprets it there. */
export type PassObserver = (record: PassRecord, func: Func) => void;

export type Compile = (
  request: CompileRequest,
  services?: CompilerServices,
  observe?: PassObserver,
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
    until: 'optimize' | 'emit' = 'emit',
  ): Finished => {
    const pipeline = new Run(request, observe);
    const func = pipeline.lower(parser, answering(request.answers, services));
    if (!func) return pipeline;
    for (const pass of [...OPTIMIZE_PASSES, ...extra])
      if (!pipeline.pass('optimize', pass.name, func, () => pass.run(func))) return pipeline;
    if (until === 'optimize') return { func, log: pipeline.log, diagnostics: pipeline.diagnostics };

    const { target, specialization, options } = request;
    const { choices, manyPrograms } = options;
    const context = distributeContext(target, specialization.numWarps, choices, manyPrograms);
    for (const pass of DISTRIBUTE_PASSES)
      if (!pipeline.pass('distribute', pass.name, func, () => pass.run(func, context)))
        return pipeline;
    return { ...pipeline, result: pipeline.emit(func) };
  };
  return {
    compile: (request, services, observe) => {
      const first = run(request, services, observe);
      // A row to sort, say, that workgroup memory does not hold: slower in storage, and right.
      const target = { ...request.target, exchangeInStorage: true };
      const { log, diagnostics, result } = first.exchangeTooSmall
        ? run({ ...request, target }, services, observe)
        : first;
      return result ?? { kind: 'failed', log, diagnostics };
    },
    optimize: (request, services, observe) => {
      const { func, log, diagnostics } = run(request, services, observe, 'optimize');
      return func ? { func, log, diagnostics } : { log, diagnostics };
    },
  };
}

/** Without Python, its answers to the same calls stand for it. */
function answering(
  answers: CompileRequest['answers'],
  services: CompilerServices,
): CompilerServices {
  if (!answers || services.callConstexpr) return services;
  const known = new Map(answers.map(({ call, value }) => [call, value]));
  return {
    ...services,
    callConstexpr: (...call) => {
      const value = known.get(JSON.stringify(call));
      if (!value) throw new Error('it needs the program to run');
      return value;
    },
  };
}

/** What a run of the pipeline leaves. */
type Finished = OptimizeResult & {
  readonly result?: CompileResult | undefined;
  /** Workgroup memory does not hold what some operation needs there at once. */
  readonly exchangeTooSmall?: boolean;
};

/** A pass of a test's, after those of `3-optimize`: how we know that the check mode finds it. */
export interface ExtraPass {
  readonly name: string;
  readonly run: (func: Func) => boolean;
}

/** One compilation: its log, its diagnostics, and each phase guarded. */
class Run {
  readonly log: PassRecord[] = [];
  readonly diagnostics: Diagnostic[] = [];
  exchangeTooSmall = false;

  constructor(
    private readonly request: CompileRequest,
    private readonly observe: PassObserver | undefined,
  ) {}

  lower(parser: Parser, services: CompilerServices): Func | undefined {
    const { program, specialization, options } = this.request;
    const { debug = false } = options;
    const start = performance.now();
    const lowered = this.guard('lower', () =>
      lower({ program, specialization, debug }, services, parser),
    );
    this.diagnostics.push(...(lowered?.diagnostics ?? []));
    const func = lowered?.func;
    if (!func) return undefined;
    return this.record('lower', 'lower', func, true, performance.now() - start) ? func : undefined;
  }

  /** False where it failed. */
  pass(phase: PassRecord['phase'], name: string, func: Func, run: () => boolean): boolean {
    const start = performance.now();
    const changed = this.guard(name, run, func);
    // Passes replace operations, and do not say which assignments stood there.
    if (changed) func.bindings = new Map();
    return (
      changed !== undefined && this.record(phase, name, func, changed, performance.now() - start)
    );
  }

  emit(func: Func): CompileResult | undefined {
    const start = performance.now();
    const emitted = this.guard('emit', () => emit(func, this.request), func);
    if (!emitted) return undefined;
    this.record('emit', 'emit', func, false, performance.now() - start);
    const { log, diagnostics } = this;
    switch (emitted.kind) {
      case 'regroup':
        return emitted;
      case 'failed':
        return { kind: 'failed', log, diagnostics: [...diagnostics, ...emitted.diagnostics] };
      case 'compiled':
        return { kind: 'compiled', kernel: emitted.kernel, log, diagnostics };
      default:
        return emitted satisfies never;
    }
  }

  private record(
    phase: PassRecord['phase'],
    name: string,
    func: Func,
    changed: boolean,
    milliseconds: number,
  ): boolean {
    const { keepIr, verify: verifies } = this.request.options;
    const index = this.log.length;
    const before = this.log[index - 1];
    // Printing a long kernel after each of two dozen passes takes longer than the passes.
    const { text, locations } = !keepIr
      ? { text: '', locations: [] }
      : before && !changed
        ? { text: before.ir, locations: before.locations }
        : printFunc(func);
    const record = { index, name, phase, changed, milliseconds, ir: text, locations };
    this.log.push(record);
    const problem = verifies ? verify(func)[0] : undefined;
    if (problem) {
      const notes = [{ message: problem.message, location: problem.location }];
      this.diagnostics.push(internalError(name, 'it left invalid IR', func, notes));
      return false;
    }
    this.observe?.(record, func);
    return true;
  }

  /** What `body` returns; undefined, with a diagnostic, where it throws. */
  private guard<T>(name: string, body: () => T, func?: Func): T | undefined {
    try {
      return body();
    } catch (error) {
      if (error instanceof OutOfWorkgroupMemory) this.exchangeTooSmall = true;
      if (error instanceof DiagnosticError) this.diagnostics.push(error.diagnostic);
      else {
        const message = error instanceof Error ? error.message : String(error);
        const stack = error instanceof Error ? (error.stack ?? '') : '';
        const notes = [{ message: stack.split('\n').slice(1, 6).join('\n') }];
        this.diagnostics.push(internalError(name, message, func ?? this.fallback(), notes));
      }
      return undefined;
    }
  }
  /** Where the kernel stands, for faults before there is IR. */
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
