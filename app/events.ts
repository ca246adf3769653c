/**
 * Everything a program does is an event on one typed stream. Panels are views of that stream, and so
 * is the headless runner's report; there is no second way to learn what happened. Plain data.
 */
import type { Diagnostic } from '../compiler/diagnostics';
import type { PassCheck } from '../compiler/interpret/checkPasses';
import type { Location } from '../compiler/ir/location';
import type { CompileRequest } from '../compiler/program';

/** A line of the user's program: where a launch or a comparison was called. */
export interface CallSite {
  readonly file: string;
  readonly line: number;
}

/** Microseconds on the GPU's clock, or on the CPU's where there is no GPU clock. */
export interface Timing {
  readonly clock: 'gpu' | 'cpu';
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly samples: number;
  /** The clock's step. A median below it means *below resolution*, and is shown so. */
  readonly quantum: number;
}

/** What the panels show of a tensor without asking for all of it. */
export interface TensorSummary {
  readonly name: string | null;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly device: string;
  readonly storage: number;
  readonly count: number;
  readonly nanCount: number;
  readonly infCount: number;
  /** Of the finite elements; null where there are none. */
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

export type ProgramEvent =
  | {
      readonly type: 'started';
      readonly adapter: AdapterInfo;
      /** Milliseconds since the epoch. */
      readonly time: number;
    }
  | { readonly type: 'print'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  /** What a launch printed (`tl.device_print`): known when the launch is done. */
  | {
      readonly type: 'device-print';
      readonly launch: number;
      readonly kernel: string;
      /** In the order of the programs' ids, then of the prints in a program. */
      readonly prints: readonly DevicePrint[];
      /** Values that found no room. */
      readonly dropped: number;
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
  | {
      readonly type: 'launch';
      readonly id: number;
      readonly kernel: string;
      readonly grid: readonly [number, number, number];
      readonly key: string;
      readonly site: CallSite;
      /** As the launch panel shows it: "x_ptr: *fp32 [98432]", "BLOCK_SIZE = 1024". */
      readonly arguments: readonly string[];
      readonly device: 'webgpu' | 'interpreter';
      /** Set when the launch is one of the repetitions of a benchmark. */
      readonly benchmark: boolean;
    }
  /** Times come later than their launches. */
  | { readonly type: 'launch-time'; readonly id: number; readonly timing: Timing }
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
      readonly maxAbsolute: number | null;
      readonly maxRelative: number | null;
      readonly nanMismatches: number;
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
    }
  | { readonly type: 'tensor'; readonly site: CallSite | null; readonly tensor: TensorSummary }
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
      /** Said to the user under the chart: sizes cut, CPU reference lines. */
      readonly notes: readonly string[];
    }
  /** Check mode: the interpreter's result after every pass of one launch. */
  | {
      readonly type: 'check';
      readonly launch: number;
      readonly key: string;
      readonly passes: readonly CheckedPass[];
    }
  /** Compile errors, Python exceptions (with the traceback as a note), out-of-range accesses. */
  | { readonly type: 'diagnostic'; readonly diagnostic: Diagnostic }
  | { readonly type: 'progress'; readonly text: string; readonly fraction: number | null }
  | {
      readonly type: 'finished';
      readonly outcome: 'ok' | 'error' | 'stopped';
      readonly milliseconds: number;
    };

/** A pass of index one past the last, named `gpu`, compares the last IR with what the GPU computed. */
export type CheckedPass = PassCheck;

export interface AdapterInfo {
  readonly kind: 'webgpu' | 'interpreter';
  /** "NVIDIA H200", "SwiftShader", or why there is no GPU. */
  readonly name: string;
  readonly vendor: string;
  readonly architecture: string;
  readonly reason: string | null;
}

/** How a program is run. */
export interface RunOptions {
  readonly adapter: 'webgpu' | 'interpreter';
  /** Larger tensors are refused with an explanation; benchmark points that would exceed it are left
   * out, and the chart says so. Bytes; null where the adapter decides (`runtime/limits.ts`). */
  readonly maxBytes: number | null;
  /** Seconds that one benchmark chart may take: points beyond it are left out, and the chart says so.
   * 0 is no limit; the adapter decides where it is absent. */
  readonly chartSeconds?: number;
  /** Seconds that tuning one kernel for one key may take: configurations beyond it are not measured,
   * and the run says so. 0 is no limit; the adapter decides where it is absent. */
  readonly tuneSeconds?: number;
  readonly check: boolean;
  /** Seed that `torch` starts from when the program sets none. */
  readonly seed: number;
}
export type ProgramFiles = Readonly<Record<string, string>>;

export type { Location };
