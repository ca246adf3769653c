/**
 * Runs programs: Python (Pyodide) with our packages, over a session. The program worker, the
 * headless runner and tests all use it, so they cannot differ.
 */
import type { PyodideInterface } from 'pyodide';
import { MESSAGES } from '../../compiler/codes';
import type { StaticValue } from '../../compiler/program';
import { installPackages, writeData } from '../python/install';
import type { ProgramEvent, ProgramFiles, RunOptions } from '../events';
import type { RunData } from '../workers/protocol';
import type { Engine } from './engine';
import type { EngineKind } from './engines';
import { NO_SITE, RuntimeFault, siteLocation, diagnostic } from './errors';
import { Session, type AsyncBridge, type SessionServices } from './session';

/** What Python offers to us: `app/python/_hippocamp_host.py`. */
interface PythonHost {
  readonly run: { callPromising(request: string): Promise<string> } & ((request: string) => string);
  call_constexpr(id: string, args: string): string;
  prepare(): void;
  tidy(): string;
}

export type Outcome = 'ok' | 'error' | 'stopped';

export class Runner {
  /** Python broke; it can do nothing more. */
  private broken = false;
  /** Resolves when the last run has ended. */
  private last: Promise<void> = Promise.resolve();

  private constructor(
    private readonly session: Session,
    private readonly host: PythonHost,
    private readonly suspends: boolean,
    private readonly holdStop: (held: boolean) => void = () => {},
    /** Takes files that the next run's program opens. @returns their names, for its options. */
    readonly takeData: (data: readonly RunData[]) => readonly string[],
  ) {}

  /**
   * @param files the Python packages of `app/python`, by path.
   * @param suspends whether Python can be suspended (JSPI); without, nothing may have to be waited
   * for,
   *   which holds on the interpreter.
   * @param holdStop keeps a Stop from Python, or lets it through again; absent where nobody stops
   * it so.
   */
  static create(
    pyodide: PyodideInterface,
    files: Readonly<Record<string, string>>,
    services: SessionServices,
    suspends = true,
    holdStop?: (held: boolean) => void,
  ): Runner {
    let host: PythonHost | null = null;
    const session = new Session({
      ...services,
      callConstexpr: (id, args, keywords) => {
        if (!host) throw new Error('Python is still loading');
        return JSON.parse(
          host.call_constexpr(id, JSON.stringify({ args, keywords })),
        ) as StaticValue;
      },
    });
    const bridge = boundBridge(session);
    const held = holdStop ? { ...bridge, hold_stop: holdStop } : bridge;
    installPackages(
      pyodide,
      held,
      files,
      (request, start, end) => session.reportNumeric(request, start, end),
      () => session.inRing,
    );
    host = pyodide.pyimport('_hippocamp_host') as unknown as PythonHost;
    const takeData = (data: readonly RunData[]) => writeData(pyodide, data);
    return new Runner(session, host, suspends, holdStop, takeData);
  }

  engineFor(kind: EngineKind): Promise<Engine> {
    return this.session.engineFor(kind);
  }

  /**
   * Lets Python import what programs import, where it did not yet: that is no program's time, and
   * no Stop leaves it half done.
   */
  prepare(): void {
    this.holdStop(true);
    try {
      this.host.prepare();
    } finally {
      this.holdStop(false);
    }
  }

  /**
   * Runs a program to its end, after the run before it: the session has one engine at a time. Never
   * throws for what the program does: that is in the events.
   */
  run(
    files: ProgramFiles,
    entry: string,
    options: RunOptions,
    send: (event: ProgramEvent) => void,
  ): Promise<Outcome> {
    const run = this.last.then(() => this.runNow(files, entry, options, send));
    this.last = run.then(
      () => {},
      () => {},
    );
    return run;
  }

  private async runNow(
    files: ProgramFiles,
    entry: string,
    options: RunOptions,
    send: (event: ProgramEvent) => void,
  ): Promise<Outcome> {
    let start = performance.now();
    let outcome: Outcome = 'error';
    try {
      this.prepare();
      start = performance.now();
      const engine = await this.session.begin(options, send);
      send({ type: 'started', adapter: engine.info, time: Date.now() });
      if (options.calibrate) await this.session.calibrate();
      await this.session.reportCalibration();
      const request = JSON.stringify({ files, entry, options });
      outcome = await this.runPython(request, (error) => send(breakdown(error, entry)));
    } catch (error) {
      send(failure(error, entry));
    }
    return endRun(this.session, entry, outcome, start, send);
  }

  /**
   * @param broke what the program does is in the answer; anything that is thrown ends this Python.
   */
  private async runPython(request: string, broke: (error: unknown) => void): Promise<Outcome> {
    const { host } = this;
    try {
      const answer = this.suspends ? await host.run.callPromising(request) : host.run(request);
      return (JSON.parse(answer) as { outcome: Outcome }).outcome;
    } catch (error) {
      this.broken = true;
      broke(error);
      return 'error';
    }
  }

  /**
   * After a run: puts back what it set in Python.
   * @returns what it changed beyond that; another run needs a Python of which nothing is left.
   */
  tidy(): readonly string[] {
    if (this.broken) return BROKEN;
    this.holdStop(true);
    try {
      return tidyPython(this.host);
    } finally {
      this.holdStop(false);
    }
  }

  /** Measures what the adapter can do, where it is not kept from an earlier time. */
  calibrate(): Promise<void> {
    return this.session.calibrate();
  }

  dispose(): void {
    this.session.dispose();
  }
}

/** Left of a Python that broke. */
export const BROKEN: readonly string[] = ['Python broke'];

/** @returns what is left of a run. */
export function tidyPython(host: Pick<PythonHost, 'tidy'>): readonly string[] {
  try {
    return JSON.parse(host.tidy()) as readonly string[];
  } catch {
    // While it let go of what the program had made, such as a list that is nested too deeply.
    return BROKEN;
  }
}

/** Ends a run that began at `start` on performance's clock. @returns its outcome by then. */
export async function endRun(
  session: Session,
  entry: string,
  outcome: Outcome,
  start: number,
  send: (event: ProgramEvent) => void,
): Promise<Outcome> {
  let last = outcome;
  try {
    await session.end();
  } catch (error) {
    // Reports of the last launches, after the program's last line. A program that already
    // failed gets no second report of what it may have caused.
    if (outcome === 'ok') for (const event of failures(error, entry)) send(event);
    if (outcome === 'ok') last = 'error';
  }
  send({ type: 'finished', outcome: last, milliseconds: performance.now() - start });
  return last;
}

/** Plain functions, so that Python can take them out of the object. */
export function boundBridge(session: Session): AsyncBridge {
  return {
    storage_create: (bytes, low, high) => session.storage_create(bytes, low, high),
    storage_address: (storage, host) => session.storage_address(storage, host),
    storage_read: (storage) => session.storage_read(storage),
    storage_bytes: (storage, use) => session.storage_bytes(storage, use),
    storage_written: (storage) => session.storage_written(storage),
    storage_release: (storage) => session.storage_release(storage),
    tensor_hold: (request) => session.tensor_hold(request),
    program_register: (program) => session.program_register(program),
    launch: (request) => session.launch(request),
    relaunch: (prepared, ...storages) => session.relaunch(prepared, ...storages),
    graph_create: (launches) => session.graph_create(launches),
    graph_launch: (graph) => session.graph_launch(graph),
    graph_release: (graph) => session.graph_release(graph),
    kernel_facts: (key) => session.kernel_facts(key),
    kernel_ir: (key, profile, question) => session.kernel_ir(key, profile, question),
    synchronize: () => session.synchronize(),
    bench_mark: (on, silent) => session.bench_mark(on, silent),
    autotune_mark: (on) => session.autotune_mark(on),
    capture_prints: (on) => session.capture_prints(on),
    bench_begin: () => session.bench_begin(),
    bench_end: (milliseconds, cpuWork, best) => session.bench_end(milliseconds, cpuWork, best),
    profile_slot: (slot) => session.profile_slot(slot),
    profile_times: () => session.profile_times(),
    tuned: (key) => session.tuned(key),
    remember_tuned: (key, text) => session.remember_tuned(key, text),
    emit: (event) => session.emit(event),
    exchange: (text) => session.exchange(text),
    environment: () => session.environment(),
  };
}

function failures(error: unknown, entry: string): ProgramEvent[] {
  if (error instanceof RuntimeFault && error.diagnostics.length > 0) {
    return error.diagnostics.map((each) => {
      const { location } = each;
      const placed = location.file === NO_SITE.file ? { ...location, file: entry } : location;
      return { type: 'diagnostic', diagnostic: { ...each, location: placed } };
    });
  }
  return [failure(error, entry)];
}

/** Cause of Python's end, in a sentence: what Pyodide or WebAssembly threw out of the program. */
export function breakdown(error: unknown, entry: string): ProgramEvent {
  const { name = '', message = String(error) } = error as { name?: string; message?: string };
  // Pyodide's PythonError is an exception in what surrounds the program, which the program had
  // changed.
  if (name === 'PythonError') return failure(error, entry);
  const text = breakdownText(`${name}: ${message}`, message);
  const location = siteLocation({ file: entry, line: 1 });
  return { type: 'diagnostic', diagnostic: diagnostic('HC8011', 'error', text, location) };
}

function breakdownText(said: string, reason: string): string {
  if (/call stack|recursion/i.test(said)) return MESSAGES.HC8011.stack();
  if (/out of bounds|null function|signature mismatch|funcref table/i.test(said))
    return MESSAGES.HC8011.memory({ reason });
  if (/^Exit|\bexit\b|aborted|unreachable/i.test(said)) return MESSAGES.HC8011.exited({ reason });
  return MESSAGES.HC8011.broke({ reason: said });
}

export function failure(error: unknown, entry: string): ProgramEvent {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return {
    type: 'diagnostic',
    diagnostic: diagnostic('HC8009', 'error', message, siteLocation({ file: entry, line: 1 })),
  };
}
