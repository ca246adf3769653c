/**
 * One compiler worker and what waits for it, as long as that takes: a worker that dies or hangs is
 * replaced, one that cannot be loaded is tried again. Time counts from when it is loaded.
 */
import type { FromCompilerWorker, ToCompilerWorker } from './protocol';

/**
 * Milliseconds until a worker that could not be loaded is tried again: doubled each time, up to the
 * last.
 */
const RETRY = 1000;
const LONGEST_RETRY = 30_000;

export interface CompilerWorkerLike {
  postMessage(message: ToCompilerWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromCompilerWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface Pending {
  readonly message: ToCompilerWorker;
  /** Asked when its turn comes. */
  readonly wanted: () => boolean;
  readonly resolve: (answer: FromCompilerWorker) => void;
  readonly reject: (error: Error) => void;
}

export const ALWAYS = (): boolean => true;

/** A request that a newer one replaced. */
export class Superseded extends Error {
  constructor() {
    super('a newer request replaced this one');
  }
}

export class Lane {
  private worker: CompilerWorkerLike | null = null;
  private running: Pending | null = null;
  private waiting: Pending[] = [];
  private loaded = false;
  private failures = 0;
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;

  /** @param onLoad hears of each load: null, or why it failed. */
  constructor(
    private readonly createWorker: () => CompilerWorkerLike,
    private readonly patience: number,
    private readonly onLoad: (failure: string | null) => void,
  ) {}

  ask(message: ToCompilerWorker, first = false, wanted = ALWAYS): Promise<FromCompilerWorker> {
    return new Promise((resolve, reject) => {
      const pending: Pending = { message, wanted, resolve, reject };
      if (first) this.waiting.unshift(pending);
      else this.waiting.push(pending);
      this.next();
    });
  }

  /** Takes back what waits and is no longer wanted. */
  drop(unwanted: (message: ToCompilerWorker) => boolean): void {
    const replaced = this.waiting.filter((each) => unwanted(each.message));
    this.waiting = this.waiting.filter((each) => !unwanted(each.message));
    for (const each of replaced) each.reject(new Superseded());
  }

  dispose(): void {
    this.close();
    clearTimeout(this.retry);
    for (const each of [...(this.running ? [this.running] : []), ...this.waiting]) {
      each.reject(new Error('the compiler was closed'));
    }
    this.running = null;
    this.waiting = [];
  }
  /** One request at a time is with the worker, so that it is known which one killed it. */
  private next(): void {
    if (this.running || this.retry !== undefined) return;
    let pending = this.waiting.shift();
    for (; pending && !pending.wanted(); pending = this.waiting.shift())
      pending.reject(new Superseded());
    if (!pending) return;
    this.running = pending;
    this.watch();
    this.open().postMessage(pending.message);
  }

  /**
   * Counts the time of the request that runs; what is spent on downloading the worker is not its.
   */
  private watch(): void {
    if (!this.loaded || !this.running) return;
    this.watchdog = setTimeout(
      () => this.died('the compiler took too long; it was started again'),
      this.patience,
    );
  }

  /** The worker, which starts loading where there is none. */
  open(): CompilerWorkerLike {
    if (this.worker) return this.worker;
    const worker = this.createWorker();
    worker.onmessage = (event) => this.receive(event.data);
    worker.onerror = (event) => {
      // A script that cannot be fetched is an error without a message.
      if (this.loaded) this.died(event.message || 'the compiler crashed');
      else this.unavailable(event.message || 'its script could not be fetched');
    };
    this.worker = worker;
    return worker;
  }

  private close(): void {
    clearTimeout(this.watchdog);
    const { worker } = this;
    this.worker = null;
    this.loaded = false;
    if (!worker) return;
    worker.onmessage = null;
    worker.onerror = null;
    worker.terminate();
  }

  private receive(answer: FromCompilerWorker): void {
    if (answer.type === 'unavailable') {
      this.unavailable(answer.message);
      return;
    }
    if (answer.type === 'ready') {
      this.loaded = true;
      this.failures = 0;
      this.onLoad(null);
      this.watch();
      return;
    }
    if (answer.id !== this.running?.message.id) return;
    const { running } = this;
    this.running = null;
    clearTimeout(this.watchdog);
    if (answer.type === 'crashed') running.reject(new Error(answer.message));
    else running.resolve(answer);
    this.next();
  }

  /** The worker did not load: everything waits for the next attempt. */
  private unavailable(reason: string): void {
    this.close();
    if (this.running) this.waiting.unshift(this.running);
    this.running = null;
    this.onLoad(reason);
    const delay = Math.min(RETRY * 2 ** this.failures++, LONGEST_RETRY);
    this.retry = setTimeout(() => {
      this.retry = undefined;
      this.open();
      this.next();
    }, delay);
  }

  private died(message: string): void {
    this.close();
    const { running } = this;
    this.running = null;
    running?.reject(new Error(message));
    this.next();
  }
}
