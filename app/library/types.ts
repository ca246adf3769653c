/** The public types of the package. They reach contracts of the compiler, and no code. */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { CompiledKernel, PassRecord, Specialization } from '../../compiler/program';
import type { ScheduleDecision } from '../../compiler/schedule';
import type { Target } from '../../compiler/target';
import type { Timing } from '../timing';

export type { Timing };

/**
 * A value of a `tl.constexpr` parameter. Whole numbers are Python ints, as they are, beyond 2 ** 53
 * as well: a float is `{ float }`.
 */
export type ConstexprValue = number | bigint | boolean | string | null | { readonly float: number };
/** By the kernel's parameters; those with a default may be left out. */
export type Signature = Readonly<Record<string, ConstexprValue>>;

export interface CompileOptions {
  /** Types of the arguments, and values of `tl.constexpr` ones; absent: guessed from the text. */
  readonly signature?: Signature | undefined;
  readonly numWarps?: number | undefined;
  /** Only 1 matters: loops prefetch no loads. */
  readonly numStages?: number | undefined;
  readonly sameBuffer?: readonly (readonly string[])[] | undefined;
  /** A profile by its id (`TARGETS`), or a target; absent: what every adapter can run. */
  readonly target?: string | Target | undefined;
  /** Keep the printed IR of every pass. */
  readonly passes?: boolean | undefined;
  /** The WGSL holds the lines of the program as comments; absent: it does. */
  readonly comments?: boolean | undefined;
  /**
   * Compile as the page does for its own runtime: accesses out of range report themselves, the
   * verifier runs between passes, and there is no launch function.
   */
  readonly checked?: boolean | undefined;
}

export interface CompileInput extends CompileOptions {
  /** Python text, or the texts of several modules by file name. */
  readonly source: string | Readonly<Record<string, string>>;
  /** Absent where the program has one kernel. */
  readonly kernel?: string | undefined;
}

/** One `@group(0) @binding(index)` of the WGSL, in order. */
export interface Binding {
  readonly index: number;
  readonly type: 'read-only-storage' | 'storage' | 'uniform';
  /** The pointer arguments whose buffer is bound there; several must lie in one buffer. */
  readonly arguments: readonly string[];
}

/** An ES module that needs nothing but WebGPU: `createKernel(device)` gives `run` and `encode`. */
export interface LaunchModule {
  readonly js: string;
  readonly dts: string;
}

export interface Compiled {
  readonly ok: true;
  readonly name: string;
  readonly wgsl: string;
  readonly entryPoint: string;
  readonly workgroupSize: number;
  /** WebGPU features that the device must have. */
  readonly features: readonly string[];
  readonly bindings: readonly Binding[];
  /** The launch function as text; null with `checked`. */
  readonly launch: LaunchModule | null;
  /** The whole description, for `createRuntime`. Plain data: it may be kept as JSON. */
  readonly kernel: CompiledKernel;
  readonly specialization: Specialization;
  /** Names of the kernel's parameters, in order. */
  readonly parameters: readonly string[];
  readonly subgroupSize: Target['subgroupSize'];
  /** Decisions of the compiler: the choice, the reason, and the next best. */
  readonly schedule: readonly ScheduleDecision[];
  readonly diagnostics: readonly Diagnostic[];
  readonly passes: readonly PassRecord[];
}

export interface Failed {
  readonly ok: false;
  readonly name: string;
  readonly diagnostics: readonly Diagnostic[];
  readonly passes: readonly PassRecord[];
}

export type CompileOutput = Compiled | Failed;

export interface KernelInfo {
  readonly name: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly parameters: readonly { readonly name: string; readonly constexpr: boolean }[];
  /** Another kernel calls it. */
  readonly helper: boolean;
  /** Without a signature it can be compiled: all of its arguments can be guessed. */
  readonly guessed: boolean;
}

export interface Program {
  readonly kernels: readonly KernelInfo[];
  /** Mistakes in the text, found without a signature. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * @param kernel its name, or one of `kernels`; absent where there is one.
   * @throws HippocampError `unknown-kernel`, `unknown-target`, `bad-signature`
   */
  readonly compile: (kernel?: string | KernelInfo, options?: CompileOptions) => CompileOutput;
}

/** Elements of a contiguous tensor. */
export interface Tensor {
  readonly buffer: GPUBuffer;
  /** Bytes from the buffer's start. */
  readonly offset: number;
  /** Bytes of the elements, without padding. */
  readonly bytes: number;
  /** The compiler's name: `float32`, `int32`, `float16`, `int1` for booleans … */
  readonly dtype: string;
  readonly shape: readonly number[];
}

export interface TensorInput {
  /** Elements; required without `data`. */
  readonly shape?: readonly number[];
  /**
   * The compiler's name, a signature's (`fp32`) or `bool`. Required without `data`, or where the
   * array's type does not say it (`Uint16Array`).
   */
  readonly dtype?: string;
  /** Values that are uploaded into new memory. */
  readonly data?: ArrayBufferView;
  /** The caller's buffer, with the usage STORAGE, in place of new memory. */
  readonly buffer?: GPUBuffer;
  /** Bytes, with `buffer`. */
  readonly offset?: number;
}

/** Part of a buffer, in bytes; without a size, up to its end. */
export interface Elements {
  readonly buffer: GPUBuffer;
  readonly offset?: number;
  readonly size?: number;
}
/** A tensor, a buffer or a part of one. */
export type Pointer = Tensor | Elements | GPUBuffer;
/** A pointer's or a scalar's value. */
export type Argument = Pointer | number | bigint | boolean;
/** By the kernel's parameters, without those that are compile-time constants. */
export type Arguments = Readonly<Record<string, Argument>>;
/** Programs in x, y and z. */
export type GridSize = readonly [x: number, y?: number, z?: number];
/** A compile-time constant as JavaScript has it: None is null. */
export type MetaValue = number | boolean | string | null;
/**
 * The compile-time constants by name, without dtypes, tuples and functions. Values are `MetaValue`;
 * a grid function computes with those that it names.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- `n / BLOCK` and `ACT === null` both hold.
export type Meta = Readonly<Record<string, any>>;
/** A grid from the values of the compile-time constants, as in Triton. */
export type GridFunction = (meta: Meta) => GridSize;
export type Grid = GridSize | GridFunction;

/** A launch whose arguments are checked and bound once. */
export interface Bound {
  /** Encodes it into a compute pass of the caller's. */
  encode(pass: GPUComputePassEncoder): void;
  /** Submits it. @throws HippocampError `device-lost` */
  run(): void;
}

/** A kernel with its pipeline; `Args` are the arguments of its launches. */
export interface Kernel<Args extends object = Arguments> {
  readonly name: string;
  /**
   * Checks, encodes and submits a launch.
   * @throws HippocampError `bad-argument`, `bad-grid`, `limit`, `device-lost`
   */
  launch(grid: Grid, args: Args): void;
  /** The same, checked and bound once, for many runs. @throws HippocampError as `launch` */
  bind(grid: Grid, args: Args): Bound;
}

/** The part of `compile`'s answer that a launch needs. Plain data. */
export type Loadable = Pick<
  Compiled,
  'name' | 'kernel' | 'specialization' | 'parameters' | 'subgroupSize'
>;

export interface TimeOptions {
  /** Launches that are measured, after as many as warm up: 1 or more; 20 if absent. */
  readonly repetitions?: number;
}

export interface AutotuneOptions<Config> {
  readonly configs: readonly Config[];
  /** Compiles a configuration. One that the device cannot run is left out. */
  readonly load: (config: Config) => Promise<Loadable | Failed>;
  readonly grid: Grid;
  readonly args: Arguments;
  /** Names of tensors whose contents the runs must not change: they are put back. */
  readonly restore?: readonly string[];
}
export interface Tuned<Config> {
  readonly best: Config;
  readonly kernel: Kernel;
  /** In the order of the configurations; null where it does not run on this device. */
  readonly timings: readonly (Timing | null)[];
}

export interface Runtime {
  readonly device: GPUDevice;
  /** The device as a target, for `compile`. */
  readonly target: Target;
  /** A tensor of new memory, or one over a buffer of the caller's, which is not copied. */
  tensor(input: TensorInput): Tensor;
  /**
   * Makes the pipeline; of several codes of a kernel, that of the first that the device can run.
   * @throws HippocampError `not-compiled`, `missing-feature`, `limit`, `rejected`, `device-lost`
   */
  load<Args extends object = Arguments>(
    compiled: Loadable | Failed | readonly Loadable[],
  ): Promise<Kernel<Args>>;
  /**
   * The bytes of a tensor after all launches before.
   * @throws HippocampError `device-lost`; `bad-argument` where the buffer is destroyed or mapped
   */
  read(tensor: Tensor): Promise<ArrayBuffer>;
  /** Microseconds of one launch: of the GPU's clock where the device has `timestamp-query`. */
  time(launch: Bound, options?: TimeOptions): Promise<Timing>;
  /**
   * Measures every configuration. Where none runs it rejects with the last one's HippocampError:
   * `missing-feature`, `limit` or `rejected`.
   */
  autotune<Config>(options: AutotuneOptions<Config>): Promise<Tuned<Config>>;
}
