/**
 * A kernel's source in a trace: the function as it was written, or its whole file
 * (`TRITON_FULL_PYTHON_SOURCE`), of which a program needs the functions of Triton, what they read,
 * and nothing that would run.
 */
import { scan, START, type ScanState } from './lineState';

type Fields = Readonly<Record<string, unknown>>;
const MOST = 2e6;

/** @returns '' where there is none. */
export function kernelSource(source: Fields, name: string): string {
  const { code } = source;
  if (typeof code !== 'string' || code.length > MOST) return '';
  const text = code.replaceAll('\r\n', '\n');
  const kept =
    typeof source['function_start_line'] === 'number' || !isOne(text)
      ? blocks(text)
          .filter(isNeeded)
          .map((block) => (block.startsWith('@') ? withoutTuning(block) : block))
          .join('\n\n')
      : withoutTuning(dedented(text));
  return new RegExp(`^(?:async )?def ${name}\\b`, 'm').test(kept) ? kept : '';
}

/** A text that is one function. */
const isOne = (text: string): boolean => blocks(dedented(text)).length === 1;

function dedented(text: string): string {
  const indent = /^[ \t]*/.exec(text)![0];
  return indent === ''
    ? text
    : text
        .split('\n')
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join('\n');
}

/** Statements at the top of a file, decorators with what they decorate. */
function blocks(text: string): string[] {
  const found: string[][] = [];
  let state: ScanState = START;
  let decorated = false;
  for (const line of text.split('\n')) {
    const top = !state.open && /^[^\s#)\]}]/.test(line);
    state = scan(line, state);
    if (top && !decorated) found.push([]);
    if (top) decorated = line.startsWith('@');
    if (found.length > 0) found.at(-1)!.push(line);
  }
  return found.map((lines) => lines.join('\n').trimEnd());
}

/** Functions of Triton, imports of what is here, and constants. */
function isNeeded(block: string): boolean {
  if (block.startsWith('@')) return /^@(?:triton\.)?(?:jit|constexpr_function)\b/m.test(block);
  if (/^(?:import|from)\s/.test(block))
    return /^(?:import|from)\s+(?:triton|torch|math)\b/.test(block);
  return /^[A-Za-z_]\w*\s*(?::[^=]+)?=\s*(?:(?:tl|triton\.language)\.constexpr\(.*\)|[-+\w."'* ]+)$/.test(
    block,
  );
}

/** The decorators above `@triton.jit` choose configurations and arguments, which a launch has. */
function withoutTuning(block: string): string {
  const at = block.search(/^@(?:triton\.)?jit\b/m);
  return at > 0 ? block.slice(at) : block;
}
