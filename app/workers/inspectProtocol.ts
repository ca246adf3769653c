/**
 * Questions of the page to the inspect worker, which compiles a kernel again and runs a launch
 * again on the interpreter: each question has its answer's type. The worker is started by the first
 * question.
 */
import type { TileValues } from '../../compiler/inspect/debugNames';
import type { ThreadState, ThreadStep } from '../../compiler/inspect/threadSession';
import type { DepartureReport } from '../../compiler/inspect/departure';
import type { DebugState, DebugText } from '../../compiler/inspect/debugSession';
import type { CoalescingReport, LaneView } from '../../compiler/inspect/globalAccesses';
import type { StepKind } from '../../compiler/inspect/moves';
import type { LaunchInputs } from '../../compiler/inspect/launch';
import type { LineCosts } from '../../compiler/inspect/lineCosts';
import type { LayoutReport } from '../../compiler/inspect/layouts';
import type {
  ElementReport,
  MemoryReport,
  Raster,
  RasterWindow,
  TouchFilter,
} from '../../compiler/inspect/memoryMap';
import type { Race, RaceReport } from '../../compiler/inspect/races';
import type { ReuseFrame, ReuseModel, ReuseReport } from '../../compiler/inspect/reuse';
import type { Writers } from '../../compiler/inspect/writers';
import type { Diagnostic } from '../../compiler/diagnostics';
import type { CompileRequest } from '../../compiler/program';
import type { TensorPlace } from '../events';
import type { LaunchValue } from './bridge';

type Program = readonly [number, number, number];

export type InspectQuestion =
  | { readonly kind: 'layouts'; readonly request: CompileRequest }
  /** Requests about the launch that was sent last. */
  | { readonly kind: 'coalescing'; readonly program: Program; readonly view: LaneView | null }
  | { readonly kind: 'memory'; readonly program: Program }
  | { readonly kind: 'line-costs' }
  | {
      readonly kind: 'raster';
      readonly parameter: number;
      readonly window: RasterWindow;
      readonly filter: TouchFilter;
      /** With the races that were looked for. */
      readonly races: boolean;
    }
  /** Which program wrote each element of a tensor; of any launch. */
  | {
      readonly kind: 'writers';
      readonly request: CompileRequest;
      readonly grid: Program;
      readonly values: readonly LaunchValue[];
      readonly place: TensorPlace;
      readonly shape: readonly number[];
    }
  | { readonly kind: 'element'; readonly parameter: number; readonly element: number }
  | { readonly kind: 'races'; readonly first: number; readonly end: number }
  /** Reuse of a cache, program after program. */
  | { readonly kind: 'reuse' }
  /** The cache at the end of a wave of programs. */
  | { readonly kind: 'reuse-frame'; readonly model: ReuseModel; readonly wave: number }
  /** Requests about another launch than the one in view. */
  | { readonly kind: 'races-of'; readonly inputs: LaunchInputs; readonly end: number }
  | { readonly kind: 'debug'; readonly program: Program; readonly pass: number }
  | {
      readonly kind: 'step';
      readonly step: StepKind;
      readonly breakpoints: readonly BreakpointPlace[];
    }
  /** A move of a session on threads. */
  | { readonly kind: 'thread'; readonly move: ThreadMove }
  /** To the last store of the element at an address. */
  | { readonly kind: 'store'; readonly address: number }
  /** To where so many operations were executed. */
  | { readonly kind: 'at'; readonly count: number }
  /** The first operation at which the element at an address departs from a float64 run. */
  | {
      readonly kind: 'departure';
      readonly program: Program;
      readonly address: number;
      readonly error: number | null;
    }
  /** The fault of the text of a condition. */
  | { readonly kind: 'condition'; readonly text: string }
  | { readonly kind: 'back'; readonly to: 'stop' | 'op' }
  | { readonly kind: 'restart' }
  | { readonly kind: 'values'; readonly key: string }
  | { readonly kind: 'watch'; readonly expressions: readonly string[] };

export type ThreadMove =
  | {
      readonly kind: 'step';
      readonly step: ThreadStep;
      /** `file:line` of each: conditions are for tiles. */
      readonly breakpoints: readonly string[];
    }
  | { readonly kind: 'back' | 'restart' }
  /** Another thread of the program. */
  | { readonly kind: 'choose'; readonly thread: number };

export interface BreakpointPlace {
  /** `file:line`. */
  readonly place: string;
  /** Empty: always. */
  readonly condition: string;
}

/** Reason why a question has no answer, in words for the user. */
export interface Refused {
  readonly refused: string;
  readonly diagnostics?: readonly Diagnostic[];
}

export interface InspectAnswers {
  readonly layouts: LayoutReport;
  readonly coalescing: CoalescingReport | Refused;
  readonly memory: (MemoryReport & { readonly contents: boolean }) | Refused;
  readonly 'line-costs': LineCosts | Refused;
  readonly raster: Raster;
  readonly writers: Writers;
  readonly element: { readonly accesses: readonly ElementReport[]; readonly race: Race | null };
  readonly races: RaceReport | Refused;
  readonly reuse: ReuseReport | Refused;
  readonly 'reuse-frame': ReuseFrame | Refused;
  readonly 'races-of': RaceReport | Refused;
  /** On tiles or on threads, as the pass leaves the kernel. */
  readonly debug:
    | { readonly text: DebugText; readonly state: DebugState }
    | { readonly text: DebugText; readonly threads: ThreadState }
    | Refused;
  readonly step: DebugState;
  readonly thread: ThreadState;
  readonly store: DebugState;
  readonly at: DebugState;
  readonly departure: DepartureReport | Refused;
  readonly condition: string | null;
  readonly back: DebugState;
  readonly restart: DebugState;
  readonly values: TileValues | null;
  readonly watch: readonly string[];
}
export type InspectAnswer<Q extends InspectQuestion> = InspectAnswers[Q['kind']];

/** Page → inspect worker. */
export type ToInspectWorker =
  | { readonly type: 'launch'; readonly inputs: LaunchInputs }
  | { readonly type: 'ask'; readonly number: number; readonly question: InspectQuestion }
  /** Ends a step that goes on. */
  | { readonly type: 'pause' };

/** Inspect worker → page. */
export type FromInspectWorker = { readonly number: number } & (
  | { readonly ok: true; readonly answer: InspectAnswers[keyof InspectAnswers] }
  | { readonly ok: false; readonly message: string }
);
