/**
 * The compiler worker as the page sees it: diagnostics and kernels of the text, and the passes and
 * WGSL of the specialization in view. Follows the text after a short pause; never waits for Python.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { CompileRequest, CompileResult } from '../../compiler/program';
import type { ExpressionFact } from '../../compiler/language/facts';
import type { LanguageAnswers, LanguageRequest } from '../../compiler/language/index';
import type { ProgramFiles } from '../events';
import { CompilerHost, type Settled } from '../workers/compilerHost';
import type { KernelOutline } from '../workers/protocol';
import { shownRequest, useAsIf } from './asIf';
import { useCompiler } from './compiler';
import { programText, useDocument } from './document';
import { keptLaunched } from './launched';
import { programInView, storeOfProgram } from './ofProgram';
import { colorLines, type LineColors } from './lineColors';
import { useRun } from './run';
import { useSession } from './session';
import { chooseOption, specializationOptions, type SpecializationOption } from './specializations';
import { useSpecialization } from './view';

export type Compiled = Extract<CompileResult, { kind: 'compiled' | 'failed' }>;

export interface CompilationState {
  readonly checked: boolean;
  readonly busy: boolean;
  /** Diagnostics of the whole text. */
  readonly diagnostics: readonly Diagnostic[];
  readonly kernels: readonly KernelOutline[];
  readonly inView: SpecializationOption | null;
  /** Result of `inView`; kept while a half-typed text does not compile. */
  readonly result: Compiled | null;
  /** The text that `result` belongs to. */
  readonly resultText: string;
  readonly resultFiles: ProgramFiles;
  /** Values of the kernel's expressions in `result`. */
  readonly facts: readonly ExpressionFact[];
  /** Milliseconds that the worker took, parse to WGSL. */
  readonly milliseconds: number | null;
  readonly failure: string | null;
  /** Lines that `result` has code of. */
  readonly lineColors: LineColors;
}

export const useCompilation = storeOfProgram<CompilationState>({
  checked: false,
  busy: false,
  diagnostics: [],
  kernels: [],
  inView: null,
  result: null,
  resultText: '',
  resultFiles: {},
  facts: [],
  milliseconds: null,
  failure: null,
  lineColors: new Map(),
});

/**
 * Milliseconds without a keystroke after which the text is checked. Short, since a worker checks it
 * and a newer text replaces an older one that waits: what is left of 100 ms is the check's.
 */
const PAUSE = 20;

let host: CompilerHost | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let checks = 0;
let compiles = 0;

/** Those of the page as it stands. */
export function currentOptions(): SpecializationOption[] {
  const { record } = useRun.getState();
  const { target } = useSession.getState();
  return specializationOptions(useCompilation.getState().kernels, record, programText(), target);
}

async function compileInView(): Promise<void> {
  if (!host) return;
  const text = programText();
  const option = chooseOption(currentOptions(), useSpecialization.getState().choice);
  const mine = ++compiles;
  const store = useCompilation.of(programInView());
  if (!option) {
    store.setState({ inView: null, busy: false });
    return;
  }
  const old = store.getState().inView;
  if (old && (old.kernel !== option.kernel || old.key !== option.key))
    store.setState({ result: null });
  store.setState({ inView: option, busy: true });
  const shown = shownRequest(option.request);
  const request: CompileRequest = { ...shown, options: { ...shown.options, keepIr: true } };
  const begin = performance.now();
  try {
    const { result, facts } = await host.compileSettled(request, () => mine === compiles);
    const milliseconds =
      result.log.reduce((sum, pass) => sum + pass.milliseconds, 0) || performance.now() - begin;
    store.setState({
      result,
      facts,
      resultText: text,
      resultFiles: request.program.files,
      busy: false,
      milliseconds,
      failure: null,
      lineColors: colorLines(result, request.program.files),
    });
  } catch (error) {
    if (mine !== compiles) return;
    const failure = error instanceof Error ? error.message : String(error);
    store.setState({ busy: false, failure });
  }
}

/** Compiles something else than what is in view, on the page's compiler. */
export async function compileAside(request: CompileRequest): Promise<Settled> {
  if (!host) throw new Error('the compiler is not there yet');
  return host.compileSettled(request);
}

/** A question about the text; null where the compiler is not there or a newer question came. */
export async function askLanguage<K extends keyof LanguageAnswers>(
  request: Extract<LanguageRequest, { readonly kind: K }>,
): Promise<LanguageAnswers[K] | null> {
  try {
    return (await host?.language<K>(request)) ?? null;
  } catch {
    return null;
  }
}

async function check(): Promise<void> {
  if (!host) return;
  const { files, entry, identity, program } = useDocument.getState();
  if (entry === '') return;
  const mine = ++checks;
  const store = useCompilation.of(identity);
  try {
    const { diagnostics, kernels } = await host.check(files, keptLaunched(program));
    if (mine !== checks) return;
    store.setState({ checked: true, diagnostics, kernels, failure: null });
  } catch (error) {
    if (mine !== checks) return;
    store.setState({ failure: error instanceof Error ? error.message : String(error) });
    return;
  }
  if (identity === programInView()) await compileInView();
}

/**
 * Starts following the text, the runs and the choice of specialization.
 * @returns when the compiler is downloaded, or cannot be.
 */
export function startCompilation(): Promise<void> {
  host = new CompilerHost(undefined, undefined, undefined, (unavailable) =>
    useCompiler.setState(({ loaded }) => ({
      unavailable,
      loaded: loaded || unavailable === null,
    })),
  );
  useDocument.subscribe((state, old) => {
    if (state.revision === old.revision) return;
    clearTimeout(timer);
    const opened = state.identity !== old.identity || state.entry !== old.entry;
    if (opened)
      useCompilation.setState({ inView: null, result: null, kernels: [], diagnostics: [] });
    timer = setTimeout(() => void check(), opened ? 0 : PAUSE);
  });
  useSpecialization.subscribe((state, old) => {
    // A program that is just opened is checked first.
    if (state.choice !== old.choice && useCompilation.getState().checked) void compileInView();
  });
  useAsIf.subscribe(() => {
    // Code of another target must not stand under this one's name.
    useCompilation.setState({ result: null });
    if (useCompilation.getState().checked) void compileInView();
  });
  useSession.subscribe((state, old) => {
    const ended = state.running === null && old.running?.program === programInView();
    // A launched specialization takes the place of a guessed one.
    if (ended) void check();
    else if (state.target !== old.target) void compileInView();
  });
  void check();
  return host.loaded;
}
