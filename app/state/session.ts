/**
 * The program worker as the page sees it: loading, ready, running, failed. One program runs at a
 * time, whichever is in view; its events go into its own record (`run.ts`). A Run pressed before
 * Python is ready starts by itself, unless another program is opened before.
 */
import { create } from 'zustand';
import type { AdapterInfo, ProgramEvent, ProgramFiles, RunOptions } from '../events';
import type { Target } from '../../compiler/target';
import { ProgramHost, type Exchange } from '../workers/programHost';
import type { ProgramMessage } from '../workers/protocol';
import { target } from '../shapes/compiler';
import { programText, useDocument } from './document';
import { adapterInfo, eventFrom, inputsFrom } from '../shapes/events';
import { emptyRecord, type RunRecord } from './record';
import { receive } from './receive';
import { useInputs } from './inputs';
import { keepLaunched } from './launched';
import { select, useLocation } from './location';
import { programInView } from './ofProgram';
import { beginRun, publishRun, useRun } from './run';
import { extrasOf, mayHaveExtras } from './runExtras';
import { runOptions } from './settings';
import { newSeed } from '../judge/seed';
import { onDataLost, openDataPort } from './tensorData';
import { settlePanel, suggestPanel, useView } from './view';

export type Phase = 'loading' | 'ready' | 'running' | 'failed';

/** A program that runs. */
export interface Running {
  /** Its identity: `programInView` of when it began. */
  readonly program: string;
  /** Under which it is kept. */
  readonly id: string;
  readonly name: string;
  readonly progress: RunRecord['progress'];
}

export interface SessionState {
  readonly phase: Phase;
  readonly loading: { readonly text: string; readonly loaded: number; readonly total: number };
  readonly adapter: AdapterInfo | null;
  readonly target: Target | null;
  /** Run was pressed for the program in view, and waits for Python. */
  readonly queued: boolean;
  readonly failure: string | null;
  /** The program that runs: perhaps not the one in view. */
  readonly running: Running | null;
  /** A GPU still works for a program that was stopped. */
  readonly draining: boolean;
  /** The number of the last run that ended. */
  readonly ended: number;
  /** The next runs also read back what only the GPU has, for the panels that look into launches. */
  readonly readBack: boolean;
}

/** A program runs, or will as soon as Python is there: it can be stopped. */
export const isBusy = ({ phase, queued }: SessionState): boolean => phase === 'running' || queued;

export const useSession = create<SessionState>(() => ({
  phase: 'loading',
  loading: { text: 'Python', loaded: 0, total: 0 },
  adapter: null,
  target: null,
  queued: false,
  failure: null,
  running: null,
  draining: false,
  ended: 0,
  readBack: false,
}));

/** The program in view runs. */
export function useRunsInView(): boolean {
  const program = useDocument((state) => state.identity);
  return useSession(({ running }) => running?.program === program);
}

let host: ProgramHost | null = null;
let runs = 0;
/** The run that ended last. */
let last: { readonly program: string; readonly run: number } | null = null;
let publishing = false;
let published = 0;
/**
 * Milliseconds between two drawings of a running program; one that prints a lot must not wait for
 * us.
 */
const PACE = 80;

function publish(): void {
  publishing = false;
  published = performance.now();
  const { running } = useSession.getState();
  if (!running) return;
  publishRun(running.program);
  const progress = useRun.of(running.program).getState().record?.progress ?? null;
  useSession.setState({ running: { ...running, progress } });
}
function publishSoon(): void {
  if (publishing) return;
  publishing = true;
  setTimeout(publish, Math.max(0, PACE - (performance.now() - published)));
}

function finish(running: Running, record: RunRecord): void {
  publish();
  keepLaunched(running.id, record);
  useSession.setState({ phase: 'ready', running: null, ended: record.run });
  last = { program: running.program, run: record.run };
  const ended = current;
  current = null;
  ended?.onEnded(record);
  if (running.program === programInView()) showWhatMatters(record);
}

/** An error at its line, else a failed comparison, else what the visitor had in view. */
function showWhatMatters(record: RunRecord): void {
  const error = record.diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  if (record.outcome === 'error' || error) {
    suggestPanel('output');
    if (error && !record.foreign)
      select({ file: error.location.file, line: error.location.line, from: 'run' });
  } else if (record.comparisons.some((comparison) => !comparison.passed)) suggestPanel('compare');
  else
    settlePanel({
      comparisons: record.comparisons.length > 0,
      timings: record.groups.length > 0 || record.benchmarks.length > 0,
      before: runs > 1,
    });
}

function onEvent(value: unknown): void {
  const plan = current;
  const shown = plan ? shownOf(plan, value) : value;
  if (shown === null) return;
  if (plan && endsByItself(value)) {
    void plan.settled().then(() => {
      if (current === plan) take(shown);
    });
  } else take(shown);
}

function take(value: unknown): void {
  const { running } = useSession.getState();
  const record = running && useRun.of(running.program).getState().record;
  if (!record) return;
  const event = receive(record, value);
  if (event?.type === 'finished') finish(running, record);
  else publishSoon();
}

/** The end of a run that nobody stopped. */
function endsByItself(value: unknown): boolean {
  const event = eventFrom(value);
  return event?.type === 'finished' && event.outcome !== 'stopped';
}

/** Anything but an event is received, and said to be none. */
function shownOf({ shown }: Plan, value: unknown): unknown {
  const event = eventFrom(value);
  return event === null ? value : shown(event);
}

/** An event of a check's harness, for the record of the check that runs. */
export function addToCheck(value: unknown): void {
  const { running } = useSession.getState();
  const record = running && useRun.of(running.program).getState().record;
  if (!record?.checking) return;
  receive(record, value);
  publishSoon();
}

/**
 * The record of the run that ended last takes the names, unless the program runs again. A check's
 * does not: its own side of the exchange reaches the bridge, and the verdict is the harness's.
 */
function onReplaced(names: readonly unknown[]): void {
  const record = last && useRun.of(last.program).getState().record;
  if (!last || !record || record.run !== last.run || record.checking) return;
  record.replaced = names.filter((name) => typeof name === 'string');
  publishRun(last.program);
}

function onInputs(value: unknown): void {
  const { running } = useSession.getState();
  const inputs = inputsFrom(value);
  if (running && inputs) publishRun(running.program, [inputs]);
}

function listen(message: ProgramMessage): void {
  switch (message.type) {
    case 'loading': {
      const { text, loaded, total } = message;
      if (typeof text !== 'string' || !Number.isFinite(loaded) || !Number.isFinite(total)) return;
      useSession.setState({ loading: { text, loaded, total } });
      // A stopped program may have cost its worker: the next one loads.
      if (useSession.getState().phase === 'ready') useSession.setState({ phase: 'loading' });
      return;
    }
    case 'adapter':
      if (adapterInfo(message.adapter) && target(message.target))
        useSession.setState({ adapter: message.adapter, target: message.target });
      return;
    case 'ready': {
      useSession.setState({ phase: 'ready', failure: null });
      if (useSession.getState().queued) start(pending);
      return;
    }
    case 'draining':
      useSession.setState({ draining: message.busy });
      return;
    case 'event':
      onEvent(message.event);
      return;
    case 'replaced':
      onReplaced(message.names);
      return;
    case 'inputs':
      onInputs(message.inputs);
      return;
    case 'failed':
      useSession.setState({
        phase: 'failed',
        failure: String(message.message),
        queued: false,
        running: null,
      });
      return;
    default: {
      const unknown: never = message;
      throw new Error(`unknown message ${JSON.stringify(unknown)}`);
    }
  }
}

/**
 * Loads Python once `first` is there, or at once where Run is pressed before.
 * @param first what is to be downloaded before.
 */
export function startSession(first?: Promise<unknown>): void {
  // A run requested for one program does not start another.
  useDocument.subscribe((state, old) => {
    if (state.identity !== old.identity && useSession.getState().queued) stop();
  });
  if (first) void first.then(load);
  else load();
}
function load(): void {
  host ??= new ProgramHost(listen, undefined, undefined, openDataPort);
  onDataLost(() => host?.renew());
}

/** After a crash: a new worker; the text and the last results stay. */
export function restart(): void {
  host?.dispose();
  host = null;
  useSession.setState({
    phase: 'loading',
    loading: { text: 'Python', loaded: 0, total: 0 },
    failure: null,
    queued: false,
    running: null,
  });
  load();
}

/** Text to run in place of the document as it is: a lesson's program under its checks. */
export interface Plan {
  /** The text as it is when the run starts. */
  readonly files: () => ProgramFiles;
  readonly entry: string;
  /** The other side of a check. */
  readonly exchange: Exchange;
  /** The text that runs where it is not the one in view. */
  readonly foreign: string | null;
  /** An event of the program's worker as the record has it; null where it has none of it. */
  readonly shown: (event: ProgramEvent) => ProgramEvent | null;
  /** Resolves when the other side has reported what it will: the check ends then. */
  readonly settled: () => Promise<void>;
  /** Hears the record when the run has ended, whatever is in view then. */
  readonly onEnded: (record: RunRecord) => void;
}
/** Program that waits for Python; null is the document. */
let pending: Plan | null = null;
/** Plan of the current run; null is the document's own. */
let current: Plan | null = null;
/** Stop was pressed while what goes with a run was read. */
let stopped = false;

export function run(): void {
  start(null);
}
export function runPlan(plan: Plan): void {
  start(plan);
}

/** Programs of a sample of a launch that has too many to be interpreted. */
const VERIFIED = 64;

/** Runs the program in view, and verifies the launches of a line. */
export function runVerified(line: number): void {
  start(null, { verify: { line, sample: VERIFIED, seed: newSeed() } });
}

/** Runs the program in view, with the device's best rates measured before where nobody has. */
export function runCalibrated(): void {
  start(null, { calibrate: true });
}

function start(plan: Plan | null, more: Partial<RunOptions> = {}): void {
  const { phase, readBack } = useSession.getState();
  const state = useDocument.getState();
  if (state.entry === '' || phase === 'running' || phase === 'failed') return;
  if (phase === 'loading') {
    pending = plan;
    useSession.setState({ queued: true });
    load();
    return;
  }
  if (!host) return;
  pending = null;
  current = plan;
  const foreign = plan?.foreign ?? null;
  const fresh = emptyRecord(++runs, state.revision, foreign ?? programText(state));
  // An error's line is that run's; what the visitor selected, and the kernel in view, stay.
  if (useLocation.getState().selected?.from === 'run') select(null);
  useView.setState({ chosen: false, half: 'results' });
  const { identity, name } = state;
  useInputs.setState({ launch: null, proved: null });
  beginRun(identity, { ...fresh, checking: plan !== null, foreign: foreign !== null });
  useSession.setState({
    phase: 'running',
    queued: false,
    running: { program: identity, id: state.program, name, progress: null },
  });
  const [files, entry] = plan ? [plan.files(), plan.entry] : [state.files, state.entry];
  const options = { ...runOptions(), keepInputs: readBack, ...more };
  const exchange = plan?.exchange;
  if (!mayHaveExtras(files)) host.run(files, entry, options, state.program, {}, exchange);
  else void runWithExtras(files, entry, options, state.program, exchange);
}

/** A run that packages or data may go with: they are read before it begins. */
async function runWithExtras(
  files: ProgramFiles,
  entry: string,
  options: RunOptions,
  program: string,
  exchange: Exchange | undefined,
): Promise<void> {
  const { running } = useSession.getState();
  stopped = false;
  const extras = await extrasOf(files, entry);
  // Python has gone meanwhile.
  if (useSession.getState().running?.program !== running?.program) return;
  host?.run(files, entry, options, program, extras, exchange);
  if (stopped) host?.stop();
}

export function stop(): void {
  if (useSession.getState().queued) useSession.setState({ queued: false });
  else if (useSession.getState().phase === 'running') {
    stopped = true;
    host?.stop();
  }
}

/** The text changed since the run whose results are shown. */
export function isStale(record: RunRecord | null, text: string): boolean {
  return record !== null && record.text !== text;
}
