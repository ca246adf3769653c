/**
 * Check in the page: the program in view, run in its worker as Run does it, and called from a
 * harness in another worker, which judges what it did (`app/judge`). One check is made at a time.
 *
 * Guarantee: the report is made of the harness's events, as the command's is, and so is the
 * comparison of a check that fails. Of what the program's own worker sends its output, its errors,
 * its launches and its own comparisons are shown; no rate, time or verdict is. Of a result's
 * program that is not in view, they stand at files of it, which no link leads to.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import { NOWHERE, type ProgramEvent } from '../events';
import {
  harnessProgram,
  solutionProgram,
  type HarnessTexts,
  type Problem,
  type Solution,
  type WorkerProgram,
  withoutProblem,
} from '../judge/files';
import { Relay } from '../judge/relay';
import { judgeReport, outOfRange, type JudgeReport } from '../judge/report';
import {
  differenceFrom,
  parseResult,
  problemDigest,
  withResult,
  type CheckResult,
} from '../judge/result';
import { newSeed } from '../judge/seed';
import { ProgramHost } from '../workers/programHost';
import type { ProgramMessage } from '../workers/protocol';
import { programText, sameFiles, useDocument } from './document';
import { programInView, storeOfProgram } from './ofProgram';
import type { ComparisonEvent, RunRecord } from './record';
import { addToCheck, runPlan } from './session';
import { extrasOf } from './runExtras';
import { runOptions } from './settings';

export interface Checked {
  /** The run that was a check; -1 before any. */
  readonly run: number;
  readonly report: JudgeReport | null;
  /** The result that was checked again, and in what this check differs from it. */
  readonly again: { readonly result: CheckResult; readonly difference: string | null } | null;
}
export const useChecked = storeOfProgram<Checked>({ run: -1, report: null, again: null });

/** A check in the making, with the events of its harness. */
interface Check {
  readonly program: string;
  readonly problem: Problem;
  readonly solution: Solution;
  readonly seed: number;
  readonly heard: readonly ProgramEvent[];
}

function reportOf(check: Check, record: RunRecord): Promise<JudgeReport> {
  const { problem, solution, seed, heard } = check;
  const errors = record.diagnostics.filter(({ severity }) => severity === 'error');
  const facts = { file: solution.entry, against: '', seed };
  return withResult(judgeReport(facts, heard, errors), problem, solution);
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
  if (['verdict', 'measured', 'calibration'].includes(event.type)) return false;
  return event.type !== 'diagnostic' || !outOfRange([event.diagnostic]);
}

/** An event with the places of a result's program: files that the program in view has none of. */
function ofResult(event: ProgramEvent): ProgramEvent {
  const there = <T extends { readonly file: string }>(place: T): T => ({
    ...place,
    file: `result/${place.file}`,
  });
  const moved = (diagnostic: Diagnostic): Diagnostic => ({
    ...diagnostic,
    location: there(diagnostic.location),
  });
  if (event.type === 'diagnostic') return { ...event, diagnostic: moved(event.diagnostic) };
  if (event.type === 'compile') return { ...event, diagnostics: event.diagnostics.map(moved) };
  return 'site' in event && event.site
    ? ({ ...event, site: there(event.site) } as ProgramEvent)
    : event;
}

/** The text of a result's program where it is not the program in view, without the problem. */
function foreignText(result: CheckResult | null, problem: Problem): string | null {
  if (!result) return null;
  const inView = withoutProblem(useDocument.getState(), problem);
  return inView.entry === result.entry && sameFiles(inView.files, result.files)
    ? null
    : programText(result);
}

/** Milliseconds that the harness gets to report that the program has ended. */
const PATIENCE = 10_000;

/**
 * Checks the program in view.
 * @param onEnded gets the record and the report when the check has ended, whatever is in view then.
 * @param seed what inputs are drawn from; a new one where it is absent.
 * @param result its program is checked, in place of the one in view.
 */
export function check(
  texts: HarnessTexts,
  problem: Problem,
  onEnded: (record: RunRecord, report: JudgeReport) => void = () => {},
  seed: number = newSeed(),
  result: CheckResult | null = null,
): void {
  const relay = new Relay();
  const heard: ProgramEvent[] = [];
  let made: Check = { program: '', problem, solution: { files: {}, entry: '' }, seed, heard };
  let harness: Promise<void> = Promise.resolve();
  const foreign = foreignText(result, problem);
  runPlan({
    files: () => {
      const { files, entry, identity } = useDocument.getState();
      const solution = withoutProblem(result ?? { files, entry }, problem);
      made = { ...made, program: identity, solution };
      harness = startHarness(harnessProgram(texts, problem, solution, seed), seed, relay, heard);
      return solutionProgram(texts, solution).files;
    },
    entry: solutionProgram(texts, { files: {}, entry: '' }).entry,
    exchange: (text) => relay.exchange('solution', text),
    foreign,
    shown: (event) => {
      if (!isProgramsOwn(event)) return null;
      return foreign === null ? event : ofResult(event);
    },
    settled: () => {
      relay.end('solution');
      return Promise.race([harness, new Promise<void>((resolve) => setTimeout(resolve, PATIENCE))]);
    },
    onEnded: (record) => {
      relay.end('solution');
      void reportOf(made, record).then((report) => {
        const again = result && { result, difference: differenceFrom(result, report) };
        useChecked.of(made.program).setState({ run: record.run, report, again });
        onEnded(record, report);
      });
    },
  });
}

/**
 * Checks what a result holds, with its seed; nothing where another program than `program` is in
 * view by then.
 * @returns why nothing is checked; null where it is.
 */
export async function checkAgain(
  texts: HarnessTexts,
  problem: Problem,
  text: string,
  program: string,
): Promise<string | null> {
  try {
    const result = parseResult(text);
    const digest = await problemDigest(problem);
    if (programInView() !== program) return null;
    if (result.problem !== digest)
      return 'The result is of another problem than the program in view.';
    check(texts, problem, () => {}, result.seed, result);
    return null;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;
  }
}

/**
 * A comparison of the harness for the record, beside the program's own: it stands at no line of the
 * program, and its elements stay in the harness's worker.
 */
function shownOnly(event: ComparisonEvent): ComparisonEvent {
  return { ...event, id: -event.id, site: NOWHERE, actual: null, expected: null };
}

/**
 * A harness of an earlier check may still work, as that was stopped: nothing of it is heard.
 * @returns a promise that resolves when the harness has ended.
 */
function startHarness(
  { files, entry }: WorkerProgram,
  seed: number,
  relay: Relay,
  heard: ProgramEvent[],
): Promise<void> {
  const running = harnessHost();
  return new Promise((resolve) => {
    const end = (): void => {
      relay.end('harness');
      resolve();
    };
    let run: number | null = null;
    const hear = (message: ProgramMessage): void => {
      if (message.type === 'failed') end();
      if (message.type !== 'event' || message.run !== run) return;
      const { event } = message;
      if (event.type !== 'print' && event.type !== 'tensor') heard.push(event);
      if (['verdict', 'measured', 'calibration', 'diagnostic'].includes(event.type))
        addToCheck(event);
      if (event.type === 'comparison' && !event.passed) addToCheck(shownOnly(event));
      if (event.type === 'finished') end();
    };
    take = hear;
    const options = { ...runOptions(), seed, check: false };
    void extrasOf(files, entry).then((extras) => {
      // Another check has begun, or the harness was ended.
      if (take !== hear) return end();
      run = running.run(files, entry, options, 'harness', extras, (text) =>
        relay.exchange('harness', text),
      );
    });
  });
}
