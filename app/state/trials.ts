/**
 * Trials: the program in view is run with some numbers of a launch changed, in a worker of its own,
 * and the launch is timed. What is in the editor stays as it is until a trial is kept.
 *
 * Guarantee: one run at a time, and none while the program itself runs: no time is measured beside
 * other work of the page. A trial says of which text it is, and whether the program's comparisons
 * still hold. Stop ends them at once.
 */
import { create } from 'zustand';
import type { LaunchSetting } from '../../compiler/language/settingValues';
import type { Location } from '../../compiler/ir/location';
import type { CallSite, ProgramEvent, ProgramFiles, SampleRequest, Timing } from '../events';
import { isError } from '../passed';
import { eventFrom } from '../shapes/events';
import { ProgramHost } from '../workers/programHost';
import type { ProgramMessage } from '../workers/protocol';
import { editFile, programText, useDocument, withText } from './document';
import { programInView, storeOfProgram } from './ofProgram';
import type { LaunchEvent } from './record';
import { extrasOf } from './runExtras';
import { useSession } from './session';
import { runOptions, useLinked, useSettings } from './settings';

/** A number in the text, and what takes its place. */
export interface Change {
  readonly name: string;
  readonly to: number;
  readonly location: Location;
  /** Stands before the number where the text has none yet. */
  readonly before: string;
}

/** Rows of launches that a trial times: of one kernel and line, with tensors of the same shapes. */
export interface Subject {
  readonly kernel: string;
  readonly site: CallSite;
  readonly tensors: string;
}

export interface Outcome {
  /** Null: the launch was not made, or could not be timed. */
  readonly timing: Timing | null;
  /** Comparisons that failed, of all that the program made. */
  readonly failed: number;
  readonly compared: number;
  /** The first error of the run. */
  readonly error: string | null;
}

export interface Trial {
  readonly subject: Subject;
  /** None: the program as it is, the baseline. */
  readonly changes: readonly Change[];
  readonly state: 'waiting' | 'running' | 'done' | 'left';
  readonly outcome: Outcome | null;
}

export interface TrialsState {
  /** The text that the trials are of. */
  readonly text: string | null;
  readonly trials: readonly Trial[];
}

export const useTrials = storeOfProgram<TrialsState>({ text: null, trials: [] });

/** The identity of the program whose trials run; null while none do. */
export const useTrying = create<{ readonly program: string | null }>(() => ({ program: null }));

/** Samples of a launch in a trial. */
const ROUNDS = 15;
/** Milliseconds that the worker of trials is kept for more of them. */
const KEPT_FOR = 60_000;

export function subjectOf(launch: Pick<LaunchEvent, 'kernel' | 'site' | 'arguments'>): Subject {
  const { kernel, site } = launch;
  return { kernel, site, tensors: launch.arguments.filter((text) => text.includes(': *')).join() };
}
export function changeTo({ name, location, before }: LaunchSetting, to: number): Change {
  return { name, to, location, before };
}

const keyOf = ({ subject, changes }: Pick<Trial, 'subject' | 'changes'>): string =>
  JSON.stringify([subject, changes.map(({ name, to }) => [name, to])]);

export function findTrial(
  { text, trials }: TrialsState,
  ofText: string,
  wanted: Pick<Trial, 'subject' | 'changes'>,
): Trial | null {
  if (text !== ofText) return null;
  return trials.find((each) => keyOf(each) === keyOf(wanted)) ?? null;
}

/** The files with the changes, which do not overlap. */
export function changedFiles(files: ProgramFiles, changes: readonly Change[]): ProgramFiles {
  const order = [...changes].sort(
    ({ location: a }, { location: b }) => b.line - a.line || b.column - a.column,
  );
  return order.reduce(
    (changed, { location, before, to }) => withText(changed, location, `${before}${to}`),
    files,
  );
}

/** Writes a trial's numbers into the program in view: one edit of each file. */
export function keepTrial({ changes }: Trial): void {
  const changed = changedFiles(useDocument.getState().files, changes);
  for (const [file, text] of Object.entries(changed)) editFile(file, text);
}

/** The outcome of a run for a subject. */
export function outcomeOf(events: readonly ProgramEvent[], subject: Subject): Outcome {
  const launches = new Set<number>();
  let timing: Timing | null = null;
  let [failed, compared] = [0, 0];
  let error: string | null = null;
  for (const event of events) {
    if (event.type === 'launch' && !event.benchmark) {
      const { kernel, site, tensors } = subjectOf(event);
      const same = kernel === subject.kernel && tensors === subject.tensors;
      if (same && site.line === subject.site.line && site.file === subject.site.file)
        launches.add(event.id);
    } else if (event.type === 'launch-time' && launches.has(event.id)) {
      if (!timing || event.timing.samples > timing.samples) timing = event.timing;
    } else if (event.type === 'comparison') {
      compared++;
      if (!event.passed) failed++;
    } else if (event.type === 'diagnostic' && isError(event)) error ??= event.diagnostic.message;
  }
  return { timing, failed, compared, error };
}

// ── runs ────────────────────────────────────────────────────────────────────────────────────────

let runner: Runner | null = null;
let queue: {
  readonly program: string;
  readonly text: string;
  readonly trial: Trial;
  /** It does not begin after that (`performance.now()`). */
  readonly until: number;
}[] = [];
let idle: ReturnType<typeof setTimeout> | undefined;

/**
 * Runs the trials that are not there yet, the baseline of each subject before them.
 * @param seconds after which no further one begins.
 * @returns whether they begin: not while the program runs.
 */
export function tryChanges(
  wanted: readonly Pick<Trial, 'subject' | 'changes'>[],
  seconds = Infinity,
): boolean {
  if (useSession.getState().phase !== 'ready') return false;
  const program = programInView();
  const text = programText();
  const store = useTrials.of(program);
  if (store.getState().text !== text) store.setState({ text, trials: [] });
  const until = performance.now() + seconds * 1e3;
  const all = wanted.flatMap(({ subject, changes }) => [
    { subject, changes: [] },
    { subject, changes },
  ]);
  for (const one of all) {
    const known = findTrial(store.getState(), text, one);
    if (known && known.state !== 'left') continue;
    const trial: Trial = { ...one, state: 'waiting', outcome: null };
    put(program, text, trial);
    queue.push({ program, text, trial, until });
  }
  if (useTrying.getState().program === null) void work();
  return true;
}

export function stopTrials(): void {
  for (const { program, text, trial } of queue) put(program, text, { ...trial, state: 'left' });
  queue = [];
  endRunner();
}

function put(program: string, text: string, trial: Trial): void {
  const store = useTrials.of(program);
  store.setState((state) => {
    if (state.text !== text) return {};
    const at = state.trials.findIndex((each) => keyOf(each) === keyOf(trial));
    const trials = at < 0 ? [...state.trials, trial] : state.trials.with(at, trial);
    return { trials };
  });
}

async function work(): Promise<void> {
  clearTimeout(idle);
  for (let next = queue[0]; next; next = queue[0]) {
    const { program, text, trial } = next;
    const state = useDocument.getState();
    // The numbers' places are those of this text.
    if (programInView() !== program || programText(state) !== text) {
      stopTrials();
      break;
    }
    if (performance.now() > next.until) {
      queue = queue.filter((each) => each !== next);
      put(program, text, { ...trial, state: 'left' });
      continue;
    }
    useTrying.setState({ program });
    put(program, text, { ...trial, state: 'running' });
    runner ??= new Runner(program);
    const mine = runner;
    const { file, line } = trial.subject.site;
    const sample = { of: { file, line, kernel: trial.subject.kernel }, rounds: ROUNDS };
    const events = await mine.run(changedFiles(state.files, trial.changes), state.entry, sample);
    if (mine.failed) endRunner();
    // It was stopped. What was begun since then is in the queue.
    if (!events) continue;
    queue = queue.filter((each) => each !== next);
    put(program, text, { ...trial, state: 'done', outcome: outcomeOf(events, trial.subject) });
  }
  useTrying.setState({ program: null });
  clearTimeout(idle);
  idle = setTimeout(endRunner, KEPT_FOR);
}

function endRunner(): void {
  runner?.end();
  runner = null;
}

// A time that was measured beside another run says nothing, and places move with the text.
useSession.subscribe((state, old) => {
  if (state.phase !== old.phase && state.phase === 'running') stopTrials();
});
useDocument.subscribe((state, old) => {
  if (state.revision !== old.revision || state.identity !== old.identity) stopTrials();
});

// A time that was measured with other settings is no time of these.
let options = JSON.stringify(runOptions());
function followSettings(): void {
  const now = JSON.stringify(runOptions());
  if (now === options) return;
  options = now;
  stopTrials();
  useTrials.setState({ text: null, trials: [] });
}
useSettings.subscribe(followSettings);
useLinked.subscribe(followSettings);

/** The program worker of trials. */
class Runner {
  /** Its worker did not start: it answers nothing more. */
  failed = false;
  readonly #host: ProgramHost;
  #take: (message: ProgramMessage) => void = () => {};
  #settle: (events: ProgramEvent[] | null) => void = () => {};
  #ended = false;

  constructor(private readonly program: string) {
    this.#host = ProgramHost.ofFewRuns((message) => this.#take(message));
  }

  /** Null where it was ended before. */
  async run(
    files: ProgramFiles,
    entry: string,
    sample: SampleRequest,
  ): Promise<ProgramEvent[] | null> {
    const extras = await extrasOf(files, entry);
    if (this.#ended) return null;
    const events: ProgramEvent[] = [];
    return new Promise((resolve) => {
      this.#settle = resolve;
      this.#take = (message) => {
        if (message.type === 'failed') {
          // The host has ended the run before it says why.
          events.push(failure(entry, message.message));
          this.failed = true;
          resolve(events);
        }
        if (message.type !== 'event') return;
        // A program's worker may send anything: only an event's shape is believed.
        const event = eventFrom(message.event);
        if (event) events.push(event);
        if (message.event.type === 'finished') resolve(events);
      };
      const options = { ...runOptions(), check: false, measures: false, sample };
      this.#host.run(files, entry, options, this.program, extras);
    });
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#take = () => {};
    this.#host.end();
    this.#settle(null);
  }
}

function failure(file: string, message: string): ProgramEvent {
  const location = { file, line: 1, column: 1, endLine: 1, endColumn: 1 };
  const diagnostic = { code: 'HC8011', severity: 'error', message, location, notes: [] } as const;
  return { type: 'diagnostic', diagnostic };
}
