/** Messages of the prove worker, which analyses the runs of one proof and ends. */
import type { ProofRuns } from '../prove/proof';
import type { ProofReport } from '../prove/report';

/** Page → prove worker. */
export interface ToProveWorker {
  readonly runs: ProofRuns;
}

/** Prove worker → page. */
export type FromProveWorker =
  | { readonly type: 'progress'; readonly text: string }
  | { readonly type: 'report'; readonly report: ProofReport }
  | { readonly type: 'failed'; readonly message: string };
