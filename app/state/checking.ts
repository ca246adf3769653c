/**
 * Check in the page: the program in view, run in its worker as Run does it, and called from a
 * harness in another worker, which judges what it did (`app/judge`). One check is made at a time.
 *
 * Guarantee: verdicts, and accesses out of range, are the harness's; of what the program's own
 * worker sends only its output, its errors and its launches are shown.
 */
import type { ProgramEvent, ProgramFiles } from '../events';
import {
  harnessProgram,
  solutionProgram,
  type HarnessTexts,
  type Problem,
  type Solution,
  withoutProblem,
} from '../judge/files';
import { Relay } from '../judge/relay';
import { outOfRange } from '../judge/report';
import { newSeed } from '../judge/seed';
import { ProgramHost } from '../workers/programHost';
import type { ProgramMessage } from '../workers/protocol';
import { useDocument } from './document';
import { storeOfProgram } from './ofProgram';
import type { RunRecord } from './record';
import { addToCheck, runPlan } from './session';
import { runOptions } from './settings';

export interface Checked {
  /** The run that was a check; -1 before any. */
  readonly run: number;
  /** Text by which it can be checked again; null where nothing was decided. */
  readonly result: string | null;
}
export const useChecked = storeOfProgram<Checked>({ run: -1, result: null });

/** The problem that the program in view brings along: files of these names; null without them. */
export function problemIn(files: ProgramFiles): Problem | null {
  const problem: Problem = {
    reference: files['reference.py'] ?? null,
    checks: files['checks.py'] ?? null,
  };
  return problem.reference === null && problem.checks === null ? null : problem;
}

/** Checks the program in view against the problem that it brings along. */
export function checkInView(): void {
  const { files } = useDocument.getState();
  const problem = problemIn(files);
  if (!problem) return;
  // The harness comes with the first check.
  void import('../judge/texts').then(({ HARNESS }) => check(HARNESS, problem));
}

async function keepResult(
  program: string,
  record: RunRecord,
  problem: Problem,
  solution: Solution,
  seed: number,
): Promise<void> {
  const [{ judgeReport }, { withResult }] = await Promise.all([
    import('../judge/report'),
    import('../judge/result'),
  ]);
  const diagnostics = record.diagnostics.map((diagnostic): ProgramEvent => ({
    type: 'diagnostic',
    diagnostic,
  }));
  const { adapter, verdicts } = record;
  const events: ProgramEvent[] = [
    ...(adapter ? [{ type: 'started', adapter, time: 0 } as const] : []),
    ...verdicts,
    ...diagnostics,
    { type: 'finished', outcome: record.outcome ?? 'error', milliseconds: 0 },
  ];
  const facts = { file: solution.entry, against: '', seed };
  const { result } = await withResult(judgeReport(facts, events, []), problem, solution);
  useChecked.of(program).setState({ run: record.run, result });
}

let host: ProgramHost | null = null;
let take: (message: ProgramMessage) => void = () => {};

/** The harness's worker is kept from check to check, until `endHarness`. */
function harnessHost(): ProgramHost {
  host ??= ProgramHost.ofFewRuns((message) => take(message));
  return host;
}

export function endHarness(): void {
  take = () => {};
  host?.end();
  host = null;
}

/** Whether the program's worker may put an event into a check's record. */
function isProgramsOwn(event: ProgramEvent): boolean {
  if (event.type === 'verdict' || event.type === 'measured') return false;
  return event.type !== 'diagnostic' || !outOfRange([event.diagnostic]);
}

/**
 * Checks the program in view.
 * @param onEnded gets the record when the check has ended, whatever is in view then.
 * @param seed what inputs are drawn from; a new one where it is absent.
 */
export function check(
  texts: HarnessTexts,
  problem: Problem,
  onEnded: (record: RunRecord) => void = () => {},
  seed: number = newSeed(),
): void {
  const relay = new Relay();
  let solution: Solution = { files: {}, entry: '' };
  let program = '';
  runPlan({
    files: () => {
      const { files, entry, identity } = useDocument.getState();
      solution = withoutProblem({ files, entry }, problem);
      program = identity;
      startHarness(texts, problem, solution, seed, relay);
      return solutionProgram(texts, solution).files;
    },
    entry: solutionProgram(texts, { files: {}, entry: '' }).entry,
    exchange: (text) => relay.exchange('solution', text),
    accepts: isProgramsOwn,
    onEnded: (record) => {
      relay.end('solution');
      void keepResult(program, record, problem, solution, seed);
      onEnded(record);
    },
  });
}

function startHarness(
  texts: HarnessTexts,
  problem: Problem,
  solution: Solution,
  seed: number,
  relay: Relay,
): void {
  const { files, entry } = harnessProgram(texts, problem, solution, seed);
  const running = harnessHost();
  take = (message) => {
    if (message.type === 'failed') relay.end('harness');
    if (message.type !== 'event') return;
    const { event } = message;
    const counts =
      event.type === 'verdict' ||
      event.type === 'measured' ||
      event.type === 'calibration' ||
      event.type === 'diagnostic';
    if (counts) addToCheck(event);
    if (event.type === 'finished') relay.end('harness');
  };
  running.run(files, entry, { ...runOptions(), seed, check: false }, 'harness', (text) =>
    relay.exchange('harness', text),
  );
}
