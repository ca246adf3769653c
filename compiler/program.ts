/**
 * What the compiler is given: the text of the program's files, the kernel and the helpers it can reach
 * with the values of their globals, and a specialization. Plain data: it crosses workers unchanged.
 * Python makes it for a launch (`app/python/triton`); `1-parse` makes it from the text alone.
 */
import type { Diagnostic } from './diagnostics';
import type { Value } from './ir/ir';
import type { Location } from './ir/location';
import type { ElementType } from './ir/types';
import { isSoftware, type Target } from './target';

/** Triton's dtype names, signedness included: 'int32', 'uint8', 'float16', 'int1', 'float8e4nv' … */
export type TritonDtype = string;

/** A number or a string may be a `member` of an enum, by the name by which Python knows it: to a kernel it is what
 * it is besides, to `CompilerServices.callConstexpr` the member. */
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
  /** A module or anything in `triton`, by its full path: 'triton.language', 'triton.language.load'. */
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
   * Any other object: using it is an error that names its type. `unread`: only the text was read, and it
   * does not say what the name stands for. `reference`: the name by which Python knows the object; it may
   * be called with compile-time values, and asked for its attributes, by `CompilerServices.callConstexpr`.
   */
  | {
      readonly kind: 'other';
      readonly type: string;
      readonly unread?: true;
      readonly reference?: string;
    };

/** What a kernel sees of a class under `@triton.aggregate`. */
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
   * The group in which everything lies that a pointer made of an integer can point to, each storage at
   * its address less the arena's; absent until the compiler asks for it.
   */
  readonly arena?: number;
  readonly numWarps: number;
  readonly numStages: number;
  readonly numCtas: number;
}

/**
 * True compiles `tl.device_assert` and `assert`, and asserts that sums, differences and products of integers
 * do not overflow, as Triton does; `assertions` leaves out the latter (`sanitize_overflow=False`).
 */
export type DebugMode = boolean | 'assertions';

export interface CompileOptions {
  /** Run the verifier between passes. */
  readonly verify: boolean;
  /** Keep the printed IR of every pass. */
  readonly keepIr: boolean;
  /** Make out-of-range loads and stores report themselves (see `CompiledKernel.boundsReport`). */
  readonly checkBounds: boolean;
  /** The grid has a dimension above the target's limit: the program ids come from a linear index. */
  readonly linearGrid: boolean;
  /** The grid has so many programs that every core has work where a workgroup takes several (`CompiledKernel.programs`). */
  readonly manyPrograms?: boolean;
  /** Choices of distribution that a tuning sets; absent, all are the compiler's. They change no result
   * beyond rounding (`4-distribute/choices.ts`). */
  readonly choices?: Readonly<Record<string, number | boolean>>;
  /** Of `debug=True`. */
  readonly debug?: DebugMode;
}

/** So many programs are dozens of workgroups where each takes eight: enough for every core to have its share. */
const MANY_PROGRAMS = 256;

/** What of the options follows from the grid. Compilations differ by it, so it is little. */
export function gridOptions(
  grid: readonly [number, number, number],
  target: Target,
): Required<Pick<CompileOptions, 'linearGrid' | 'manyPrograms'>> {
  const [x, y, z] = grid;
  return {
    linearGrid: grid.some((size) => size > target.maxWorkgroupsPerDimension),
    manyPrograms: isSoftware(target.name) && x * y * z >= MANY_PROGRAMS,
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

/** What an expression of a kernel came to, for those who watch the lowering. */
export interface Observed {
  /** With the calls that inlined it. */
  readonly location: Location;
  /** `fp32[128, 64]`, `constexpr[4]`. */
  readonly type: string;
  /** Of a tile or scalar that exists at run time: its value in the IR, and Triton's dtype. */
  readonly tensor: { readonly handle: Value; readonly dtype: string } | null;
}

/** What the compiler needs from outside. */
export interface CompilerServices {
  /** Calls a `@triton.constexpr_function`; absent where there is no Python. */
  callConstexpr?(
    id: string,
    args: readonly StaticValue[],
    keywords: Readonly<Record<string, StaticValue>>,
  ): StaticValue;
  /** Told what every expression came to; live IR, which the passes will change. */
  observe?(observed: Observed): void;
  /** `tl.static_print`. */
  print?(text: string, location: Location): void;
}

/** One line of the pipeline's log. Keyed by index: a pass may run twice. */
export interface PassRecord {
  readonly index: number;
  /** The pass's name: its file and function too. */
  readonly name: string;
  readonly phase: 'lower' | 'optimize' | 'distribute' | 'emit';
  readonly changed: boolean;
  readonly milliseconds: number;
  /** The IR after it, as text; empty unless `keepIr`. */
  readonly ir: string;
  /** For each line of `ir`, where it comes from; empty unless `keepIr`. */
  readonly locations: readonly (Location | null)[];
}

/** A 32-bit word of the kernel's arguments, in order of position. */
export type UniformWord =
  /** Scalar argument `path` (index, then indices into tuples); `word` 1 is the high half of 64 bits. */
  | {
      readonly kind: 'scalar';
      readonly path: readonly number[];
      readonly dtype: TritonDtype;
      readonly word: 0 | 1;
    }
  /** Where the pointer starts, in elements from the start of its group's buffer. */
  | { readonly kind: 'offset'; readonly path: readonly number[] }
  /** One past the last element that the pointer's storage has, from the start of the group's buffer. */
  | { readonly kind: 'end'; readonly path: readonly number[] }
  /** First element of the pointer's storage, from the start of the group's buffer. */
  | { readonly kind: 'begin'; readonly path: readonly number[] }
  | { readonly kind: 'grid'; readonly axis: 0 | 1 | 2 }
  /** The address at which the arena's buffer begins. */
  | { readonly kind: 'arena'; readonly word: 0 | 1 }
  /**
   * Bytes of the arena; there its table of pages begins: for every 256 bytes 16 bits, how many of them
   * belong to a storage.
   */
  | { readonly kind: 'arena-bytes' }
  /** 0, which no compiler behind ours knows. */
  | { readonly kind: 'zero' }
  /** Of immediates: the first word of the launch's bounds report in the buffer that is bound. */
  | { readonly kind: 'report' }
  /**
   * The linear index of a dispatch's first program: of kernels that run `oneByOne`, or have an exchange in
   * storage. Their dispatches are one-dimensional, of any number of programs.
   */
  | { readonly kind: 'program' };

/** Where the second half of a bounds report begins, and how many words it has. */
export const REPORT_WRITES = 8;
export const REPORT_WORDS = 16;
/** Words after the bounds report: records asked for, failed assertions, the first one's program, site
 * and element. Then the records, of so many words: program, turn, site, element, value (low, high). */
export const DEBUG_HEADER = 8;
export const DEBUG_RECORD = 6;

export interface KernelBinding {
  readonly group: number | 'exchange';
  readonly access: 'read' | 'read_write';
}
export interface CompiledKernel {
  readonly name: string;
  readonly wgsl: string;
  readonly entryPoint: string;
  readonly workgroupSize: number;
  /**
   * Programs that a workgroup runs: one, or, on software adapters, as many as it has threads. Then workgroups count
   * through the programs in linear order, and the last may have some to spare.
   */
  readonly programs: number;
  /** Bytes of workgroup memory used, or of the exchange's storage that take its place. */
  readonly workgroupBytes: number;
  /**
   * `@group(0) @binding(i)`, i = index here; `group` is the binding group of the specialization.
   * `exchange` has `workgroupBytes` for each program of a dispatch (`Target.exchangeInStorage`).
   */
  readonly bindings: readonly KernelBinding[];
  /** `@group(0) @binding(bindings.length)`: a uniform buffer of these u32 words, padded to 16 bytes. */
  readonly uniforms: readonly UniformWord[];
  /**
   * The words are `var<immediate>` instead, padded as well: no binding is a uniform buffer's, and the report
   * takes its place. Its binding is of any length, and the word `report` says where in it to write.
   */
  readonly immediates?: boolean;
  /**
   * With `checkBounds`: `@group(0) @binding(bindings.length + 1)`, `array<atomic<u32>, 16>`, zeroed
   * before a launch. Word 0 counts loads out of range; the first one writes 1: index into `accesses`,
   * 2–4: program id x, y, z, 5: the element offset (as i32) from the start of the group's buffer.
   * The same from word `REPORT_WRITES` on for stores, atomics and waits.
   */
  readonly boundsReport: { readonly accesses: readonly BoundsAccess[] } | null;
  /**
   * The kernel prints or asserts: then the report's binding is there in any case, and goes on after
   * `REPORT_WORDS` with a queue (`5-emit/debug.ts`) as long as the buffer that is bound.
   */
  readonly debugSites?: readonly DebugSite[];
  /**
   * Programs wait for each other (a spin lock), which WebGPU does not promise to let them do, or update
   * 64 bits in one step, which its atomics cannot: each is a dispatch of one workgroup, in linear order, with its index in the word `program`.
   */
  readonly oneByOne: boolean;
  /** WebGPU features the module needs: 'shader-f16', 'subgroups' … */
  readonly features: readonly string[];
  /** For each line of `wgsl`, where it comes from. */
  readonly sourceMap: readonly (Location | null)[];
  /** Registers of 32 bits a thread holds at the most, estimated. */
  readonly registers: number;
}
/** One operand of a `tl.device_print`, or an assertion. */
export type DebugSite =
  | {
      readonly kind: 'print';
      readonly location: Location;
      readonly prefix: string;
      readonly hex: boolean;
      readonly operand: number;
      readonly operands: number;
      /** Null for a print without values. */
      readonly value: {
        readonly element: ElementType;
        readonly shape: readonly number[];
        readonly signed: boolean;
        /** Of a pointer, whose record holds elements from the start of the group's buffer. */
        readonly argument: readonly number[] | null;
      } | null;
    }
  | {
      readonly kind: 'assert';
      readonly location: Location;
      readonly message: string;
      readonly shape: readonly number[];
    };
export interface BoundsAccess {
  readonly location: Location;
  /** `wait`: a loop waited for an atomic that no earlier program has set. */
  readonly kind: 'load' | 'store' | 'atomic' | 'wait';
  /** The path of the pointer argument it goes through; empty for a pointer made of an integer. */
  readonly argument: readonly number[];
  /** Bytes of an element as it is accessed, which may be another than the argument's. */
  readonly elementBytes: number;
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
    }
  | Regroup
  | {
      readonly kind: 'failed';
      readonly log: readonly PassRecord[];
      readonly diagnostics: readonly Diagnostic[];
    };
