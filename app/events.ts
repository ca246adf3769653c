/**
 * Everything a program does is an event on one typed stream. Panels are views of that stream, and
 * so is the headless runner's report; there is no second way to learn what happened. Plain data.
 */
import type { Timing } from './timing';
import type { Diagnostic } from '../compiler/diagnostics';
import type { PassCheck } from '../compiler/interpret/checkPasses';
import type { Verification } from '../compiler/inspect/verify';
import type { Location } from '../compiler/ir/location';
import type { CompileRequest } from '../compiler/program';
import type { LaunchValue } from './workers/bridge';

/** A line of the user's program: where a launch or a comparison was called. */
export interface CallSite {
  readonly file: string;
  readonly line: number;
}

/** Site of what stands at no line of the program: a comparison of a hidden check. */
export const NOWHERE: CallSite = { file: '', line: 0 };

export type { Timing };

/** Places of a tensor's elements: in its storage, and in the copy that the page may query. */
export interface TensorPlace {
  readonly storage: number;
  /** In elements. */
  readonly offset: number;
  readonly strides: readonly number[];
  readonly dtype: string;
  /** Id of the copy of its elements (`app/inspection`); null where none is held. */
  readonly data: string | null;
}

/** Summary of a tensor for the panels, without all of its elements. */
export interface TensorSummary {
  /** As the program could write it: `out`, `results['gold'][0]`, `model.fc.weight`. */
  readonly name: string | null;
  /** Other names of the same tensor. */
  readonly also: readonly string[];
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly device: string;
  readonly place: TensorPlace;
  readonly count: number;
  readonly nanCount: number;
  readonly infCount: number;
  /** Over the finite elements; null where there are none. */
  readonly min: number | null;
  readonly max: number | null;
  readonly mean: number | null;
  /** At most 64×64 values for a table and a heatmap, row-major, strided through the last two
   * dimensions; 'nan', 'inf', '-inf' are strings. */
  readonly preview: Preview;
}
export interface Preview {
  readonly rows: number;
  readonly columns: number;
  /** How many elements lie between neighbours of the preview in each direction. */
  readonly rowStep: number;
  readonly columnStep: number;
  readonly values: readonly (number | 'nan' | 'inf' | '-inf')[];
}

/** One operand of one `tl.device_print`, in one program. */
export interface DevicePrint {
  readonly program: readonly [number, number, number];
  readonly location: Location;
  /** As Triton pads it: ` x: `. */
  readonly prefix: string;
  readonly operand: number;
  /** 0 for a print without values. */
  readonly operands: number;
  readonly shape: readonly number[];
  /** Row-major, as they are printed; null for what was dropped. */
  readonly values: readonly (string | null)[];
}

/** Operations on numbers, by the type they are computed on. A fused multiply-add counts as two. */
export interface Operations {
  readonly f64: number;
  /** Those of bf16 and of 8-bit floats too, which are computed in f32. */
  readonly f32: number;
  readonly f16: number;
  readonly integer: number;
}

/** A stretch of time of the run. Spans of one track do not overlap. */
export interface TraceSpan {
  readonly track: TraceTrack;
  readonly name: string;
  /** Milliseconds since the run began. */
  readonly start: number;
  readonly duration: number;
  /** The launch it belongs to. */
  readonly launch?: number;
}
/**
 * `torch`: computed on the CPU; `compile`: by our compiler; `pipeline`: by the GPU's; `launch`:
 * Python to encoded commands; `wait`: for the GPU; `gpu`: on the GPU's clock, put where the CPU's
 * clock saw it end. What is none of these is Python's.
 */
export type TraceTrack =
  'compile' | 'pipeline' | 'upload' | 'launch' | 'wait' | 'readback' | 'torch' | 'gpu';

/** Bytes and operations of a launch, counted from its IR and its arguments (`compiler/cost`). */
export interface LaunchCost {
  /**
   * Bytes that have to come from memory, and go there, at least once: what the programs ask for,
   * but no more of a tensor than it has.
   */
  readonly readBytes: number;
  readonly writtenBytes: number;
  /**
   * Bytes that the programs ask for, masks counted as full: what caches do not keep is moved so
   * often.
   */
  readonly requestedBytes: number;
  readonly operations: Operations;
  /** Why the counts are not exact: a loop's end stands in a tensor, say. Null where they are. */
  readonly uncertain: string | null;
  /** For one program. Absent on the interpreter. */
  readonly resources?: {
    readonly threads: number;
    /** Registers of a thread, estimated by the compiler. */
    readonly registers: number;
    readonly workgroupBytes: number;
  };
}

/** A launch's rates, and how near they are to what the adapter can do. */
export interface Achieved {
  readonly bytesPerSecond: number;
  /** Floating-point operations; integers where there are no others. */
  readonly operationsPerSecond: number;
  /**
   * The time that memory and arithmetic need at least, by the calibration, over the time it took: 1
   * is on the roof. Above 1 the data came from a cache. Null without a calibration.
   */
  readonly roofline: number | null;
  /** Which of them takes longer. */
  readonly bound: 'memory' | 'arithmetic';
  /** The limit of the launch; null without a calibration. */
  readonly limit?: Limit | null;
}

/**
 * The limit of a launch (`runtime/verdict.ts`). `occupancy`: too few threads for the device;
 * `latency`: enough threads, and no roof is near.
 */
export type Limit = 'launch overhead' | 'bandwidth' | 'arithmetic' | 'occupancy' | 'latency';

export interface Calibration {
  readonly adapter: string;
  /** Read plus written, of a copy larger than the caches. */
  readonly bytesPerSecond: number;
  /** Multiply-adds count as two. */
  readonly f32PerSecond: number;
  /** Null without `shader-f16`. */
  readonly f16PerSecond: number | null;
  /** Microseconds of a launch that does nothing. Absent where it was not measured. */
  readonly emptyLaunch?: number;
  /** The fewest threads of a launch that reached half of `f32PerSecond`. */
  readonly halfRateThreads?: number;
  /** It was measured in an earlier run. */
  readonly fromCache: boolean;
}

export interface TunedConfiguration {
  /** `BLOCK_M: 64, num_warps: 4, num_stages: 3`. */
  readonly text: string;
  readonly settings: Readonly<Record<string, string | number | boolean | null>>;
  readonly state:
    | 'waiting'
    | 'measured'
    /** Its first samples were clearly slower than the best: it was not measured further. */
    | 'dropped'
    /** It does not compile or needs more than the adapter has: `error` says what. */
    | 'failed'
    /** The time for tuning was spent before. */
    | 'skipped'
    /** It launches what an earlier configuration does, `sameAs`: the same code on the same grid. */
    | 'same';
  /** The place of that configuration in the list. */
  readonly sameAs?: number;
  /**
   * The specialization that it launches, by its key in `compile` and `specialization`; absent until
   * known.
   */
  readonly specialization?: string;
  /** Null where there are no samples. */
  readonly timing: Timing | null;
  /** The median of the default's schedule in the same rounds, in microseconds. */
  readonly reference?: number;
  readonly error: string | null;
}

/** The smallest case of a sweep that fails. */
export interface SweepFailure {
  /** `M=1, N=129, float16, x transposed`. */
  readonly case: string;
  readonly message: string;
  /** The line of the program that raised it, where there is one. */
  readonly line: number | null;
  /** The name of a program that runs this case alone, and its text; null where it has none. */
  readonly file: string | null;
  readonly program: string | null;
}

export type ProgramEvent =
  | {
      readonly type: 'started';
      readonly adapter: AdapterInfo;
      /** Milliseconds since the epoch. */
      readonly time: number;
    }
  | { readonly type: 'print'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  /** Prints of a launch (`tl.device_print`): known when the launch is done. */
  | {
      readonly type: 'device-print';
      readonly launch: number;
      readonly kernel: string;
      /** In the order of the programs' ids, then of the prints in a program. */
      readonly prints: readonly DevicePrint[];
      /** Values that found no room. */
      readonly dropped: number;
    }
  /** A figure of matplotlib's that the program showed or saved. */
  | {
      readonly type: 'figure';
      /** Its file, or `Figure 1`. */
      readonly name: string;
      /** A data address of a PNG or an SVG. */
      readonly image: string;
    }
  /** A kernel was compiled for a specialization not seen before in this worker. */
  | {
      readonly type: 'compile';
      /** Identifies the specialization in later events. */
      readonly key: string;
      readonly request: CompileRequest;
      readonly milliseconds: number;
      readonly diagnostics: readonly Diagnostic[];
    }
  /**
   * A specialization that the run named without compiling it: a configuration that was not
   * measured.
   */
  | { readonly type: 'specialization'; readonly key: string; readonly request: CompileRequest }
  | {
      readonly type: 'launch';
      readonly id: number;
      readonly kernel: string;
      readonly grid: readonly [number, number, number];
      readonly key: string;
      readonly site: CallSite;
      /** As the launch panel shows it: "x_ptr: *fp32 [98432]", "BLOCK_SIZE = 1024". */
      readonly arguments: readonly string[];
      readonly device: 'webgpu' | 'interpreter' | 'cuda';
      /** Set when the launch is one of the repetitions of a benchmark. */
      readonly benchmark: boolean;
      /** For each leaf of the arguments, in order: a scalar, or a storage and the byte the pointer
       * starts at; null for constexprs. */
      readonly values: readonly LaunchValue[];
      /** Bytes and operations; absent where they could not be counted. */
      readonly cost?: LaunchCost;
    }
  /** Times come later than their launches. */
  | {
      readonly type: 'launch-time';
      readonly id: number;
      readonly timing: Timing;
      /** Absent where the time is below the clock's resolution, or nothing was counted. */
      readonly achieved?: Achieved;
    }
  /**
   * Best rates of this adapter, measured once and kept: the roof of the roofline. At most one a
   * run.
   */
  | { readonly type: 'calibration'; readonly calibration: Calibration }
  /** One tuning, of `@triton.autotune` or of a schedule, sent again as it is measured. */
  | {
      readonly type: 'autotune';
      /** Counts the tunings of a run from 1. */
      readonly id: number;
      readonly kernel: string;
      /** As `TRITON_PRINT_AUTOTUNING` prints it. */
      readonly key: string;
      readonly site: CallSite;
      readonly configurations: readonly TunedConfiguration[];
      /** Index of the winner; null until it is known. */
      readonly best: number | null;
      /** The winner was found in an earlier run on this adapter, and nothing was measured. */
      readonly fromCache: boolean;
      readonly seconds: number;
      readonly done: boolean;
      /** The configurations are schedules of one launch (docs/schedule.md), the default first. */
      readonly schedule?: true;
    }
  | {
      readonly type: 'comparison';
      readonly id: number;
      readonly kind: 'allclose' | 'assert_close' | 'equal';
      readonly passed: boolean;
      readonly site: CallSite;
      readonly shape: readonly number[];
      readonly dtype: string;
      readonly rtol: number;
      readonly atol: number;
      readonly count: number;
      readonly mismatches: number;
      /** `inf` and `nan` where a finite value stands against another one; null without elements. */
      readonly maxAbsolute: number | 'inf' | 'nan' | null;
      readonly maxRelative: number | null;
      readonly nanMismatches: number;
      /**
       * The largest share of its tolerance that an element's error takes; null without a tolerance.
       */
      readonly toleranceUsed: number | null;
      /** The largest share that one step of the dtype takes, at the expected value. */
      readonly roundingShare: number | null;
      /** The first element outside the tolerance, in row-major order. */
      readonly first: {
        readonly index: readonly number[];
        readonly actual: number | string;
        readonly expected: number | string;
      } | null;
      /** Largest absolute error of each cell, at most 64×64 cells. */
      readonly heatmap: Preview | null;
      /** Shapes or dtypes differ, so nothing was compared. */
      readonly message: string | null;
      readonly equalNan: boolean;
      /** For a run in the ring. */
      readonly ring?: RingComparison;
      /** The call as the program has it; null where its text was not found. */
      readonly call: {
        readonly function: string;
        readonly actual: string;
        readonly expected: string;
      } | null;
      /**
       * A weakness that the comparison itself does not show: a reference that the same GPU
       * computed.
       */
      readonly caveat?: string | null;
      /** Null where no side is a kernel's, absent where nobody looked. */
      readonly derived?: DerivedVerdict | null;
      /** The two tensors; null where nothing was compared. */
      readonly actual: TensorPlace | null;
      readonly expected: TensorPlace | null;
    }
  | { readonly type: 'tensor'; readonly site: CallSite | null; readonly tensor: TensorSummary }
  /** Tensors of the program that are not shown, because there are so many. */
  | { readonly type: 'more-tensors'; readonly count: number }
  /** Spans of the run's time; sent now and then, and at the end. */
  | { readonly type: 'trace'; readonly spans: readonly TraceSpan[]; readonly dropped: number }
  /** A lesson's hidden check: whether it held. The first that does not is the last. */
  | {
      readonly type: 'verdict';
      readonly name: string;
      readonly index: number;
      readonly total: number;
      readonly passed: boolean;
      readonly message: string | null;
      /** Names of the checks behind one that failed: they did not run. */
      readonly unreached?: readonly string[];
    }
  /** A sweep of `hippocamp_testing`: a function called with many arguments. */
  | {
      readonly type: 'sweep';
      /** The function's. */
      readonly name: string;
      readonly site: CallSite;
      readonly seed: number;
      /** Cases that it was to have; `left` of them were not run, for time. */
      readonly total: number;
      readonly passed: number;
      /** Cases that the function itself refused with an error. */
      readonly refused: number;
      readonly failed: number;
      readonly left: number;
      readonly failure: SweepFailure | null;
    }
  /** A check's time: launches of the program, made again and measured by the harness. */
  | {
      readonly type: 'measured';
      readonly name: string;
      readonly clock: 'gpu' | 'cpu';
      /** Median, and the least. */
      readonly milliseconds: number;
      readonly least: number;
      readonly samples: number;
      /** Bytes of the inputs and the results. */
      readonly bytes: number;
    }
  /** A chart of `triton.testing.perf_report`, sent again as its points arrive. */
  | {
      readonly type: 'benchmark';
      readonly name: string;
      readonly xName: string;
      readonly xLabel: string;
      readonly yLabel: string;
      readonly xLog: boolean;
      readonly yLog: boolean;
      readonly lines: readonly {
        readonly name: string;
        readonly color: string | null;
        readonly dash: string | null;
        readonly clock: 'gpu' | 'cpu' | 'mixed';
        readonly points: readonly {
          readonly x: number | string;
          readonly y: number;
          readonly low: number | null;
          readonly high: number | null;
        }[];
      }[];
      readonly done: boolean;
      /** Which of `RunOptions.bench.repeats` it is, from 0; absent elsewhere. */
      readonly repeat?: number;
      /** Said to the user under the chart: sizes cut, CPU reference lines. */
      readonly notes: readonly string[];
    }
  /** Result of a launch on the GPU beside that of the interpreter on the same data. */
  | ({
      readonly type: 'verification';
      readonly launch: number;
      readonly kernel: string;
      readonly site: CallSite;
      readonly milliseconds: number;
      /** A text by which a difference can be seen again; null without one. */
      readonly report: string | null;
    } & Verification)
  /** Check mode: the interpreter's result after every pass of one launch. */
  | {
      readonly type: 'check';
      readonly launch: number;
      readonly key: string;
      readonly passes: readonly CheckedPass[];
      /** Programs of the launch; a pass may have been checked for fewer. */
      readonly programs: number;
    }
  /** Compile errors, Python exceptions (with the traceback as a note), out-of-range accesses. */
  | { readonly type: 'diagnostic'; readonly diagnostic: Diagnostic }
  | { readonly type: 'progress'; readonly text: string; readonly fraction: number | null }
  | {
      readonly type: 'finished';
      readonly outcome: 'ok' | 'error' | 'stopped';
      readonly milliseconds: number;
    };

/**
 * A pass of index one past the last, named `gpu`, compares the last IR with what the GPU computed.
 */
export type CheckedPass = PassCheck;

export interface AdapterInfo {
  /** `cuda`: real Triton, on a Jupyter server of the visitor's (`app/jupyter`). */
  readonly kind: 'webgpu' | 'interpreter' | 'cuda';
  /** "NVIDIA H200", "SwiftShader", or why there is no GPU. */
  readonly name: string;
  readonly vendor: string;
  readonly architecture: string;
  readonly reason: string | null;
  /** A driver that computes on the CPU. */
  readonly onCpu?: boolean;
  /** Arithmetic takes denormals for 0 there. */
  readonly flushesDenormals?: boolean;
}

/**
 * A comparison judged by rounding alone (`torch/_derived.py`), whatever tolerance its author wrote.
 */
export interface DerivedVerdict {
  /**
   * `rounding` explains every error, or not (`above`); `unknown` without a reference in float64.
   */
  readonly verdict: 'rounding' | 'above' | 'unknown';
  /** The verdict in a sentence. */
  readonly reason: string;
  /** Error of the worst element, and the rounding there, in ULP of its dtype. */
  readonly ulp: number | null;
  readonly allowed: number | null;
  /** Index of that element; null where every error is within a rounding. */
  readonly index: readonly number[] | null;
  /** Its error as a multiple of what rounding explains; null where one is not finite. */
  readonly times: number | null;
  /** Sums in float16 explain every error, and those in float32 do not. */
  readonly narrow: boolean;
}

/** Facts about a comparison in the ring. */
export interface RingComparison {
  /** Functions of torch that keep no identity of their own, by name, up to here. */
  readonly functions: readonly string[];
  /** Float constants of torch's operations up to here, but for 0, 1 and -1. */
  readonly constants: readonly number[];
  /** Bits of the narrowest format that torch converted a wider float to; null without any. */
  readonly narrowest: number | null;
  /** Digest of the elements of each side: equal where all their bits are. */
  readonly digests: readonly string[];
}

/** Launches to be verified: those of a line, or all. */
export interface VerifyRequest {
  readonly line?: number;
  /** Programs of a sample, where a launch has too many to be interpreted. */
  readonly sample: number;
  /** The sample is drawn from it. */
  readonly seed: number;
}

/**
 * Launches to be sampled: the first of each specialization and grid of a kernel, on a line; of all
 * kernels without `of`.
 */
export interface SampleRequest {
  readonly of?: { readonly file: string; readonly line: number; readonly kernel: string };
  /** Samples of each. */
  readonly rounds: number;
}

/** How a program is run. */
export interface RunOptions {
  readonly adapter: 'webgpu' | 'interpreter';
  /** Larger tensors are refused with an explanation; benchmark points that would exceed it are left
   * out, and the chart says so. Bytes; null where the adapter decides (`runtime/limits.ts`). */
  readonly maxBytes: number | null;
  /**
   * Seconds that one benchmark chart may take: points beyond it are left out, and the chart says
   * so. 0 is no limit; the adapter decides where it is absent.
   */
  readonly chartSeconds?: number;
  /**
   * Seconds that tuning one kernel for one key may take: configurations beyond it are not measured,
   * and the run says so. 0 is no limit; the adapter decides where it is absent.
   */
  readonly tuneSeconds?: number;
  /** Search the schedule of each kernel, within `tuneSeconds`, and use what is kept. */
  readonly tuneChoices?: boolean;
  readonly check: boolean;
  /** Interpret launches on the data that they had, and compare; on a GPU. */
  readonly verify?: VerifyRequest;
  /** Measure the adapter's best rates before the run, where they are not known. */
  readonly calibrate?: boolean;
  /** Repeat launches of a line for their time, on a GPU. */
  readonly sample?: SampleRequest;
  /**
   * Read back from the GPU what launches get, so that the page can run them again step by step.
   * A copy that costs no waiting is kept in any case.
   */
  readonly keepInputs?: boolean;
  /** Keep each of a line's launches that differ in scalars or tensors, not the first alone. */
  readonly keepEvery?: boolean;
  /** Compare the configurations of an autotuned kernel with one another (`comparison` events). */
  readonly compareConfigurations?: boolean;
  /** Empty memory holds other values than those that PyTorch's deterministic mode gives it. */
  readonly otherFill?: boolean;
  /** Names of the data that came with the run (`RunExtras`), which the program opens. */
  readonly data?: readonly string[];
  /** Seed that `torch` starts from when the program sets none. */
  readonly seed: number;
  /**
   * Kernels and torch compute floats in a ring (`numerics/ring`), for `hippocamp prove`: every
   * comparison is one of bits, and lets the program go on.
   */
  readonly ring?: boolean;
  /** Record spans of the run's time, as for the page (`trace` events). */
  readonly traces?: boolean;
  /** False: benchmarks measure nothing, and call what they time once. */
  readonly measures?: boolean;
  /**
   * Measure each chart and each call of `do_bench` so often, and run the charts that the program
   * leaves to others; `warmup` and `rep`, in milliseconds, replace those of the calls.
   */
  readonly bench?: {
    readonly repeats: number;
    readonly warmup?: number;
    readonly rep?: number;
  };
  /** Triton's `instrumentation_mode`, as TRITON_INSTRUMENTATION_MODE would set it. */
  readonly instrumentation?: 'fpsan';
  /** File names of the wheels that came with the run (`app/python/_hippocamp_packages.py`). */
  readonly packages?: readonly string[];
}
export type ProgramFiles = Readonly<Record<string, string>>;

export type { Location };
