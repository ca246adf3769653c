/** The messages between the page and its workers: typed, closed unions of plain data. */
import type { AdapterInfo, ProgramEvent, ProgramFiles, RunOptions } from '../events';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { ExpressionFact } from '../../compiler/language/facts';
import type { LastLaunches } from '../../compiler/language/checkProgram';
import type { LanguageAnswer, LanguageRequest } from '../../compiler/language/index';
import type { CompileRequest, KernelProgram } from '../../compiler/program';
import type { Diagnostic } from '../../compiler/diagnostics';
import type { Location } from '../../compiler/ir/location';
import type { Target } from '../../compiler/target';
import type { PackedResult } from './packedLog';
import type { FoundTuning, ToTunings } from './tunings';

/** Port for copies of tensors (`dataProtocol.ts`), and the bytes of each share of them. */
export interface DataPort {
  readonly port: MessagePort;
  readonly share: number;
}

/** A package that goes with a run. */
export interface RunWheel {
  readonly fileName: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** A file that a program opens by name: weights, a tokenizer. */
export interface RunData {
  /** In the program's folder. */
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Packages and files that go with a run, beside the program's text. */
export interface RunExtras {
  /** Packages that the visitor has for it. */
  readonly wheels?: readonly RunWheel[];
  readonly data?: readonly RunData[];
  /** Python packages of ours that few programs import, by path as in `app/python`. */
  readonly modules?: ProgramFiles;
}

/** Page → program worker. */
export type ToProgramWorker =
  | {
      readonly type: 'start';
      readonly interrupt: SharedArrayBuffer | null;
      readonly data: DataPort | null;
      readonly baseUrl: string;
    }
  | ({
      readonly type: 'run';
      readonly run: number;
      readonly files: ProgramFiles;
      /** The file to run as `__main__`. */
      readonly entry: string;
      readonly options: RunOptions;
    } & RunExtras)
  /** Its program was stopped: whether its GPU still works is asked, until it does not. */
  | { readonly type: 'retire' }
  | Exchanged
  | FoundTuning;

/** The answer to an `exchange`: the next text of a check's other side. */
export interface Exchanged {
  readonly type: 'exchanged';
  readonly run: number;
  readonly text: string;
}

/** Program worker → page. */
export type FromProgramWorker =
  | {
      readonly type: 'loading';
      readonly text: string;
      readonly loaded: number;
      readonly total: number;
    }
  | { readonly type: 'adapter'; readonly adapter: AdapterInfo; readonly target: Target }
  /** Port of more of these messages: the engine worker's, if there is one. */
  | { readonly type: 'port'; readonly port: MessagePort }
  | { readonly type: 'ready' }
  | { readonly type: 'event'; readonly run: number; readonly event: ProgramEvent }
  /** Many at once; the host hands them on one by one. */
  | { readonly type: 'events'; readonly run: number; readonly events: readonly ProgramEvent[] }
  /** Inputs of a launch, right before it. */
  | { readonly type: 'inputs'; readonly run: number; readonly inputs: LaunchInputs }
  /**
   * The run has ended, and Python is idle. `spent`: it must not run another, because it broke or
   * the run changed it. `replaced`: parts of torch, triton and numpy that the run replaced.
   */
  | {
      readonly type: 'idle';
      readonly run: number;
      readonly spent: boolean;
      readonly replaced: readonly string[];
    }
  /** A text for the other side of a check; '' where the program only waits for one. */
  | { readonly type: 'exchange'; readonly run: number; readonly text: string }
  /** The answer to `retire`; again when the GPU is done. */
  | { readonly type: 'retiring'; readonly busy: boolean }
  | ToTunings
  | { readonly type: 'failed'; readonly message: string };

/** Messages that the host passes on: one event at a time; and its own. */
export type ProgramMessage =
  | Exclude<
      FromProgramWorker,
      { type: 'events' | 'port' | 'idle' | 'retiring' | 'exchange' | ToTunings['type'] }
    >
  /** Whether a GPU still works for programs that were stopped. */
  | { readonly type: 'draining'; readonly busy: boolean }
  /** Parts of torch, triton and numpy that the run that ended last replaced. */
  | { readonly type: 'replaced'; readonly names: readonly string[] };

/** Facts of a kernel from the text alone: shown before anything ran. */
export interface KernelOutline {
  readonly name: string;
  readonly location: Location;
  readonly parameters: readonly { readonly name: string; readonly constexpr: boolean }[];
  readonly program: KernelProgram;
  /** A guess at a launch's specialization, from the text's launches, defaults and names. */
  readonly guess: CompileRequest['specialization'] | null;
}

/** Page → compiler worker. Each request has a number; a newer `check` replaces an older one. */
export type ToCompilerWorker =
  | {
      readonly type: 'check';
      readonly id: number;
      readonly files: ProgramFiles;
      /** Last specializations of the kernels. */
      readonly launched: LastLaunches;
    }
  | { readonly type: 'compile'; readonly id: number; readonly request: CompileRequest }
  | {
      readonly type: 'language';
      readonly id: number;
      readonly request: LanguageRequest;
      /** Address of the page: the packages' documentation stands beside it. */
      readonly baseUrl: string;
    };

/** Compiler worker → page. */
export type FromCompilerWorker =
  /** It is downloaded and started: from here on, time counts as the compiler's. */
  | { readonly type: 'ready' }
  /** A file that it needs could not be loaded. */
  | { readonly type: 'unavailable'; readonly message: string }
  | {
      readonly type: 'checked';
      readonly id: number;
      readonly diagnostics: readonly Diagnostic[];
      readonly kernels: readonly KernelOutline[];
    }
  | {
      readonly type: 'compiled';
      readonly id: number;
      readonly result: PackedResult;
      readonly facts: readonly ExpressionFact[];
    }
  | { readonly type: 'language'; readonly id: number; readonly answer: LanguageAnswer }
  | { readonly type: 'crashed'; readonly id: number; readonly message: string };
