/**
 * What the text of a program says without running it: syntax errors, its kernels, and what the compiler
 * finds wrong in those whose specialization can be guessed. For the live page and `compile`.
 */
import { outline, type Outline } from '../1-parse/outline';
import type { Parser } from '../1-parse/parser';
import { TYPE_CODES } from '../2-lower/index';
import { GUESSED, type Diagnostic } from '../diagnostics';
import { withRepair, withSyntaxRepair } from './repair';
import type { Compiler } from '../pipeline';
import { DEFAULT_OPTIONS, type KernelProgram } from '../program';
import { BASELINE_TARGET } from '../target';

export interface Checked {
  readonly diagnostics: readonly Diagnostic[];
  readonly kernels: readonly Outline[];
}

export function checkProgram(
  files: KernelProgram['files'],
  parser: Parser,
  compiler: Compiler,
): Checked {
  const found: Diagnostic[] = [];
  for (const [name, text] of Object.entries(files)) {
    if (name.endsWith('.py')) found.push(...parser.parse(name, text).diagnostics);
  }
  const kernels = outline(files, parser);
  // A broken file's kernels would repeat the syntax error in other words.
  const broken = new Set(found.map((each) => each.location.file));
  const helpers = helpersOf(kernels);
  for (const kernel of kernels) {
    if (helpers.has(kernel.program.entry)) continue;
    if (!kernel.guess || broken.has(kernel.location.file)) continue;
    const { diagnostics } = compiler.optimize({
      program: kernel.program,
      specialization: kernel.guess,
      target: BASELINE_TARGET,
      options: DEFAULT_OPTIONS,
    });
    found.push(...diagnostics.filter(isKnown).map(ofAGuess));
  }
  const seen = new Set<string>();
  const faults = (name: string, text: string): number =>
    parser.parse(name, text).diagnostics.length;
  const repaired = (each: Diagnostic): Diagnostic =>
    withSyntaxRepair(withRepair(each, files), files, faults);
  const unique = found.filter(({ code, message, location }) => {
    const key = `${code} ${message} ${location.file} ${location.line} ${location.column}`;
    return !seen.has(key) && seen.add(key);
  });
  return { diagnostics: unique.map(repaired), kernels };
}

/** What a kernel uses of elsewhere is no fault in the text: running the program tells. */
function isKnown({ code }: Diagnostic): boolean {
  return code !== 'HC0115';
}

/** An error that hangs on argument types is only as sure as they are: they were guessed. */
function ofAGuess(diagnostic: Diagnostic): Diagnostic {
  if (diagnostic.severity !== 'error' || !TYPE_CODES.has(diagnostic.code)) return diagnostic;
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
