/**
 * Inputs of the compiler: the text of the program's files, the kernel and the helpers it can reach
 * with the values of their globals, and a specialization. Plain data: it crosses workers unchanged.
 * Python makes it for a launch (`app/python/triton`); `1-parse` makes it from the text alone.
 */
import type { Diagnostic } from './diagnostics';
import type { Value } from './ir/ir';
import type { Location } from './ir/location';
import type { ScheduleDecision } from './schedule';
import { machineOf, type Target } from './target';
import type { CompiledKernel } from './compiled';

export * from './compiled';

/**
 * Triton's dtype names, signedness included: 'int32', 'uint8', 'float16', 'int1', 'float8e4nv' …
 */
export type TritonDtype = string;

/**
 * A number or a string may be a `member` of an enum, by its name in Python: to a
 * kernel it is what it is besides, to `CompilerServices.callConstexpr` the member.
 */
export interface EnumMember {
  readonly member?: string;
}

/** A Python value that a kernel can see at compile time. */
export type StaticValue =
  | { readonly kind: 'none' }
  | { readonly kind: 'bool'; readonly value: boolean }
  /** Decimal digits: Python integers are unbounded. */
  | ({ readonly kind: 'int'; readonly value: string } & EnumMember)
  /** `Infinity`, `-Infinity` and `NaN` do not survive JSON, so a string: Python's `repr(float)`. */
  | ({ readonly kind: 'float'; readonly value: string } & EnumMember)
  | ({ readonly kind: 'string'; readonly value: string } & EnumMember)
  | { readonly kind: 'dtype'; readonly name: TritonDtype }
  /** A plain or named tuple, or a list. */
  | {
      readonly kind: 'tuple';
      readonly items: readonly StaticValue[];
      readonly fields?: readonly string[];
      readonly type?: string;
    }
  /** `tl.constexpr(value)`. */
  | { readonly kind: 'constexpr'; readonly value: StaticValue }
  /** A `@triton.jit` function, by its id in `KernelProgram.functions`. */
  | { readonly kind: 'function'; readonly id: string }
  /** A `@triton.constexpr_function`: evaluated by `CompilerServices.callConstexpr`. */
  | {
      readonly kind: 'constexpr_function';
      readonly id: string;
      readonly name: string;
      /** As `KernelFunction.mustUse`. */
      readonly mustUse?: string;
    }
  /**
   * A module or anything in `triton`, by its full path: 'triton.language', 'triton.language.load'.
   */
  | { readonly kind: 'triton'; readonly path: string }
  /** A module of the program: those of its names that the function could mean. */
  | {
      readonly kind: 'module';
      readonly name: string;
      readonly members: Readonly<Record<string, StaticValue>>;
      /** As of any other object: a class may be called. */
      readonly reference?: string;
    }
  /** A class of named tuples. */
  | {
      readonly kind: 'namedtuple';
      readonly name: string;
      readonly fields: readonly string[];
      readonly defaults: Readonly<Record<string, StaticValue>>;
    }
  /** A class under `@triton.aggregate`. */
  | { readonly kind: 'aggregate'; readonly description: AggregateClass }
  /** A Python builtin: 'range', 'min', 'float', 'print' … */
  | { readonly kind: 'builtin'; readonly name: string }
  /**
   * Any other object: using it is an error that names its type. `unread`: only the text was read,
   * and it does not say what the name stands for. `reference`: the name in Python of the
   * object; it may be called with compile-time values, and its attributes be read, by
   * `CompilerServices.callConstexpr`.
   */
  | {
      readonly kind: 'other';
      readonly type: string;
      readonly unread?: true;
      readonly reference?: string;
    };

/** A kernel's view of a class under `@triton.aggregate`. */
export interface AggregateClass {
  readonly id: string;
  readonly name: string;
  /** In order; `type` is the name of the annotation: 'tensor', 'constexpr', 'tuple' … */
  readonly fields: readonly { readonly name: string; readonly type: string }[];
  readonly defaults: Readonly<Record<string, StaticValue>>;
  /** By name, with the function's id in `KernelProgram.functions`. */
  readonly methods: Readonly<
    Record<string, { readonly function: string; readonly isStatic: boolean }>
  >;
}

export interface KernelFunction {
  readonly id: string;
  readonly name: string;
  /** A key of `KernelProgram.files`. */
  readonly file: string;
  /** The 1-based line of its first decorator or of `def`. */
  readonly line: number;
  /** Every global, closure and builtin name that the body uses and that has a value. */
  readonly globals: Readonly<Record<string, StaticValue>>;
  /** Default values of parameters, by name. */
  readonly defaults: Readonly<Record<string, StaticValue>>;
  readonly noinline?: boolean;
  /** `@triton.must_use_result`, with its words for the message. */
  readonly mustUse?: string;
  /** Under `@gluon.jit`: the tiles of a kernel have their author's layouts. */
  readonly gluon?: boolean;
  /** A plain function of Python, run while compiling: numbers in it stay Python's. */
  readonly python?: boolean;
}

export interface KernelProgram {
  readonly files: Readonly<Record<string, string>>;
  readonly functions: Readonly<Record<string, KernelFunction>>;
  /** The kernel, a key of `functions`. */
  readonly entry: string;
}

/** One argument of a launch, as far as the code depends on it. */
export type ArgumentSpec =
  | {
      readonly kind: 'pointer';
      readonly dtype: TritonDtype;
      /** The address is a multiple of 16. */
      readonly divisibleBy16: boolean;
      /** Which binding group it lies in; groups are numbered from 0 without gaps. */
      readonly group: number;
      /** `tl.const`: stores are errors. */
      readonly readonly?: boolean;
      /** Its tensor's memory begins and ends at multiples of 16 bytes; not known where absent. */
      readonly wholeVectors?: boolean;
    }
  | {
      readonly kind: 'scalar';
      /** 'int1', 'int32', 'int64', 'uint64', 'fp32' as 'float32'. */
      readonly dtype: TritonDtype;
      readonly divisibleBy16: boolean;
    }
  | { readonly kind: 'constexpr'; readonly value: StaticValue }
  | {
      readonly kind: 'tuple';
      readonly items: readonly ArgumentSpec[];
      readonly fields?: readonly string[];
      /**
       * The tuple is a tensor descriptor made on the host: its items are the base pointer, then the
       * sizes, then the strides of `blockShape.length` dimensions.
       */
      readonly descriptor?: {
        readonly blockShape: readonly number[];
        /** 'zero' or 'nan'. */
        readonly padding: string;
      };
    };

export interface Specialization {
  /** One for each parameter of the kernel, in order. */
  readonly arguments: readonly ArgumentSpec[];
  /**
   * The group in which everything lies that a pointer made of an integer can point to, each storage
   * at its address less the arena's; absent until the compiler requires it.
   */
  readonly arena?: number;
  readonly numWarps: number;
  /** The program gives `numWarps` itself; absent: it is Triton's default, and the threads ours. */
  readonly statedWarps?: true;
  /** Loops that have no `num_stages` of their own prefetch no loads; absent: the default. */
  readonly numStages?: 1;
}

/**
 * True compiles `tl.device_assert` and `assert`, and asserts that sums, differences and products of
 * integers do not overflow, as Triton does; `assertions` leaves out the latter
 * (`sanitize_overflow=False`).
 */
export type DebugMode = boolean | 'assertions';

/**
 * Floats are computed as integers of a ring (`3-optimize/fp_sanitizer.ts`): `fpsan` as Triton's
 * `instrumentation_mode` does it, `prove` with an order and infinities that proofs need.
 */
export type Instrumentation = 'fpsan' | 'prove';

export interface CompileOptions {
  /** Run the verifier between passes. */
  readonly verify: boolean;
  /** Keep the printed IR of every pass. */
  readonly keepIr: boolean;
  /** Make out-of-range loads and stores report themselves (see `CompiledKernel.boundsReport`). */
  readonly checkBounds: boolean;
  /**
   * The grid has a dimension above the target's limit: the program ids come from a linear index.
   */
  readonly linearGrid: boolean;
  /**
   * The grid has so many programs that every core has work where a workgroup takes several
   * (`CompiledKernel.programs`).
   */
  readonly manyPrograms?: boolean;
  /**
   * Choices of distribution that a tuning sets; absent, all are the compiler's. They change no
   * result beyond rounding (`4-distribute/choices.ts`).
   */
  readonly choices?: Readonly<Record<string, number | boolean>>;
  /** Whether `debug=True` is set. */
  readonly debug?: DebugMode;
  readonly instrumentation?: Instrumentation;
  /** False: WGSL without the lines of the program as comments. */
  readonly quotes?: boolean;
}

/**
 * So many programs are dozens of workgroups where each takes eight: enough for every core to have
 * its share.
 */
const MANY_PROGRAMS = 256;

/** The options that follow from the grid. Compilations differ by it, so it is little. */
export function gridOptions(
  grid: readonly [number, number, number],
  target: Target,
): Required<Pick<CompileOptions, 'linearGrid' | 'manyPrograms'>> {
  const [x, y, z] = grid;
  return {
    linearGrid: grid.some((size) => size > target.maxWorkgroupsPerDimension),
    manyPrograms: machineOf(target).smallCodeCache && x * y * z >= MANY_PROGRAMS,
  };
}

export const DEFAULT_OPTIONS: CompileOptions = {
  verify: false,
  keepIr: false,
  checkBounds: true,
  linearGrid: false,
};

export interface CompileRequest {
  readonly program: KernelProgram;
  readonly specialization: Specialization;
  readonly target: Target;
  readonly options: CompileOptions;
  /** What Python answered when this was compiled first: for compilers that have no Python. */
  readonly answers?: readonly ConstexprAnswer[];
}

/** A call of `CompilerServices.callConstexpr`: its arguments as JSON, and what came back. */
export interface ConstexprAnswer {
  readonly call: string;
  readonly value: StaticValue;
}

/** The value of an expression of a kernel, for observers of the lowering. */
export interface Observed {
  /** With the calls that inlined it. */
  readonly location: Location;
  /** `fp32[128, 64]`, `constexpr[4]`. */
  readonly type: string;
  /** For a tile or scalar that exists at run time: its value in the IR, and Triton's dtype. */
  readonly tensor: { readonly handle: Value; readonly dtype: string } | null;
}

/** Services that the compiler needs from outside. */
export interface CompilerServices {
  /** Calls a `@triton.constexpr_function`; absent where there is no Python. */
  callConstexpr?(
    id: string,
    args: readonly StaticValue[],
    keywords: Readonly<Record<string, StaticValue>>,
  ): StaticValue;
  /** Called with the value of every expression; live IR, which the passes will change. */
  observe?(observed: Observed): void;
  /** `tl.static_print`. */
  print?(text: string, location: Location): void;
}

/** One line of the pipeline's log. Keyed by index: a pass may run twice. */
export interface PassRecord {
  readonly index: number;
  /** The pass's name: its file and function too. */
  readonly name: string;
  readonly phase: 'lower' | 'optimize' | 'distribute' | 'threads' | 'emit';
  readonly changed: boolean;
  readonly milliseconds: number;
  /** The IR after it, as text; empty unless `keepIr`. */
  readonly ir: string;
  /** For each line of `ir`, where it comes from; empty unless `keepIr`. */
  readonly locations: readonly (Location | null)[];
}

/** Some pointers meet at run time: compile again with each list of groups merged into one. */
export interface Regroup {
  readonly kind: 'regroup';
  readonly merge: readonly (readonly number[])[];
  /** The kernel needs an arena, with these groups in it. */
  readonly arena?: readonly number[];
}
export type CompileResult =
  | {
      readonly kind: 'compiled';
      readonly kernel: CompiledKernel;
      readonly log: readonly PassRecord[];
      readonly diagnostics: readonly Diagnostic[];
      readonly schedule: readonly ScheduleDecision[];
    }
  | Regroup
  | {
      readonly kind: 'failed';
      readonly log: readonly PassRecord[];
      readonly diagnostics: readonly Diagnostic[];
    };
