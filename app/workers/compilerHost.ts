/**
 * The page's side of the compiler worker. A newer check replaces an older one that did not start; a
 * worker that dies or hangs is replaced, and what it was doing is rejected.
 */
import type { CompileRequest, CompileResult } from '../../compiler/program';
import type { ProgramFiles } from '../events';
import type { FromCompilerWorker, ToCompilerWorker } from './protocol';

type Checked = Omit<Extract<FromCompilerWorker, { type: 'checked' }>, 'type' | 'id'>;

/** Milliseconds after which the compiler counts as hanging; the largest kernels take a few seconds. */
const PATIENCE = 30_000;

export interface CompilerWorkerLike {
  postMessage(message: ToCompilerWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromCompilerWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface Pending {
  readonly message: ToCompilerWorker;
  readonly resolve: (answer: FromCompilerWorker) => void;
  readonly reject: (error: Error) => void;
}

/** A check that a newer one replaced. */
export class Superseded extends Error {
  constructor() {
    super('a newer check replaced this one');
  }
}

export class CompilerHost {
  private worker: CompilerWorkerLike | null = null;
  private running: Pending | null = null;
  private waiting: Pending[] = [];
  private watchdog: ReturnType<typeof setTimeout> | undefined;
  private ids = 0;

  constructor(
    private readonly createWorker: () => CompilerWorkerLike = defaultWorker,
    private readonly patience = PATIENCE,
  ) {
    this.open();
  }

  /** Diagnostics and kernels of the text. Rejects with `Superseded` where a newer check came. */
  async check(files: ProgramFiles): Promise<Checked> {
    const replaced = this.waiting.filter((each) => each.message.type === 'check');
    this.waiting = this.waiting.filter((each) => each.message.type !== 'check');
    for (const each of replaced) each.reject(new Superseded());
    const answer = await this.ask({ type: 'check', id: ++this.ids, files });
    if (answer.type !== 'checked') throw new Error(`a check was answered with ${answer.type}`);
    return answer;
  }

  async compile(request: CompileRequest): Promise<CompileResult> {
    const answer = await this.ask({ type: 'compile', id: ++this.ids, request });
    if (answer.type !== 'compiled') throw new Error(`a compile was answered with ${answer.type}`);
    return answer.result;
  }

  dispose(): void {
    this.close();
    for (const each of [...(this.running ? [this.running] : []), ...this.waiting]) {
      each.reject(new Error('the compiler was closed'));
    }
    this.running = null;
    this.waiting = [];
  }

  private ask(message: ToCompilerWorker): Promise<FromCompilerWorker> {
    return new Promise((resolve, reject) => {
      const pending: Pending = { message, resolve, reject };
      // Typing comes first: its diagnostics are what the user looks at.
      if (message.type === 'check') this.waiting.unshift(pending);
      else this.waiting.push(pending);
      this.next();
    });
  }

  /** One request at a time is with the worker, so that it is known which one killed it. */
  private next(): void {
    if (this.running) return;
    const pending = this.waiting.shift();
    if (!pending) return;
    this.running = pending;
    this.watchdog = setTimeout(
      () => this.died('the compiler took too long; it was started again'),
      this.patience,
    );
    (this.worker ?? this.open()).postMessage(pending.message);
  }

  private open(): CompilerWorkerLike {
    const worker = this.createWorker();
    worker.onmessage = (event) => this.receive(event.data);
    worker.onerror = (event) => this.died(event.message || 'the compiler crashed');
    this.worker = worker;
    return worker;
  }

  private close(): void {
    clearTimeout(this.watchdog);
    const { worker } = this;
    this.worker = null;
    if (!worker) return;
    worker.onmessage = null;
    worker.onerror = null;
    worker.terminate();
  }

  private receive(answer: FromCompilerWorker): void {
    if (answer.type === 'ready' || answer.id !== this.running?.message.id) return;
    const { running } = this;
    this.running = null;
    clearTimeout(this.watchdog);
    if (answer.type === 'crashed') running.reject(new Error(answer.message));
    else running.resolve(answer);
    this.next();
  }

  private died(message: string): void {
    this.close();
    const { running } = this;
    this.running = null;
    running?.reject(new Error(message));
    this.next();
  }
}

function defaultWorker(): CompilerWorkerLike {
  return new Worker(new URL('./compilerWorker.ts', import.meta.url), {
    type: 'module',
    name: 'compiler',
  });
}
