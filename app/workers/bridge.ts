/**
 * The bridge: what the Python packages of `app/python` may call in JavaScript. It is registered in
 * Pyodide as the module `_hippocamp`. Everything is synchronous for Python (`run_sync`). Structured
 * values cross as JSON text, bytes as buffers.
 */
import type { DebugMode, Instrumentation } from '../../compiler/program';

export interface Bridge {
  // ── storages: bytes with a CPU copy and a GPU copy, each fresh or stale
  // ─────────────────────────
  /**
   * A new storage, which holds these two words of 32 bits again and again; zeros without them.
   * Throws a `MemoryError`-like Error above `maxBytes`. @returns its id.
   */
  storage_create(bytes: number, low?: number, high?: number): number;
  /** Its address in the program's 64-bit address space, a multiple of 256; what `data_ptr()` shows.
   * From now on kernels can come to it by this address; not if it is a tensor of the `host`. */
  storage_address(storage: number, host: boolean): number;
  /** The CPU copy, made fresh first. A view of live memory: valid until the next call. */
  storage_read(storage: number): Uint8Array;
  /**
   * The CPU copy of a tensor of the CPU, which no kernel has written since. `use`: 0 to be read, 1
   * to be written in part, 2 to be written whole, where it holds anything before.
   */
  storage_bytes(storage: number, use: 0 | 1 | 2): Uint8Array;
  /** Marks the CPU copy, just written through `storage_read`'s view, as the fresh one. */
  storage_written(storage: number): void;
  storage_release(storage: number): void;
  /** Keeps a copy of a tensor's elements for the page. `request` is a `HoldRequest` (JSON).
   * @returns its id, or '' where nothing is kept (no page; no room left for it). */
  tensor_hold(request: string): string;

  // ── kernels ───────────────────────────────────────────────────────────────────────────────────
  /** Registers a `KernelProgram` (JSON). @returns an id for `launch`. */
  program_register(program: string): number;
  /** Compiles (cached) and launches. `launch` is a `LaunchRequest` (JSON).
   * @returns a `LaunchResponse` (JSON). */
  launch(launch: string): string;
  /**
   * A launch that was made before (`LaunchResponse.prepared`), on other storages: those of its
   * pointers in order. @returns '' where it is done, 'anew' where it must go through `launch`, else
   * a `LaunchResponse` (JSON).
   */
  relaunch(prepared: number, ...storages: number[]): string;
  /**
   * Launches that are made together, again and again: `launches` is JSON, for each what `relaunch`
   * takes. @returns a number for `graph_launch`.
   */
  graph_create(launches: string): number;
  /**
   * Makes the launches of a graph in their order. @returns '' where all are made, else how many
   * were, a space and `relaunch`'s answer for the next one.
   */
  graph_launch(graph: number): string;
  graph_release(graph: number): void;
  /** A compiled kernel's `KernelFacts` (JSON), by the key of a `LaunchResponse` of this run. */
  kernel_facts(key: string): string;
  /**
   * A question about its IR as another target would get it (`compiler/inspect/irQuestion.ts`), by a
   * profile's id. @returns JSON: `{ answer } | { error }`.
   */
  kernel_ir(key: string, profile: string, question: string): string;
  /** Waits for every launch and raises what they reported (out-of-range accesses, lost device). */
  synchronize(): string;

  // ── timing ────────────────────────────────────────────────────────────────────────────────────
  /**
   * Launches from here on are a benchmark's repetitions (also those that warm up), or no longer.
   */
  bench_mark(on: boolean, silent?: boolean): void;
  /**
   * Launches from here on are a profile's, and their times are added up under `slot`; -1: no
   * profile's.
   */
  profile_slot(slot: number): void;
  /** Sums of times, once `synchronize` has waited for them: `ProfiledTime[]` (JSON). */
  profile_times(): string;
  /** An autotuner measures from here on, or no longer: no schedule is searched meanwhile. */
  autotune_mark(on: boolean): void;
  /** Starts recording launches. */
  bench_begin(): void;
  /**
   * Ends the recording and, where it holds launches only, replays it for about `milliseconds` on
   * the GPU's clock. `cpuWork` says that torch computed on the CPU in between: then nothing is
   * replayed. `best` (ms; 0: none) is the best so far: what is clearly slower is dropped after a
   * first look. @returns JSON: `{ clock: 'gpu', samples: number[] (ms), quantum: number (ms),
   * dropped } | { clock: 'cpu' }`
   */
  bench_end(milliseconds: number, cpuWork: boolean, best: number): string;
  /**
   * Text that `remember_tuned` kept under this key, in this run or an earlier one; '' where there
   * is none.
   */
  tuned(key: string): string;
  remember_tuned(key: string, text: string): void;

  // ── events and facts ──────────────────────────────────────────────────────────────────────────
  /**
   * Keeps what kernels print, now or while they are compiled, in place of sending it; or no longer.
   * @returns what was kept since the last call.
   */
  capture_prints(on: boolean): string;
  /** Sends a `ProgramEvent` (JSON) to the stream. */
  emit(event: string): void;
  /**
   * Sends a text to the other side of a check (`app/judge`), unless it is empty, and waits for one.
   * @returns '' where there is no other side, or it has ended.
   */
  exchange(text: string): string;
  /** JSON: adapter, target, whether it computes on the CPU (`software`), options of this run. */
  environment(): string;
}

export interface ProfiledTime {
  readonly slot: number;
  readonly launches: number;
  readonly microseconds: number;
  readonly clock: 'gpu' | 'cpu';
}

export interface HoldRequest {
  readonly storage: number;
  readonly dtype: string;
  readonly shape: readonly number[];
  /** In elements. */
  readonly strides: readonly number[];
  readonly offset: number;
  /** Purpose of the copy; each has its own share of the room. */
  readonly budget: 'tensor' | 'passed' | 'failed';
}

export interface LaunchRequest {
  readonly program: number;
  /** A `Specialization`; pointers' `group` is filled in by the runtime. */
  readonly specialization: unknown;
  /** One for each argument of the specialization, flattened through tuples; null for constexprs. */
  readonly values: readonly LaunchValue[];
  readonly grid: readonly [number, number, number];
  readonly site: { readonly file: string; readonly line: number };
  /** Labels for the launch event, one an argument. */
  readonly labels: readonly string[];
  /** Triton's `debug`: assertions are compiled. */
  readonly debug?: DebugMode;
  /** Triton's `instrumentation_mode`. */
  readonly instrumentation?: Instrumentation;
  /** `warmup`: compile only. */
  readonly warmup: boolean;
  /** With `warmup`: the GPU's compiler is started, but not waited for. */
  readonly ahead?: boolean;
  /** Report the pointers that the kernel reads and writes through (`LaunchResponse.accesses`). */
  readonly accesses?: boolean;
  /** With `warmup`: our compiler alone runs, for its code. */
  readonly code?: boolean;
  /**
   * With `warmup`: nothing is compiled. The specialization is named, so that the page can compile
   * it.
   */
  readonly describe?: boolean;
}
export type LaunchValue =
  | null
  /** Decimal digits for integers (64 bits), `repr` for floats. */
  | { readonly scalar: string }
  | {
      readonly storage: number;
      readonly byteOffset: number;
      /** Length of the tensor, in elements: for the page. */
      readonly shape?: readonly number[];
      readonly strides?: readonly number[];
    };

/** For `CompiledKernel` in Python. */
export interface KernelFacts {
  readonly registers: number;
  readonly workgroupBytes: number;
  readonly workgroupSize: number;
  readonly wgsl: string;
  readonly ttir: string;
}

export type LaunchResponse =
  | {
      readonly ok: true;
      readonly key: string;
      /** For `relaunch`; absent where every launch has to be requested in full. */
      readonly prepared?: number;
      /**
       * With `prepared`: which of the launch's pointers it writes through. Absent where that is not
       * known, and where it does more than write (prints, assertions).
       */
      readonly writes?: readonly number[];
      /** Storages that the kernel may have written by their addresses, besides its arguments. */
      readonly reached?: readonly number[];
      /**
       * The launch's pointers, by their number in it, that its IR reads and writes through; where
       * the request has `accesses`. Absent where an access goes through none of them.
       */
      readonly accesses?: { readonly read: readonly number[]; readonly written: readonly number[] };
      /** For an `ahead` one: how much a launch of this grid computes, in operations on floats. */
      readonly operations?: number;
      /** Warnings of its compilation, if it was this run's first of its specialization. */
      readonly warnings?: readonly {
        readonly message: string;
        readonly file: string;
        readonly line: number;
      }[];
    }
  /** `kind` chooses the Python exception. */
  | {
      readonly ok: false;
      readonly kind:
        'CompilationError' | 'OutOfResources' | 'OutOfMemoryError' | 'RuntimeError' | 'IndexError';
      readonly message: string;
      readonly diagnostics: readonly unknown[];
    };
