/** The messages between the page and its two workers: typed, closed unions of plain data. */
import type { AdapterInfo, ProgramEvent, ProgramFiles, RunOptions } from '../events';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { ExpressionFact } from '../../compiler/language/facts';
import type { LanguageAnswer, LanguageRequest } from '../../compiler/language/index';
import type { CompileRequest, KernelProgram } from '../../compiler/program';
import type { Diagnostic } from '../../compiler/diagnostics';
import type { Location } from '../../compiler/ir/location';
import type { Target } from '../../compiler/target';
import type { PackedResult } from './packedLog';

/** Where copies of tensors go (`dataProtocol.ts`), and the bytes of each share of them. */
export interface DataPort {
  readonly port: MessagePort;
  readonly share: number;
}

/** Page → program worker. */
export type ToProgramWorker =
  | {
      readonly type: 'start';
      readonly interrupt: SharedArrayBuffer | null;
      readonly data: DataPort | null;
      readonly baseUrl: string;
    }
  | {
      readonly type: 'run';
      readonly run: number;
      readonly files: ProgramFiles;
      /** The file to run as `__main__`. */
      readonly entry: string;
      readonly options: RunOptions;
    };

/** Program worker → page. */
export type FromProgramWorker =
  | {
      readonly type: 'loading';
      readonly text: string;
      readonly loaded: number;
      readonly total: number;
    }
  | { readonly type: 'adapter'; readonly adapter: AdapterInfo; readonly target: Target }
  /** Where more of these messages come from: the engine worker, if there is one. */
  | { readonly type: 'port'; readonly port: MessagePort }
  | { readonly type: 'ready' }
  | { readonly type: 'event'; readonly run: number; readonly event: ProgramEvent }
  /** Many at once; the host hands them on one by one. */
  | { readonly type: 'events'; readonly run: number; readonly events: readonly ProgramEvent[] }
  /** What a launch got, right before it. */
  | { readonly type: 'inputs'; readonly run: number; readonly inputs: LaunchInputs }
  | { readonly type: 'failed'; readonly message: string };

/** What the host hands on: one event at a time. */
export type ProgramMessage = Exclude<FromProgramWorker, { type: 'events' | 'port' }>;

/** What the text alone says of a kernel: shown before anything ran. */
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
  | { readonly type: 'check'; readonly id: number; readonly files: ProgramFiles }
  | { readonly type: 'compile'; readonly id: number; readonly request: CompileRequest }
  | {
      readonly type: 'language';
      readonly id: number;
      readonly request: LanguageRequest;
      /** Where the page lies: the packages' documentation stands beside it. */
      readonly baseUrl: string;
    };

/** Compiler worker → page. */
export type FromCompilerWorker =
  | { readonly type: 'ready' }
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
