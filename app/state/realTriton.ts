/**
 * The same program under real Triton, on a Jupyter server of the visitor's: the connection, and the
 * record of the last run there. It is a record like a run's in the browser, so the panels show
 * both. The address is kept in this browser; the token only while the page is open.
 */
import { create } from 'zustand';
import type { JupyterPython, JupyterRun } from '../jupyter/client';
import { programText, useDocument } from './document';
import { emptyRecord, type RunRecord } from './record';
import { receive } from './receive';
import { storeOfProgram } from './ofProgram';
import { load, save } from './storage';
import { openDialog } from './view';

export type RealTritonPhase = 'off' | 'connecting' | 'ready' | 'running';
/** Which runs the panels show. */
export type RunsShown = 'here' | 'there' | 'both';

export interface RealTritonState {
  readonly phase: RealTritonPhase;
  readonly address: string;
  /** Why the last attempt did not succeed. */
  readonly failure: string | null;
  readonly shown: RunsShown;
}

export const useRealTriton = create<RealTritonState>(() => ({
  phase: 'off',
  address: load('jupyter') ?? 'http://localhost:8888/',
  failure: null,
  shown: 'here',
}));

/** The last run of the program in view there. */
export const useRealRun = storeOfProgram<{ readonly record: RunRecord | null }>({ record: null });

let python: JupyterPython | null = null;
let running: JupyterRun | null = null;
/** Record that the last run is folded into; an earlier one, still ending, is not shown any more. */
let latest: RunRecord | null = null;
/**
 * Counts attempts, so that what a given-up one still answers is not taken for the present one's.
 */
let attempt = 0;
/** Milliseconds between two drawings of a running program. */
const PACE = 80;

export async function connect(address: string, token: string): Promise<void> {
  const own = ++attempt;
  await disconnect();
  useRealTriton.setState({ phase: 'connecting', address, failure: null });
  try {
    const client = await import('../jupyter/client');
    const server = client.parseServer(address, token);
    const connected = await client.JupyterPython.connect(server);
    if (own !== attempt) return void connected.close();
    python = connected;
    // Without a token that may stand in it.
    save('jupyter', server.url);
    useRealTriton.setState({ phase: 'ready', address: server.url });
  } catch (error) {
    if (own === attempt) fail(error);
  }
}

function fail(error: unknown): void {
  const failure = error instanceof Error ? error.message : String(error);
  useRealTriton.setState({ phase: python ? 'ready' : 'off', failure });
}

export async function disconnect(): Promise<void> {
  const old = python;
  python = null;
  running = null;
  useRealTriton.setState({ phase: 'off' });
  // The server may be gone; there is nobody to inform then.
  await old?.close().catch(() => undefined);
}

/** Runs the document there; requests a server first where none is connected. */
export async function runThere(): Promise<void> {
  const state = useDocument.getState();
  if (!python) return openDialog('real-triton');
  if (useRealTriton.getState().phase === 'running' || state.entry === '') return;
  const record = emptyRecord(0, state.revision, programText(state));
  const store = useRealRun.of(state.identity);
  let timer: ReturnType<typeof setTimeout> | null = null;
  latest = record;
  store.setState({ record });
  const publish = (): void => {
    timer = null;
    if (latest === record) store.setState({ record: { ...record } });
  };
  const { shown } = useRealTriton.getState();
  useRealTriton.setState({
    phase: 'running',
    failure: null,
    shown: shown === 'here' ? 'both' : shown,
  });
  const run = python.run(state.files, state.entry, 0, (event) => {
    receive(record, event);
    timer ??= setTimeout(publish, PACE);
  });
  running = run;
  try {
    await run.done;
  } catch (error) {
    record.outcome ??= 'error';
    if (running === run) {
      await disconnect();
      fail(error);
    }
  } finally {
    if (timer) clearTimeout(timer);
    publish();
    if (running === run) {
      running = null;
      useRealTriton.setState({ phase: 'ready' });
    }
  }
}

export function stopThere(): void {
  void running?.stop().catch(fail);
}

export function showRuns(shown: RunsShown): void {
  useRealTriton.setState({ shown });
}
