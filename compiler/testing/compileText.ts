/**
 * For tests: compiles every kernel of a text as the live page does, from the text alone. It must
 * not throw whatever the text is, and a diagnostic of a fault of ours (HC0399, HC0900) counts as a
 * fault.
 */
import { outline } from '../1-parse/outline';
import type { Parser } from '../1-parse/parser';
import type { Diagnostic } from '../diagnostics';
import type { Compiler } from '../pipeline';
import { DEFAULT_OPTIONS } from '../program';
import { BASELINE_TARGET } from '../target';

export interface TextResult {
  readonly kernels: number;
  readonly compiled: number;
  readonly diagnostics: readonly Diagnostic[];
}

export function compileText(
  parser: Parser,
  compiler: Compiler,
  text: string,
  verify = false,
): TextResult {
  const diagnostics: Diagnostic[] = [...parser.parse('text.py', text).diagnostics];
  const found = outline({ 'text.py': text }, parser);
  let compiled = 0;
  for (const { program, guess } of found) {
    if (!guess) continue;
    const options = { ...DEFAULT_OPTIONS, verify };
    const request = { program, specialization: guess, target: BASELINE_TARGET, options };
    const result = compiler.compile(request);
    if (result.kind !== 'failed') compiled++;
    if (result.kind !== 'regroup') diagnostics.push(...result.diagnostics);
  }
  return { kernels: found.length, compiled, diagnostics };
}

export function isFault({ code }: Diagnostic): boolean {
  return code === 'HC0399' || code === 'HC0900';
}
