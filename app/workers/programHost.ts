/**
 * The page's side of the program worker. It keeps a spare worker warm, so that Stop always works and at
 * once: first Python is interrupted (where the page is cross-origin isolated); what does not react
 * within a moment, such as a long wait for the GPU, loses its worker, and the spare takes over.
 */
import { MESSAGES } from '../../compiler/codes';
import type { ProgramEvent, ProgramFiles, RunOptions } from '../events';
import { dataShare } from './dataHost';
import type { FromProgramWorker, ProgramMessage, ToProgramWorker } from './protocol';

/** Milliseconds that an interrupt gets to act. */
const INTERRUPT_PATIENCE = 300;
/** Milliseconds after the first worker is ready until the spare starts loading. */
const SPARE_DELAY = 5000;
/** Milliseconds after a run began until the spare starts loading. */
const SPARE_PATIENCE = 1000;
const SIGINT = 2;

/** What the host needs of a `Worker`; tests have their own. */
export interface WorkerLike {
  postMessage(message: ToProgramWorker, transfer?: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromProgramWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface Slot {
  readonly worker: WorkerLike;
  readonly interrupt: Uint8Array | null;
  ready: boolean;
  failure: string | null;
  /** The `adapter` message, kept while it is the spare. */
  adapter: ProgramMessage | null;
}

interface Current {
  readonly run: number;
  readonly entry: string;
  readonly started: number;
}

export class ProgramHost {
  private active: Slot;
  private spare: Slot | null = null;
  private current: Current | null = null;
  private runs = 0;
  private timers = new Set<ReturnType<typeof setTimeout>>();
  private disposed = false;

  constructor(
    private readonly listener: (message: ProgramMessage) => void,
    private readonly createWorker: () => WorkerLike = defaultWorker,
    private readonly baseUrl: string = defaultBase(),
    /** A port to the data worker for each program worker; null where there is none. */
    private readonly openData: () => MessagePort | null = () => null,
  ) {
    this.active = this.open();
  }

  /** Runs a program; one that still runs is stopped. It starts when Python is ready. @returns its number. */
  run(files: ProgramFiles, entry: string, options: RunOptions): number {
    if (this.current) this.replace('stopped');
    const run = ++this.runs;
    this.current = { run, entry, started: performance.now() };
    this.active.worker.postMessage({ type: 'run', run, files, entry, options });
    // From the first run on somebody may press Stop; but that run's start has the cores for itself.
    if (this.active.ready) this.later(SPARE_PATIENCE, () => this.openSpare());
    return run;
  }

  /** Ends the running program. Its `finished` event follows within a moment. */
  stop(): void {
    const { current, active } = this;
    if (!current) return;
    if (!active.interrupt || !active.ready) {
      this.replace('stopped');
      return;
    }
    Atomics.store(active.interrupt, 0, SIGINT);
    this.later(INTERRUPT_PATIENCE, () => {
      if (this.current === current) this.replace('stopped');
    });
  }

  dispose(): void {
    this.disposed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.close(this.active);
    if (this.spare) this.close(this.spare);
  }

  private open(): Slot {
    const interrupt = typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(1) : null;
    const slot: Slot = {
      worker: this.createWorker(),
      interrupt: interrupt ? new Uint8Array(interrupt) : null,
      ready: false,
      failure: null,
      adapter: null,
    };
    slot.worker.onmessage = (event) => this.receive(slot, event.data);
    slot.worker.onerror = (event) => this.crashed(slot, event.message || 'the worker crashed');
    const port = this.openData();
    const data = port && { port, share: dataShare() };
    const { baseUrl } = this;
    slot.worker.postMessage({ type: 'start', interrupt, baseUrl, data }, port ? [port] : []);
    return slot;
  }

  private openSpare(): void {
    if (!this.spare && !this.disposed) this.spare = this.open();
  }

  private close(slot: Slot): void {
    slot.worker.onmessage = null;
    slot.worker.onerror = null;
    slot.worker.terminate();
  }

  private receive(slot: Slot, message: FromProgramWorker): void {
    if (message.type === 'ready') slot.ready = true;
    if (message.type === 'adapter') slot.adapter = message;
    if (message.type === 'failed') slot.failure = message.message;
    if (message.type === 'port') {
      message.port.onmessage = (event: MessageEvent<FromProgramWorker>) =>
        this.receive(slot, event.data);
      return;
    }
    if (slot !== this.active) return;
    switch (message.type) {
      case 'ready':
        this.later(SPARE_DELAY, () => this.openSpare());
        // The page already shows a running program: it must not look idle.
        if (!this.current) this.listener(message);
        else this.later(SPARE_PATIENCE, () => this.openSpare());
        return;
      case 'event':
        if (message.run !== this.current?.run) return;
        if (message.event.type === 'finished') this.current = null;
        this.listener(message);
        return;
      case 'events':
        for (const event of message.events)
          this.receive(slot, { type: 'event', run: message.run, event });
        return;
      case 'inputs':
        if (message.run === this.current?.run) this.listener(message);
        return;
      case 'loading':
      case 'adapter':
        this.listener(message);
        return;
      case 'failed':
        this.finish('error');
        this.listener(message);
        return;
      default:
        unreachable(message);
    }
  }

  private crashed(slot: Slot, message: string): void {
    if (slot !== this.active) {
      // A spare that does not start is missed only when it is needed.
      this.close(slot);
      if (this.spare === slot) this.spare = null;
      return;
    }
    if (!slot.ready) {
      this.receive(slot, { type: 'failed', message });
      return;
    }
    const { current } = this;
    if (current) {
      this.send(current, {
        type: 'diagnostic',
        diagnostic: {
          code: 'HC8011',
          severity: 'error',
          message: MESSAGES.HC8011.crashed({ reason: message }),
          location: { file: current.entry, line: 1, column: 1, endLine: 1, endColumn: 1 },
          notes: [],
        },
      });
    }
    this.replace('error');
  }

  /** Ends the active worker with its program; the spare, or a new worker, takes over. */
  private replace(outcome: 'stopped' | 'error'): void {
    this.close(this.active);
    this.finish(outcome);
    const spare = this.spare?.failure === null ? this.spare : null;
    this.spare = null;
    this.active = spare ?? this.open();
    if (this.active.adapter) this.listener(this.active.adapter);
    if (this.active.ready) this.openSpare();
  }

  private finish(outcome: 'stopped' | 'error'): void {
    const { current } = this;
    if (!current) return;
    this.current = null;
    const milliseconds = performance.now() - current.started;
    this.send(current, { type: 'finished', outcome, milliseconds });
  }

  private send(current: Current, event: ProgramEvent): void {
    this.listener({ type: 'event', run: current.run, event });
  }

  private later(milliseconds: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      if (!this.disposed) action();
    }, milliseconds);
    this.timers.add(timer);
  }
}

function defaultWorker(): WorkerLike {
  return new Worker(new URL('./programWorker.ts', import.meta.url), {
    type: 'module',
    name: 'program',
  });
}

/** Where the page lies, with its base path; `pyodide/` stands beside it. */
function defaultBase(): string {
  return new URL(import.meta.env.BASE_URL, self.location.href).href;
}

function unreachable(message: never): never {
  throw new Error(`unknown message ${JSON.stringify(message)}`);
}
