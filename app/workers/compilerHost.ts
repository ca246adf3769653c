/**
 * The page's side of the compiler: two workers, one for the text and one for compiling. A newer
 * request replaces an older one that did not start; a worker that dies or hangs is replaced, and
 * what it was doing is rejected. Time counts from when a worker is loaded; one that cannot be
 * loaded is tried again, with everything that waits for it.
 */
import type { LastLaunches } from '../../compiler/language/checkProgram';
import type { LanguageAnswers, LanguageRequest } from '../../compiler/language/index';
import type { CompileRequest, CompileResult } from '../../compiler/program';
import { regroup } from '../../compiler/regroup';
import type { ProgramFiles } from '../events';
import { ALWAYS, Lane, Superseded, type CompilerWorkerLike } from './compilerLane';
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

/**
 * Milliseconds after which the compiler counts as hanging; the largest kernels take a few seconds.
 */
const PATIENCE = 30_000;
/** Rounds of binding groups that a kernel of the page may take. */
export const MAX_REGROUPS = 8;

export class CompilerHost {
  /** Diagnostics and the editor's questions: they must not wait for a large kernel to compile. */
  private readonly text: Lane;
  private readonly compiler: Lane;
  private ids = 0;
  /**
   * Resolves when both workers are loaded, or one cannot be: what else is to be downloaded may
   * begin.
   */
  readonly loaded: Promise<void>;

  /** @param onLoad hears why a worker cannot be loaded, and null once it is. */
  constructor(
    createWorker: () => CompilerWorkerLike = defaultWorker,
    patience = PATIENCE,
    private readonly baseUrl = defaultBase(),
    onLoad: (failure: string | null) => void = () => {},
  ) {
    let settle = (): void => {};
    this.loaded = new Promise((resolve) => (settle = resolve));
    this.compiler = new Lane(createWorker, patience, (failure) => {
      onLoad(failure);
      settle();
    });
    this.text = new Lane(createWorker, patience, (failure) => {
      onLoad(failure);
      if (failure !== null) settle();
      // From the cache: the two load the same files.
      else this.compiler.open();
    });
    this.text.open();
  }

  /** Diagnostics and kernels of the text. Rejects with `Superseded` where a newer check came. */
  async check(files: ProgramFiles, launched: LastLaunches = {}): Promise<Checked> {
    this.text.drop((each) => each.type === 'check');
    // Typing comes first: its diagnostics are what the user looks at.
    const answer = await this.text.ask({ type: 'check', id: ++this.ids, files, launched }, true);
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
   * @param wanted asked before and after each round. Rejects with `Superseded` where it is not any
   * more.
   */
  async compileSettled(request: CompileRequest, wanted: () => boolean = ALWAYS): Promise<Settled> {
    let current = request;
    for (let round = 0; round < MAX_REGROUPS; round++) {
      const { result, facts } = await this.compile(current, wanted);
      if (!wanted()) throw new Superseded();
      if (result.kind !== 'regroup') return { result, facts, request: current };
      current = { ...current, specialization: regroup(current.specialization, result) };
    }
    throw new Error('the compiler kept requesting other binding groups');
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

function defaultWorker(): CompilerWorkerLike {
  return new Worker(new URL('./compilerWorker.ts', import.meta.url), {
    type: 'module',
    name: 'compiler',
  });
}

/** Address of the page, with its base path. */
function defaultBase(): string {
  if (typeof self === 'undefined' || !('location' in self)) return 'http://localhost/';
  return new URL(import.meta.env.BASE_URL, self.location.href).href;
}
