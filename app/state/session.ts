/**
 * The program worker as the page sees it: loading, ready, running, failed; and the record of the last
 * run. A Run pressed before Python is ready starts by itself.
 */
import { create } from 'zustand';
import type { AdapterInfo, ProgramEvent, ProgramFiles } from '../events';
import type { Target } from '../../compiler/target';
import { ProgramHost } from '../workers/programHost';
import type { ProgramMessage } from '../workers/protocol';
import { programText, useDocument } from './document';
import { emptyRecord, fold, type RunRecord } from './record';
import { forgetInputs, holdInputs, useInputs } from './inputs';
import { select, useLocation } from './location';
import { runOptions } from './settings';
import { openDataPort } from './tensorData';
import { settlePanel, suggestPanel, useView } from './view';

export type Phase = 'loading' | 'ready' | 'running' | 'failed';

export interface SessionState {
  readonly phase: Phase;
  readonly loading: { readonly text: string; readonly loaded: number; readonly total: number };
  readonly adapter: AdapterInfo | null;
  readonly target: Target | null;
  /** Run was pressed and waits for Python. */
  readonly queued: boolean;
  readonly failure: string | null;
  /** The last run. A new object whenever its contents changed. */
  readonly record: RunRecord | null;
  /** Whose run that was: another program may have been opened since. */
  readonly ran: { readonly program: string; readonly name: string } | null;
  /** The one before, and when it was followed by this: what somebody who changed something compares with. */
  readonly earlier: { readonly record: RunRecord; readonly time: number } | null;
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
  record: null,
  ran: null,
  earlier: null,
}));

let host: ProgramHost | null = null;
let runs = 0;
let publishing = false;
let published = 0;
/** Milliseconds between two drawings of a running program; one that prints a lot must not wait for us. */
const PACE = 80;

function publish(): void {
  publishing = false;
  published = performance.now();
  const { record } = useSession.getState();
  if (record) useSession.setState({ record: { ...record } });
}
function publishSoon(): void {
  if (publishing) return;
  publishing = true;
  setTimeout(publish, Math.max(0, PACE - (performance.now() - published)));
}

function finish(record: RunRecord): void {
  publish();
  useSession.setState({ phase: 'ready' });
  const error = record.diagnostics.find((diagnostic) => diagnostic.severity === 'error');
  if (record.outcome === 'error' || error) {
    suggestPanel('output');
    if (error) select({ file: error.location.file, line: error.location.line, from: 'run' });
  } else if (record.comparisons.some((comparison) => !comparison.passed)) suggestPanel('compare');
  else
    settlePanel({
      comparisons: record.comparisons.length > 0,
      timings: record.groups.length > 0 || record.benchmarks.length > 0,
      before: runs > 1,
    });
}

function onEvent(event: ProgramEvent): void {
  const { record } = useSession.getState();
  if (!record) return;
  fold(record, event);
  if (event.type === 'finished') finish(record);
  else publishSoon();
}

function listen(message: ProgramMessage): void {
  switch (message.type) {
    case 'loading':
      useSession.setState({ loading: message });
      // A stopped program may have cost its worker: the next one loads.
      if (useSession.getState().phase === 'ready') useSession.setState({ phase: 'loading' });
      return;
    case 'adapter':
      useSession.setState({ adapter: message.adapter, target: message.target });
      return;
    case 'ready': {
      useSession.setState({ phase: 'ready', failure: null });
      if (useSession.getState().queued) start(pending);
      return;
    }
    case 'event':
      onEvent(message.event);
      return;
    case 'inputs':
      holdInputs(message.inputs);
      return;
    case 'failed':
      useSession.setState({ phase: 'failed', failure: message.message, queued: false });
      return;
    default: {
      const unknown: never = message;
      throw new Error(`unknown message ${JSON.stringify(unknown)}`);
    }
  }
}

/** Starts loading Python. */
export function startSession(): void {
  host = new ProgramHost(listen, undefined, undefined, openDataPort);
}

/** After a crash: a new worker; the text and the last results stay. */
export function restart(): void {
  host?.dispose();
  useSession.setState({
    phase: 'loading',
    loading: { text: 'Python', loaded: 0, total: 0 },
    failure: null,
    queued: false,
  });
  startSession();
}

/** What to run in place of the document as it is: a lesson's program under its checks. */
export interface Plan {
  readonly files: ProgramFiles;
  readonly entry: string;
}
/** What waits for Python; null is the document. */
let pending: Plan | null = null;

export function run(): void {
  start(null);
}
export function runPlan(plan: Plan): void {
  start(plan);
}

function start(plan: Plan | null): void {
  const { phase } = useSession.getState();
  const documentState = useDocument.getState();
  if (!host || documentState.entry === '' || phase === 'running' || phase === 'failed') return;
  if (phase === 'loading') {
    pending = plan;
    useSession.setState({ queued: true });
    return;
  }
  pending = null;
  const fresh = emptyRecord(++runs, documentState.revision, programText(documentState));
  const record = { ...fresh, checking: plan !== null };
  // An error's line is that run's; what the visitor selected, and the kernel in view, stay.
  if (useLocation.getState().selected?.from === 'run') select(null);
  useView.setState({ chosen: false, half: 'results' });
  const { record: last, earlier } = useSession.getState();
  const ended = last && last.outcome !== null && !last.checking;
  useSession.setState({
    phase: 'running',
    queued: false,
    record,
    ran: { program: documentState.program, name: documentState.name },
    // Its times count; what it printed need not be kept.
    earlier: ended ? { record: { ...last, output: [] }, time: Date.now() } : earlier,
  });
  const { files, entry } = plan ?? documentState;
  forgetInputs();
  const keepInputs = useInputs.getState().readBack;
  host.run(files, entry, { ...runOptions(), keepInputs });
}

export function stop(): void {
  if (useSession.getState().queued) useSession.setState({ queued: false });
  else if (useSession.getState().phase === 'running') host?.stop();
}

/** The text changed since the run whose results are shown. */
export function isStale(record: RunRecord | null, text: string): boolean {
  return record !== null && record.text !== text;
}
