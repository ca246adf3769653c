/**
 * The page's side of the program workers. It keeps a spare one warm, which takes over
 * - on Stop: first Python is interrupted (where the page is cross-origin isolated); what does not
 *   react within a moment, such as a long wait for the GPU, loses its worker;
 * - where another program runs than before, so that no program finds what another one left;
 * - after a run that broke Python or changed it;
 * - where a run has ended, as its events have it, and its worker still works: a program can send
 *   such an event and go on, unseen.
 */
import { MESSAGES } from '../../compiler/codes';
import type { ProgramEvent, ProgramFiles, RunOptions } from '../events';
import type { TuningStore } from '../runtime/keptCalibration';
import { openConfinedWorker } from './confinedWorker';
import { dataShare } from './dataHost';
import type { FromProgramWorker, ProgramMessage, RunExtras, ToProgramWorker } from './protocol';
import { answerTuning, browserTunings } from './tunings';

/** Milliseconds that an interrupt gets to act. */
const INTERRUPT_PATIENCE = 300;
/** Milliseconds after the first worker is ready until the spare starts loading. */
const SPARE_DELAY = 5000;
/** Milliseconds after a run began until the spare starts loading. */
const SPARE_PATIENCE = 1000;
/**
 * Milliseconds that a stopped worker gets to say that it waits for its GPU, and until it is asked
 * again.
 */
const RETIRE_PATIENCE = 500;
const RETIRE_PACE = 1000;
/** Milliseconds from a run's end until its worker is idle: it compares what the run changed. */
const IDLE_PATIENCE = 10_000;
const SIGINT = 2;

/** Methods of a `Worker` that the host needs; tests have their own. */
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
  /** The program that ran in it: no other one may. */
  program: string | null;
  /** It must not run anything more. */
  spent: boolean;
  /** The last run after which it was idle. */
  idle: number;
  failure: string | null;
  /** The `adapter` message, kept while it is the spare. */
  adapter: ProgramMessage | null;
}

/** The other side of a check: takes a text, and resolves with the next one from there. */
export type Exchange = (text: string) => Promise<string>;

interface Current {
  readonly message: Extract<ToProgramWorker, { type: 'run' }>;
  readonly program: string;
  readonly exchange: Exchange;
  readonly started: number;
}

export class ProgramHost {
  private active: Slot;
  private spare: Slot | null = null;
  private current: Current | null = null;
  /** Workers that were stopped, and wait for their GPU. */
  private readonly retired = new Set<Slot>();
  /** Those of them that said so. */
  private readonly draining = new Set<Slot>();
  private runs = 0;
  private timers = new Set<ReturnType<typeof setTimeout>>();
  private disposed = false;

  constructor(
    private readonly listener: (message: ProgramMessage) => void,
    private readonly createWorker: () => WorkerLike = openConfinedWorker,
    private readonly baseUrl: string = defaultBase(),
    /** A port to the data worker for each program worker; null where there is none. */
    private readonly openData: () => MessagePort | null = () => null,
    private readonly tunings: TuningStore = browserTunings(),
    /** Keep a spare: not worth it for a host that makes a few runs of one program. */
    private readonly spares = true,
  ) {
    this.active = this.open();
  }

  /** A host of a few runs whose tensors nobody looks at: no port for copies of them, no spare. */
  static ofFewRuns(listener: (message: ProgramMessage) => void): ProgramHost {
    return new ProgramHost(listener, undefined, undefined, undefined, undefined, false);
  }

  /**
   * Runs a program; one that still runs is stopped. It starts when Python is ready.
   * @param program identifies it through its edits: another one gets a worker of its own.
   * @param extras packages and data that go with it (`state/runExtras.ts`): no run is without.
   * @param exchange the other side of a check; without one the program has none.
   * @returns the run's number.
   */
  run(
    files: ProgramFiles,
    entry: string,
    options: RunOptions,
    program: string,
    extras: RunExtras,
    exchange: Exchange = () => Promise.resolve(''),
  ): number {
    if (this.current) this.replace('stopped');
    const run = ++this.runs;
    const message = { type: 'run', run, files, entry, options, ...extras } as const;
    this.begin({ message, program, exchange, started: performance.now() });
    return run;
  }

  private begin(current: Current): void {
    const { active } = this;
    if (active.spent || (active.program !== null && active.program !== current.program))
      this.swap();
    this.current = current;
    this.active.program = current.program;
    this.active.worker.postMessage(current.message);
    // From the first run on somebody may press Stop; but that run's start has the cores for itself.
    if (this.active.ready) this.later(SPARE_PATIENCE, () => this.openSpare());
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

  /**
   * The workers' ports to the data worker lead nowhere any more: other workers take their places.
   */
  renew(): void {
    if (this.spare) this.close(this.spare);
    this.spare = null;
    this.active.spent = true;
    this.retire();
  }

  /** Ends it with its program. A worker whose GPU still works is closed once that is done. */
  end(): void {
    this.current = null;
    if (this.spare) this.close(this.spare);
    this.spare = null;
    if (this.active.ready) this.closeAfterGpu(this.active);
    else this.close(this.active);
  }

  dispose(): void {
    this.disposed = true;
    for (const timer of this.timers) clearTimeout(timer);
    for (const slot of [this.active, this.spare, ...this.retired]) if (slot) this.close(slot);
  }

  private open(): Slot {
    const interrupt = typeof SharedArrayBuffer === 'function' ? new SharedArrayBuffer(1) : null;
    const slot: Slot = {
      worker: this.createWorker(),
      interrupt: interrupt ? new Uint8Array(interrupt) : null,
      ready: false,
      program: null,
      spent: false,
      idle: 0,
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
    if (this.spares && !this.spare && !this.disposed) this.spare = this.open();
  }

  private close(slot: Slot): void {
    slot.worker.onmessage = null;
    slot.worker.onerror = null;
    slot.worker.terminate();
    this.retired.delete(slot);
    if (this.draining.delete(slot)) this.sayDraining();
  }

  private sayDraining(): void {
    this.listener({ type: 'draining', busy: this.draining.size > 0 });
  }

  /**
   * Closes a stopped worker once its GPU is done: a browser whose GPU works for a worker that is
   * gone draws nothing until then. Python that runs on does not answer, and is ended at once.
   */
  private closeAfterGpu(slot: Slot): void {
    this.retired.add(slot);
    slot.worker.onerror = () => this.close(slot);
    const ask = (): void => {
      let answered = false;
      slot.worker.onmessage = ({ data }) => {
        if (data.type !== 'retiring') return;
        if (!data.busy) this.close(slot);
        else if (!answered) this.later(RETIRE_PACE, () => this.retired.has(slot) && ask());
        answered = true;
        if (!data.busy || this.draining.has(slot)) return;
        this.draining.add(slot);
        this.sayDraining();
      };
      slot.worker.postMessage({ type: 'retire' });
      this.later(RETIRE_PATIENCE, () => answered || this.close(slot));
    };
    ask();
  }

  /** @param from where an answer goes. */
  private receive(
    slot: Slot,
    message: FromProgramWorker,
    from: Pick<MessagePort, 'postMessage'> | WorkerLike = slot.worker,
  ): void {
    if (message.type === 'ready') slot.ready = true;
    if (message.type === 'ready' && slot === this.spare) this.retire();
    if (message.type === 'adapter') slot.adapter = message;
    if (message.type === 'retiring') return;
    // Only a start fails, and it opens what else speaks for the worker. Later a program could say
    // so.
    if ((message.type === 'failed' || message.type === 'port') && slot.ready) return;
    if (message.type === 'failed') slot.failure = message.message;
    if (message.type === 'port') {
      message.port.onmessage = (event: MessageEvent<FromProgramWorker>) =>
        this.receive(slot, event.data, message.port);
      return;
    }
    if (message.type === 'find-tuning' || message.type === 'keep-tuning') {
      const { program } = slot;
      const trusted = program === null || from !== slot.worker;
      answerTuning(this.tunings, message, { program, trusted }, (found) => from.postMessage(found));
      return;
    }
    if (slot !== this.active) return;
    switch (message.type) {
      case 'exchange': {
        const { run, text } = message;
        if (run !== this.current?.message.run) return;
        void this.current
          .exchange(String(text))
          .then((next) => from.postMessage({ type: 'exchanged', run, text: next }));
        return;
      }
      case 'ready':
        this.later(SPARE_DELAY, () => this.openSpare());
        // The page already shows a running program: it must not look idle.
        if (!this.current) this.listener(message);
        else this.later(SPARE_PATIENCE, () => this.openSpare());
        return;
      case 'event':
        if (message.run !== this.current?.message.run) return;
        if (message.event.type === 'finished') {
          this.current = null;
          const { run } = message;
          this.later(IDLE_PATIENCE, () => slot.idle < run && this.spend(slot, run));
        }
        this.listener(message);
        this.retire();
        return;
      case 'events':
        for (const event of message.events)
          this.receive(slot, { type: 'event', run: message.run, event });
        return;
      case 'inputs':
        if (message.run === this.current?.message.run) this.listener(message);
        return;
      case 'loading':
      case 'adapter':
        this.listener(message);
        return;
      case 'idle':
        slot.idle = message.run;
        if (message.run === this.runs && !this.current && message.replaced.length > 0)
          this.listener({ type: 'replaced', names: message.replaced });
        if (message.spent) this.spend(slot, message.run);
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
          location: { file: current.message.entry, line: 1, column: 1, endLine: 1, endColumn: 1 },
          notes: [],
        },
      });
    }
    this.replace('error');
  }

  /** After a run of the active worker: it gets no other one. */
  private spend(slot: Slot, run: number): void {
    if (slot !== this.active) return;
    slot.spent = true;
    // A run that came meanwhile waits there for nothing.
    if (this.current && this.current.message.run !== run) this.begin(this.current);
    else this.retire();
  }

  /** Replaces a spent worker between two runs, once another one is ready. */
  private retire(): void {
    if (!this.active.spent || this.current) return;
    if (this.spare?.ready) this.swap();
    this.openSpare();
  }

  /** Ends the active worker with its program. */
  private replace(outcome: 'stopped' | 'error'): void {
    this.swap(outcome === 'stopped' && this.active.ready);
    this.finish(outcome);
    if (this.active.ready) this.openSpare();
  }

  /**
   * The spare, or a new worker, takes the active one's place.
   * @param stopped its GPU may still work.
   */
  private swap(stopped = false): void {
    if (stopped) this.closeAfterGpu(this.active);
    else this.close(this.active);
    const spare = this.spare?.failure === null ? this.spare : null;
    this.spare = null;
    this.active = spare ?? this.open();
    if (this.active.adapter) this.listener(this.active.adapter);
  }

  private finish(outcome: 'stopped' | 'error'): void {
    const { current } = this;
    if (!current) return;
    this.current = null;
    const milliseconds = performance.now() - current.started;
    this.send(current, { type: 'finished', outcome, milliseconds });
  }

  private send(current: Current, event: ProgramEvent): void {
    this.listener({ type: 'event', run: current.message.run, event });
  }

  private later(milliseconds: number, action: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      if (!this.disposed) action();
    }, milliseconds);
    this.timers.add(timer);
  }
}

/** Address of the page, with its base path; `SITE_FILES` stand below it. */
function defaultBase(): string {
  return new URL(import.meta.env.BASE_URL, self.location.href).href;
}

function unreachable(message: never): never {
  throw new Error(`unknown message ${JSON.stringify(message)}`);
}
