/**
 * Compilations, cached by specialization. What comes back is everything a launch needs, or the
 * failure as a response for Python. `regroup` answers are cached too: the next launch merges at
 * once.
 */
import { OPTIMIZE_PASSES } from '../../compiler/3-optimize/index';
import { CostModel } from '../../compiler/cost/index';
import type { Diagnostic } from '../../compiler/diagnostics';
import { usesAddresses } from '../../compiler/ir/addresses';
import type { Func } from '../../compiler/ir/ir';
import { printIr } from '../../compiler/ir/printer';
import type { Compiler, PassObserver } from '../../compiler/pipeline';
import {
  DEFAULT_OPTIONS,
  type CompiledKernel,
  type CompileRequest,
  type CompilerServices,
  type ConstexprAnswer,
  type KernelProgram,
  type Regroup as RegroupAnswer,
  type Specialization,
  type DebugMode,
  type Instrumentation,
} from '../../compiler/program';
import type { Target } from '../../compiler/target';
import type { LaunchResponse } from '../workers/bridge';
import type { Unit } from './engine';
import { specializationKey } from './key';

interface Common {
  readonly key: string;
  readonly request: CompileRequest;
  readonly milliseconds: number;
  readonly diagnostics: readonly Diagnostic[];
}
export type CompiledUnit = Common &
  (
    | { readonly ok: true; readonly unit: Unit; readonly ttir: string }
    | { readonly ok: false; readonly response: LaunchResponse }
  );
export interface Regroup {
  readonly regroup: readonly (readonly number[])[];
  /** Groups that must lie in the arena, which the kernel then needs. */
  readonly arena?: readonly number[];
}

export interface UnitRequest {
  readonly programId: number;
  readonly program: KernelProgram;
  readonly specialization: Specialization;
  readonly target: Target;
  readonly linearGrid: boolean;
  readonly manyPrograms: boolean;
  readonly debug: DebugMode;
  readonly instrumentation?: Instrumentation | undefined;
  /** A tuning's. */
  readonly choices?: Readonly<Record<string, number | boolean>> | undefined;
  readonly interpreter: boolean;
  readonly services: CompilerServices;
}

/** Result of either way of compiling. */
type Built =
  | {
      readonly kind: 'compiled';
      readonly kernel?: CompiledKernel;
      readonly func?: Func;
      readonly diagnostics: readonly Diagnostic[];
    }
  | { readonly kind: 'failed'; readonly diagnostics: readonly Diagnostic[] }
  | RegroupAnswer;

/** Compilations kept; a page that is open for days must not grow without end. */
const CAPACITY = 1000;

export class CompileCache {
  private readonly units = new Map<string, CompiledUnit | Regroup>();
  private readonly targets = new WeakMap<Target, string>();

  constructor(private readonly compiler: Compiler) {}

  /** The result of an earlier `get` of the same request; undefined where there was none. */
  peek(request: UnitRequest): CompiledUnit | Regroup | undefined {
    return this.units.get(this.textOf(request));
  }

  get(request: UnitRequest): CompiledUnit | Regroup {
    const text = this.textOf(request);
    const cached = this.units.get(text);
    if (cached) return cached;
    const { made, threw } = this.build(request);
    // The program's own code threw, by a Stop perhaps, and need not throw again.
    if (threw) return made;
    if (this.units.size >= CAPACITY) this.units.clear();
    this.units.set(text, made);
    return made;
  }

  private textOf(request: UnitRequest): string {
    return [
      request.programId,
      request.interpreter,
      request.linearGrid,
      request.manyPrograms,
      request.debug,
      request.instrumentation ?? '',
      request.choices ? JSON.stringify(request.choices) : '',
      this.nameOf(request.target),
      JSON.stringify(request.specialization),
    ].join('|');
  }

  /** Its name and all it can do: a device opened again may offer less under the same name. */
  private nameOf(target: Target): string {
    const known = this.targets.get(target) ?? JSON.stringify(target);
    this.targets.set(target, known);
    return known;
  }

  /** `threw`: a function of the program's that the compiler called raised an error. */
  private build(from: UnitRequest): { made: CompiledUnit | Regroup; threw: boolean } {
    const calls: ConstexprCalls = { answers: [], threw: false };
    const made = this.buildWith(from, calls);
    return { made, threw: calls.threw };
  }

  private buildWith(from: UnitRequest, calls: ConstexprCalls): CompiledUnit | Regroup {
    const request = compileRequestOf(from);
    const name = from.program.functions[from.program.entry]?.name ?? 'kernel';
    const start = performance.now();
    let ttir = '';
    let cost: CostModel | null = null;
    const observe: PassObserver = (record, func) => {
      if (record.phase === 'lower') ttir = printIr(func);
      // Lowering is the first of the log.
      if (record.index === OPTIMIZE_PASSES.length) cost = new CostModel(func);
    };
    const { answers } = calls;
    const services = recording(from.services, calls);
    const result: Built = from.interpreter
      ? this.optimize(request, services, observe)
      : this.compiler.compile(request, services, observe);
    const milliseconds = performance.now() - start;
    if (result.kind === 'regroup') {
      const { merge, arena } = result;
      return arena ? { regroup: merge, arena } : { regroup: merge };
    }
    const common: Common = {
      key: specializationKey(request),
      request: answers.length > 0 ? { ...request, answers } : request,
      milliseconds,
      diagnostics: result.diagnostics,
    };
    if (result.kind === 'failed') {
      const errors = result.diagnostics.filter((each) => each.severity === 'error');
      return {
        ...common,
        ok: false,
        response: {
          ok: false,
          kind: 'CompilationError',
          message: errors[0]?.message ?? `${name} could not be compiled`,
          diagnostics: result.diagnostics,
        },
      };
    }
    const { kernel = null, func = null } = result;
    const addresses = func ? usesAddresses(func) : 'none';
    const unit: Unit = { key: common.key, name, kernel, func, addresses, cost };
    return { ...common, ok: true, unit, ttir };
  }

  /** For the interpreter, which no target matters to. */
  private optimize(
    request: CompileRequest,
    services: CompilerServices,
    observe: PassObserver,
  ): Built {
    const { func, diagnostics } = this.compiler.optimize(request, services, observe);
    return func ? { kind: 'compiled', func, diagnostics } : { kind: 'failed', diagnostics };
  }
}

/** The compiler's input for it. */
export function compileRequestOf(from: UnitRequest): CompileRequest {
  return {
    program: from.program,
    specialization: from.specialization,
    target: from.target,
    options: {
      ...DEFAULT_OPTIONS,
      linearGrid: from.linearGrid,
      manyPrograms: from.manyPrograms,
      ...(from.debug ? { debug: from.debug } : {}),
      ...(from.instrumentation ? { instrumentation: from.instrumentation } : {}),
      ...(from.choices ? { choices: from.choices } : {}),
    },
  };
}

/** Calls of the program's functions that a compilation made. */
interface ConstexprCalls {
  readonly answers: ConstexprAnswer[];
  threw: boolean;
}

/** Keeps what Python answers, so that panels can compile again without it. */
function recording(services: CompilerServices, calls: ConstexprCalls): CompilerServices {
  const { callConstexpr } = services;
  if (!callConstexpr) return services;
  return {
    ...services,
    callConstexpr: (...call) => {
      try {
        const value = callConstexpr(...call);
        calls.answers.push({ call: JSON.stringify(call), value });
        return value;
      } catch (error) {
        calls.threw = true;
        throw error;
      }
    },
  };
}
