/** Messages between the runner and its workers. */

/** Triton's own tests, Helion's test journals, or kernels with specializations. */
export type Suite = 'triton' | 'helion' | 'kernels';

export interface WorkerOptions {
  readonly type: 'options';
  readonly suite: Suite;
  /** The folder of the suite's files. */
  readonly tests: string;
  readonly adapter: 'webgpu' | 'interpreter';
  /** Device that the tests see, where they query one. */
  readonly as: 'cuda' | 'interpreter' | null;
}
export type Job =
  | { readonly type: 'collect'; readonly file: string }
  | { readonly type: 'run'; readonly file: string; readonly names: readonly string[] }
  | { readonly type: 'end' };

export const OUTCOMES = ['passed', 'failed', 'refused', 'skipped'] as const;
/** 'refused': a diagnostic of ours that says what is not supported. */
export type Outcome = (typeof OUTCOMES)[number];

export interface Judged {
  readonly outcome: Outcome;
  /** Why it was skipped. */
  readonly reason?: string | null;
  /** Details of a failure: the exception, its message, the diagnostic's code, the test's line. */
  readonly kind?: string;
  readonly line?: string;
  readonly code?: string | null;
  readonly place?: string;
  readonly seconds?: number;
}
/** A case, as collected. */
export interface Listed {
  readonly name: string;
  /** Marked for Triton's own interpreter. */
  readonly interpreter: boolean;
}
export type FromWorker =
  | { readonly type: 'idle'; readonly full: boolean }
  | { readonly type: 'collected'; readonly cases: readonly Listed[] }
  | { readonly type: 'started'; readonly name: string }
  | { readonly type: 'ended'; readonly name: string; readonly judged: Judged }
  | { readonly type: 'broken'; readonly error: Judged };
