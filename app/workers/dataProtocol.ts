/**
 * Questions of the page to the data worker, which holds copies of a run's tensors: each question
 * has its answer's type. The program worker sends the copies over a port of its own, so that they
 * outlive it and cost the page nothing.
 */
import type { Dtype } from '../numerics/dtypes';
import type { ErrorKind, ErrorReport, Tolerance } from '../inspection/errors';
import type { ErrorPattern } from '../inspection/errorPattern';
import type { ErrorsByProgram } from '../inspection/errorsByProgram';
import type { Cells, Plane, Window } from '../inspection/planes';
import type { Statistics } from '../inspection/statistics';

/** Program worker → data worker. */
export type FromProgram =
  /** A new run: what was held is gone. */
  | { readonly type: 'begin' }
  | {
      readonly type: 'hold';
      readonly id: string;
      readonly dtype: Dtype;
      readonly shape: readonly number[];
      readonly bytes: ArrayBuffer;
    };

/** Two tensors by their ids. */
export interface PairOfData {
  readonly actual: string;
  readonly expected: string;
}

/** Content of a picture: a tensor's values, or the errors of two. */
export type FieldSource =
  | { readonly kind: 'values'; readonly data: string }
  | {
      readonly kind: 'errors';
      readonly pair: PairOfData;
      readonly show: ErrorKind;
      readonly tolerance: Tolerance;
    };

export type Question =
  | { readonly kind: 'statistics'; readonly data: string }
  | {
      readonly kind: 'cells';
      readonly source: FieldSource;
      readonly plane: Plane;
      readonly window: Window;
    }
  /** Texts of the elements in rows and columns of a plane; `pair` of a second tensor beside. */
  | {
      readonly kind: 'texts';
      readonly data: string;
      readonly plane: Plane;
      readonly top: number;
      readonly bottom: number;
      readonly left: number;
      readonly right: number;
    }
  | {
      readonly kind: 'export';
      readonly data: string;
      readonly as: 'npy' | 'csv' | 'numpy';
      /** Null: all of it. */
      readonly plane: Plane | null;
    }
  | { readonly kind: 'errors'; readonly pair: PairOfData; readonly tolerance: Tolerance }
  /** `owners`: for each element the program that wrote it, of so many. */
  | {
      readonly kind: 'programs';
      readonly pair: PairOfData;
      readonly tolerance: Tolerance;
      readonly owners: Int32Array;
      readonly programs: number;
    }
  | { readonly kind: 'pattern'; readonly pair: PairOfData; readonly tolerance: Tolerance }
  | { readonly kind: 'over'; readonly pair: PairOfData; readonly tolerance: Tolerance };

export interface Answers {
  readonly statistics: Statistics;
  readonly cells: Cells;
  readonly texts: readonly (readonly string[])[];
  readonly export: Blob;
  readonly errors: ErrorReport;
  readonly programs: ErrorsByProgram;
  /** Null where nothing is outside of the tolerance. */
  readonly pattern: ErrorPattern | null;
  readonly over: { readonly over: number; readonly first: number | null };
}
export type AnswerTo<Q extends Question> = Answers[Q['kind']];

/** Page → data worker. */
export type ToDataWorker =
  | { readonly type: 'port'; readonly port: MessagePort }
  | { readonly type: 'ask'; readonly number: number; readonly question: Question };

/** Data worker → page. */
export type FromDataWorker = { readonly number: number } & (
  | { readonly ok: true; readonly answer: Answers[keyof Answers] }
  | {
      readonly ok: false;
      readonly message: string;
    }
);
