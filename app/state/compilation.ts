/**
 * The compiler worker as the page sees it: diagnostics and kernels of the text, and the passes and WGSL
 * of the specialization in view. Follows the text after a short pause; never waits for Python.
 */
import { create } from 'zustand';
import { GUESSED, type Diagnostic } from '../../compiler/diagnostics';
import type { CompileRequest, CompileResult, Specialization } from '../../compiler/program';
import { BASELINE_TARGET, type Target } from '../../compiler/target';
import type { ExpressionFact } from '../../compiler/language/facts';
import type { LanguageAnswers, LanguageRequest } from '../../compiler/language/index';
import type { ProgramFiles } from '../events';
import { CompilerHost, type Settled } from '../workers/compilerHost';
import type { KernelOutline } from '../workers/protocol';
import { programText, useDocument } from './document';
import { colorLines, type LineColors } from './lineColors';
import type { RunRecord } from './record';
import { useSession } from './session';
import { useView, type SpecializationChoice } from './view';

export type Compiled = Extract<CompileResult, { kind: 'compiled' | 'failed' }>;

/** An entry of the select that chooses the specialization in view. */
export interface SpecializationOption extends SpecializationChoice {
  readonly label: string;
  readonly request: CompileRequest;
}

export interface CompilationState {
  readonly checked: boolean;
  readonly busy: boolean;
  /** Of the whole text. */
  readonly diagnostics: readonly Diagnostic[];
  readonly kernels: readonly KernelOutline[];
  readonly inView: SpecializationOption | null;
  /** Of `inView`; kept while a half-typed text does not compile. */
  readonly result: Compiled | null;
  /** The text that `result` belongs to. */
  readonly resultText: string;
  readonly resultFiles: ProgramFiles;
  /** What the expressions of the kernel came to in `result`. */
  readonly facts: readonly ExpressionFact[];
  /** Milliseconds that the worker took, parse to WGSL. */
  readonly milliseconds: number | null;
  readonly failure: string | null;
  /** Of the lines that `result` has code of. */
  readonly lineColors: LineColors;
}

export const useCompilation = create<CompilationState>(() => ({
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
}));

/**
 * Milliseconds without a keystroke after which the text is checked. Short, since a worker checks it and a newer
 * text replaces an older one that waits: what is left of 100 ms is the check's.
 */
const PAUSE = 20;

let host: CompilerHost | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;
let checks = 0;
let compiles = 0;

/** `*fp32, i32, BLOCK_SIZE=1024`: what tells one specialization of a kernel from another. */
export function describeSpecialization(
  specialization: Specialization,
  names: readonly string[],
): string {
  const parts: string[] = [];
  specialization.arguments.forEach((argument, index) => {
    if (argument.kind !== 'constexpr') return;
    const { value } = argument;
    const name = names[index] ?? `#${index}`;
    switch (value.kind) {
      case 'int':
      case 'float':
      case 'bool':
        parts.push(`${name}=${String(value.value)}`);
        return;
      case 'string':
        parts.push(`${name}="${value.value}"`);
        return;
      case 'dtype':
        parts.push(`${name}=${value.name}`);
        return;
      case 'none':
        parts.push(`${name}=None`);
        return;
      default:
        return;
    }
  });
  return parts.join(', ');
}

function nameOf(request: CompileRequest): string {
  const { functions, entry } = request.program;
  return functions[entry]?.name ?? entry;
}

/** The same specialization for the text as it is now, where its parameters still fit. */
function retarget(request: CompileRequest, kernel: KernelOutline | undefined): CompileRequest {
  if (!kernel || kernel.parameters.length !== request.specialization.arguments.length)
    return request;
  return { ...request, program: kernel.program };
}

/** Without what a guess of argument types found in kernels that have run as they stand, and well. */
export function withoutGuesses(
  diagnostics: readonly Diagnostic[],
  kernels: readonly KernelOutline[],
  record: RunRecord | null,
  text: string,
): readonly Diagnostic[] {
  if (record?.outcome !== 'ok' || record.text !== text) return diagnostics;
  const ran = new Set(record.specializations.map(({ request }) => nameOf(request)));
  return diagnostics.filter(({ notes, location }) => {
    if (!notes.some(({ message }) => message === GUESSED)) return true;
    const [nearest] = kernels
      .filter((one) => one.location.file === location.file && one.location.line <= location.line)
      .toSorted((a, b) => b.location.line - a.location.line);
    return !nearest || !ran.has(nearest.name);
  });
}

/** Everything that can be put in view: what ran, then what the text alone suggests. */
export function specializationOptions(
  kernels: readonly KernelOutline[],
  record: RunRecord | null,
  text: string,
  target: Target | null,
): SpecializationOption[] {
  const options: SpecializationOption[] = [];
  const fresh = record?.text === text;
  // What tuning and benchmarks only tried comes after what the program itself launched.
  const groups = record?.groups ?? [];
  const launched = new Set(groups.map(({ first }) => first.key));
  const chosen = new Set(groups.flatMap(({ first }) => (first.benchmark ? [] : [first.key])));
  const rank = (key: string): number => (chosen.has(key) ? 0 : launched.has(key) ? 1 : 2);
  const compiled = (record?.specializations ?? []).toSorted((a, b) => rank(a.key) - rank(b.key));
  for (const { key, request } of compiled) {
    const kernel = nameOf(request);
    const outline = kernels.find((candidate) => candidate.name === kernel);
    if (!fresh && !outline) continue;
    const names = outline?.parameters.map((parameter) => parameter.name) ?? [];
    const detail = describeSpecialization(request.specialization, names);
    options.push({
      kernel,
      key,
      label:
        (detail ? `${kernel} · ${detail}` : kernel) +
        (chosen.size > 0 && !chosen.has(key) ? ' · only tried' : ''),
      request: fresh ? request : retarget(request, outline),
    });
  }
  for (const outline of kernels) {
    if (!outline.guess || options.some((option) => option.kernel === outline.name)) continue;
    const names = outline.parameters.map((parameter) => parameter.name);
    const detail = describeSpecialization(outline.guess, names);
    options.push({
      kernel: outline.name,
      key: null,
      label: `${outline.name} · ${detail ? `${detail} · ` : ''}guessed from the text`,
      request: {
        program: outline.program,
        specialization: outline.guess,
        target: target ?? BASELINE_TARGET,
        options: { verify: false, keepIr: true, checkBounds: true, linearGrid: false },
      },
    });
  }
  return options;
}

/** Those of the page as it stands. */
export function currentOptions(): SpecializationOption[] {
  const { record, target } = useSession.getState();
  return specializationOptions(useCompilation.getState().kernels, record, programText(), target);
}

export function chooseOption(
  options: readonly SpecializationOption[],
  choice: SpecializationChoice | null,
): SpecializationOption | null {
  return (
    options.find((option) => option.kernel === choice?.kernel && option.key === choice.key) ??
    options.find((option) => option.kernel === choice?.kernel) ??
    options[0] ??
    null
  );
}

async function compileInView(): Promise<void> {
  if (!host) return;
  const text = programText();
  const option = chooseOption(currentOptions(), useView.getState().specialization);
  const mine = ++compiles;
  if (!option) {
    useCompilation.setState({ inView: null, busy: false });
    return;
  }
  const old = useCompilation.getState().inView;
  if (old && (old.kernel !== option.kernel || old.key !== option.key))
    useCompilation.setState({ result: null });
  useCompilation.setState({ inView: option, busy: true });
  const request: CompileRequest = {
    ...option.request,
    options: { ...option.request.options, keepIr: true },
  };
  const begin = performance.now();
  try {
    const { result, facts } = await host.compileSettled(request, () => mine === compiles);
    const milliseconds =
      result.log.reduce((sum, pass) => sum + pass.milliseconds, 0) || performance.now() - begin;
    useCompilation.setState({
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
    useCompilation.setState({ busy: false, failure });
  }
}

/** Compiles something else than what is in view, on the page's compiler. */
export async function compileAside(request: CompileRequest): Promise<Settled> {
  if (!host) throw new Error('the compiler is not there yet');
  return host.compileSettled(request);
}

/** Asks about the text; null where the compiler is not there or a newer question came. */
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
  const { files, entry } = useDocument.getState();
  if (entry === '') return;
  const mine = ++checks;
  try {
    const { diagnostics: found, kernels } = await host.check(files);
    if (mine !== checks) return;
    const diagnostics = withoutGuesses(found, kernels, useSession.getState().record, programText());
    useCompilation.setState({ checked: true, diagnostics, kernels, failure: null });
  } catch (error) {
    if (mine !== checks) return;
    useCompilation.setState({ failure: error instanceof Error ? error.message : String(error) });
    return;
  }
  await compileInView();
}

/** Starts following the text, the runs and the choice of specialization. */
export function startCompilation(): void {
  host = new CompilerHost();
  useDocument.subscribe((state, old) => {
    if (state.revision === old.revision) return;
    clearTimeout(timer);
    const opened = state.entry !== old.entry;
    if (opened)
      useCompilation.setState({ inView: null, result: null, kernels: [], diagnostics: [] });
    timer = setTimeout(() => void check(), opened ? 0 : PAUSE);
  });
  useView.subscribe((state, old) => {
    if (state.specialization !== old.specialization) void compileInView();
  });
  useSession.subscribe((state, old) => {
    const count = state.record?.specializations.length ?? 0;
    const ended = state.phase === 'ready' && old.phase === 'running';
    if (ended)
      useCompilation.setState(({ diagnostics, kernels }) => ({
        diagnostics: withoutGuesses(diagnostics, kernels, state.record, programText()),
      }));
    if (state.target !== old.target || (ended && count > 0)) void compileInView();
  });
  void check();
}
