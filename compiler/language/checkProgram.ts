/**
 * Diagnostics of a program's text without running it: syntax errors, its kernels, and what the
 * compiler finds wrong in those whose specialization is known or can be guessed. For the live page
 * and `compile`.
 */
import { outline, type Outline } from '../1-parse/outline';
import type { Parser } from '../1-parse/parser';
import { TYPE_CODES } from '../2-lower/index';
import { GUESSED, LAST_RUN, type Diagnostic } from '../diagnostics';
import { withRepair, withSyntaxRepair } from './repair';
import type { Compiler } from '../pipeline';
import { DEFAULT_OPTIONS, type KernelProgram, type Specialization } from '../program';
import { BASELINE_TARGET } from '../target';

export interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly kernels: readonly Outline[];
}

/** Specializations of the last run's launches, by the kernels' names. */
export type LastLaunches = Readonly<Record<string, readonly Specialization[]>>;

/** @param launched where a kernel was launched, nothing of it is guessed. */
export function checkProgram(
  files: KernelProgram['files'],
  parser: Parser,
  compiler: Compiler,
  launched: LastLaunches = {},
): Checked {
  const found: Diagnostic[] = [];
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith('.py')) found.push(...parser.parse(name, text).diagnostics);
  }
  // A broken file's kernels would repeat the syntax error in other words.
  const broken = new Set(found.map((each) => each.location.file));
  const outlines = outline(files, parser);
  const helpers = helpersOf(outlines);
  const kernels = outlines.map((kernel) => {
    if (helpers.has(kernel.program.entry) || broken.has(kernel.location.file)) return kernel;
    const judge = (one: Specialization): Judged => ({
      specialization: one,
      diagnostics: compiler
        .optimize({
          program: kernel.program,
          specialization: one,
          target: BASELINE_TARGET,
          options: DEFAULT_OPTIONS,
        })
        .diagnostics.filter(isKnown),
    });
    const real = (launched[kernel.name] ?? []).filter((one) => fits(kernel, one));
    if (real.length > 0) {
      for (const one of real) found.push(...judge(one).diagnostics.map(ofTheLastRun));
      return kernel;
    }
    const guessed = bestGuess(kernel, judge);
    found.push(...(guessed?.diagnostics ?? []).map(typesOfAGuess));
    return guessed ? { ...kernel, guess: guessed.specialization } : kernel;
  });
  const seen = new Set<string>();
  const faults = (name: string, text: string): number =>
    parser.parse(name, text).diagnostics.length;
  const repaired = (each: Diagnostic): Diagnostic =>
    withSyntaxRepair(withRepair(each, files), files, faults);
  // One mistake is one, also where its words name the sizes of two specializations.
  const unique = found.filter(({ code, location }) => {
    const key = `${code} ${location.file} ${location.line} ${location.column}`;
    return !seen.has(key) && seen.add(key);
  });
  return { diagnostics: unique.map(repaired), kernels };
}

interface Judged {
  readonly specialization: Specialization;
  readonly diagnostics: readonly Diagnostic[];
}

const errorsOf = ({ diagnostics }: Judged): readonly Diagnostic[] =>
  diagnostics.filter(({ severity }) => severity === 'error');

/** The first guess, unless its sizes or types are not those that the kernel is written for. */
function bestGuess(
  { guess, otherGuesses }: Outline,
  judge: (one: Specialization) => Judged,
): Judged | null {
  if (!guess) return null;
  const first = judge(guess);
  const errors = errorsOf(first);
  // Names and syntax hang on no argument: they are wrong for all of them.
  if (errors.length === 0 || errors.some(({ code }) => code.startsWith('HC01'))) return first;
  const better = withOtherTypes(first, judge);
  if (errorsOf(better).length === 0) return better;
  let sure = errors.map(words);
  for (const other of otherGuesses) {
    const judged = judge(other);
    const fitting = withOtherTypes(judged, judge);
    if (errorsOf(fitting).length === 0) return fitting;
    const found = new Set(errorsOf(judged).map(words));
    sure = sure.filter((each) => found.has(each));
  }
  // A fault that other sizes remove may be the guess's.
  const doubted = first.diagnostics.map((each) =>
    sure.includes(words(each)) ? each : ofAGuess(each),
  );
  return { ...first, diagnostics: doubted };
}

const words = ({ code, message, location: { file, line, column } }: Diagnostic): string =>
  JSON.stringify([code, message, file, line, column]);

/** Element types of pointers whose names give none, where they are not float32. */
const OTHER_TYPES = ['int32', 'float16'] as const;

/**
 * A guess with other types of pointers, where that is all that it lacks: one type for all, else for
 * some.
 */
function withOtherTypes(guess: Judged, judge: (one: Specialization) => Judged): Judged {
  let best = guess;
  if (!errorsOf(guess).every(({ code }) => TYPE_CODES.has(code))) return guess;
  const half = guess.specialization.arguments.map((each) =>
    each.kind === 'pointer' && each.dtype === 'float32' ? { ...each, dtype: 'float16' } : each,
  );
  const halves = judge({ ...guess.specialization, arguments: half });
  if (errorsOf(halves).length === 0) return halves;
  for (const [i, argument] of guess.specialization.arguments.entries()) {
    if (argument.kind !== 'pointer' || argument.dtype !== 'float32') continue;
    for (const dtype of OTHER_TYPES) {
      const specs = best.specialization.arguments.with(i, { ...argument, dtype });
      const judged = judge({ ...best.specialization, arguments: specs });
      if (errorsOf(judged).length < errorsOf(best).length) best = judged;
      if (errorsOf(best).length === 0) return best;
    }
  }
  return guess;
}

/** The kernel still has the parameters that it was launched with. */
function fits({ parameters }: Outline, { arguments: specs }: Specialization): boolean {
  return (
    parameters.length === specs.length &&
    parameters.every(({ constexpr }, i) => !constexpr || specs[i]?.kind === 'constexpr')
  );
}

function ofTheLastRun(diagnostic: Diagnostic): Diagnostic {
  const note = { message: LAST_RUN };
  return TYPE_CODES.has(diagnostic.code)
    ? { ...diagnostic, notes: [...diagnostic.notes, note] }
    : diagnostic;
}

/**
 * A name that a kernel uses from elsewhere is no fault in the text: its value is known once the
 * program runs.
 */
function isKnown({ code }: Diagnostic): boolean {
  return code !== 'HC0115';
}

/** An error that hangs on argument types is only as sure as they are: they were guessed. */
function typesOfAGuess(diagnostic: Diagnostic): Diagnostic {
  return TYPE_CODES.has(diagnostic.code) ? ofAGuess(diagnostic) : diagnostic;
}
function ofAGuess(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.severity !== 'error') return diagnostic;
  const note = { message: GUESSED };
  return { ...diagnostic, severity: 'warning', notes: [...diagnostic.notes, note] };
}

/** Functions that other kernels call: they may return values, so they are not judged as kernels. */
export function helpersOf(kernels: readonly Outline[]): Set<string> {
  const helpers = new Set<string>();
  for (const { program } of kernels) {
    for (const { id, globals } of Object.values(program.functions)) {
      for (const value of Object.values(globals)) {
        if (value.kind === 'function' && value.id !== id) helpers.add(value.id);
      }
    }
  }
  return helpers;
}
