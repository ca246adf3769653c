/**
 * The page's side of the compiler: two workers, one for the text and one for compiling. A newer request
 * replaces an older one that did not start; a worker that dies or hangs is replaced, and what it was doing
 * is rejected.
 */
import type { LanguageAnswers, LanguageRequest } from '../../compiler/language/index';
import type { CompileRequest, CompileResult } from '../../compiler/program';
import { regroup } from '../../compiler/regroup';
import type { ProgramFiles } from '../events';
import { unpackResult } from './packedLog';
import type { FromCompilerWorker, ToCompilerWorker } from './protocol';

interface Compiled {
  readonly result: CompileResult;
  readonly facts: Extract<FromCompilerWorker, { type: 'compiled' }>['facts'];
}
/** An answer, and the request with the groups that the compiler settled on. */
export interface Settled {
  readonly result: Exclude<CompileResult, { kind: 'regroup' }>;
  readonly facts: Compiled['facts'];
  readonly request: CompileRequest;
}
type Checked = Omit<Extract<FromCompilerWorker, { type: 'checked' }>, 'type' | 'id'>;

/** Milliseconds after which the compiler counts as hanging; the largest kernels take a few seconds. */
const PATIENCE = 30_000;
/** Rounds of binding groups that a kernel of the page may take. */
export const MAX_REGROUPS = 8;

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

const ALWAYS = (): boolean => true;

/** A request that a newer one replaced. */
export class Superseded extends Error {
  constructor() {
    super('a newer request replaced this one');
  }
}

export class CompilerHost {
  /** Diagnostics and the editor's questions: they must not wait for a large kernel to compile. */
  private readonly text: Lane;
  private readonly compiler: Lane;
  private ids = 0;

  constructor(
    createWorker: () => CompilerWorkerLike = defaultWorker,
    patience = PATIENCE,
    private readonly baseUrl = defaultBase(),
  ) {
    this.text = new Lane(createWorker, patience);
    this.compiler = new Lane(createWorker, patience);
    this.text.open();
  }

  /** Diagnostics and kernels of the text. Rejects with `Superseded` where a newer check came. */
  async check(files: ProgramFiles): Promise<Checked> {
    this.text.drop((each) => each.type === 'check');
    // Typing comes first: its diagnostics are what the user looks at.
    const answer = await this.text.ask({ type: 'check', id: ++this.ids, files }, true);
    if (answer.type !== 'checked') throw new Error(`a check was answered with ${answer.type}`);
    return answer;
  }

  private async compile(request: CompileRequest, wanted: () => boolean): Promise<Compiled> {
    const message: ToCompilerWorker = { type: 'compile', id: ++this.ids, request };
    const answer = await this.compiler.ask(message, false, wanted);
    if (answer.type !== 'compiled') throw new Error(`a compile was answered with ${answer.type}`);
    return { result: unpackResult(answer.result), facts: answer.facts };
  }

  /**
   * Compiles until the binding groups are settled.
   * @param wanted asked before and after each round. Rejects with `Superseded` where it is not any more.
   */
  async compileSettled(request: CompileRequest, wanted: () => boolean = ALWAYS): Promise<Settled> {
    let current = request;
    for (let round = 0; round < MAX_REGROUPS; round++) {
      const { result, facts } = await this.compile(current, wanted);
      if (!wanted()) throw new Superseded();
      if (result.kind !== 'regroup') return { result, facts, request: current };
      current = { ...current, specialization: regroup(current.specialization, result) };
    }
    throw new Error('the compiler kept asking for other binding groups');
  }

  /** The editor's questions. A newer one of the same kind replaces one that waits. */
  async language<K extends keyof LanguageAnswers>(
    request: Extract<LanguageRequest, { readonly kind: K }>,
  ): Promise<LanguageAnswers[K]> {
    this.text.drop((each) => each.type === 'language' && each.request.kind === request.kind);
    const id = ++this.ids;
    const { baseUrl } = this;
    const answer = await this.text.ask({ type: 'language', id, request, baseUrl });
    if (answer.type !== 'language') throw new Error(`a question was answered with ${answer.type}`);
    // The worker answers a kind with that kind's answer (`compiler/language/index.ts`).
    return answer.answer as LanguageAnswers[K];
  }

  dispose(): void {
    this.text.dispose();
    this.compiler.dispose();
  }
}

/** One worker and what waits for it. */
class Lane {
  private worker: CompilerWorkerLike | null = null;
  private running: Pending | null = null;
  private waiting: Pending[] = [];
  private watchdog: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly createWorker: () => CompilerWorkerLike,
    private readonly patience: number,
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
    for (const each of [...(this.running ? [this.running] : []), ...this.waiting]) {
      each.reject(new Error('the compiler was closed'));
    }
    this.running = null;
    this.waiting = [];
  }
  /** One request at a time is with the worker, so that it is known which one killed it. */
  private next(): void {
    if (this.running) return;
    let pending = this.waiting.shift();
    for (; pending && !pending.wanted(); pending = this.waiting.shift())
      pending.reject(new Superseded());
    if (!pending) return;
    this.running = pending;
    this.watchdog = setTimeout(
      () => this.died('the compiler took too long; it was started again'),
      this.patience,
    );
    (this.worker ?? this.open()).postMessage(pending.message);
  }

  open(): CompilerWorkerLike {
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

/** Where the page lies, with its base path. */
function defaultBase(): string {
  if (typeof self === 'undefined' || !('location' in self)) return 'http://localhost/';
  return new URL(import.meta.env.BASE_URL, self.location.href).href;
}
