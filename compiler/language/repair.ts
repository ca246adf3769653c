/**
 * Quick fixes of a diagnostic, from the text that it points at: for those whose cure is a matter of
 * spelling. Lowering may have a better one (a near name, a missing tl.constexpr), that one
 * stays. A repair never changes what else stands on the line.
 */
import { indexAt } from '../1-parse/tree';
import type { Diagnostic } from '../diagnostics';
import type { Location } from '../ir/location';
import { cursorAt, skipString } from './lexical';

type Fix = NonNullable<Diagnostic['fix']>;
type Files = Readonly<Record<string, string>>;
/** The text at the diagnostic, and all of its file. */
interface Place {
  readonly location: Location;
  readonly message: string;
  readonly text: string;
  readonly lines: readonly string[];
}

/** The diagnostic with its repair, where there is one. */
export function withRepair(diagnostic: Diagnostic, files: Files): Diagnostic {
  if (diagnostic.fix) return diagnostic;
  const { code, location, message } = diagnostic;
  const repair = REPAIRS[code];
  const source = files[location.file];
  if (!repair || source === undefined) return diagnostic;
  const lines = source.split('\n');
  const fix = repair({ location, message, text: textAt(source, location), lines });
  return fix ? { ...diagnostic, fix } : diagnostic;
}

const REPAIRS: Readonly<Record<string, (place: Place) => Fix | null>> = {
  HC0103: importModule,
  HC0104: makeConstexpr,
  HC0110: unchain,
  HC0201: cast,
  HC0203: roundUp,
  HC0204: useDot,
  HC0218: assign,
  HC0301: byElement,
};

/** How programs import the modules that kernels use. */
const IMPORTS: Readonly<Record<string, string>> = {
  tl: 'import triton.language as tl',
  triton: 'import triton',
  torch: 'import torch',
  np: 'import numpy as np',
  libdevice: 'from triton.language.extra import libdevice',
};
function importModule({ message, location, lines }: Place): Fix | null {
  const name = /^(\w+) is not defined/.exec(message)?.[1];
  const statement = name === undefined ? undefined : IMPORTS[name];
  if (statement === undefined) return null;
  const last = lines.findLastIndex((line) => /^(import|from) /.test(line));
  const line = last + 2;
  const after = last < 0 && lines[0]?.trim() !== '' ? '\n' : '';
  return {
    title: `Add “${statement}”`,
    location: span(location.file, line, 1, 1),
    text: `${statement}\n${after}`,
  };
}

function makeConstexpr({ message, location, lines }: Place): Fix | null {
  const name = /^Cannot access global variable (\w+)/.exec(message)?.[1];
  if (name === undefined) return null;
  const definition = new RegExp(`^(${name}\\s*=\\s*)([^=#].*?)\\s*(#.*)?$`);
  const index = lines.findIndex((line) => definition.test(line));
  const found = index < 0 ? null : definition.exec(lines[index]!);
  // A value over several lines would be wrapped in its middle.
  if (!found || !balanced(found[2]!)) return null;
  const from = found[1]!.length + 1;
  return {
    title: `Make ${name} a tl.constexpr`,
    location: span(location.file, index + 1, from, from + found[2]!.length),
    text: `tl.constexpr(${found[2]})`,
  };
}

/** `a < b < c` → `(a < b) & (b < c)` */
function unchain({ text, location }: Place): Fix | null {
  const parts = splitOutside(text, /<=|>=|==|!=|<(?!<)|>(?!>)/y);
  if (!parts || parts.length < 5) return null;
  const pairs: string[] = [];
  for (let i = 0; i + 2 < parts.length; i += 2)
    pairs.push(`(${parts[i]!.trim()} ${parts[i + 1]} ${parts[i + 2]!.trim()})`);
  return { title: 'Write it with &', location, text: pairs.join(' & ') };
}

/** `int(x)` → `x.to(tl.int32)` */
function cast({ text, message, location }: Place): Fix | null {
  const dtype = /Use x\.to\((tl\.\w+)\)$/.exec(message)?.[1];
  const value = /^(?:int|float)\((.+)\)$/s.exec(text)?.[1];
  if (dtype === undefined || value === undefined || !balanced(value)) return null;
  const simple = /^[\w.]+$/.test(value) ? value : `(${value})`;
  return { title: `Convert it to ${dtype}`, location, text: `${simple}.to(${dtype})` };
}

function roundUp({ text, message, location }: Place): Fix | null {
  const sizes = /got (\d+)\. Use (\d+), the next power of two,/.exec(message);
  const call = /^(.*\barange\(\s*0\s*,\s*)(\d+)(\s*,?\s*\))$/s.exec(text);
  if (!sizes || !call || call[2] !== sizes[1]) return null;
  return {
    title: `Use ${sizes[2]} (and mask what is beyond ${sizes[1]})`,
    location,
    text: `${call[1]}${sizes[2]}${call[3]}`,
  };
}

/** `a @ b` → `tl.dot(a, b)` */
function useDot({ text, message, location }: Place): Fix | null {
  if (!message.includes('use tl.dot')) return null;
  const parts = splitOutside(text, /@/y);
  if (!parts || parts.length !== 3) return null;
  return {
    title: 'Use tl.dot',
    location,
    text: `tl.dot(${parts[0]!.trim()}, ${parts[2]!.trim()})`,
  };
}

/** `tl.advance(p, …)` → `p = tl.advance(p, …)` */
function assign({ text, location }: Place): Fix | null {
  const pointer = /^tl\.advance\(\s*([A-Za-z_]\w*)\s*,/.exec(text)?.[1];
  if (pointer === undefined) return null;
  return { title: `Assign it to ${pointer}`, location, text: `${pointer} = ${text}` };
}

/** `a and b` → `(a) & (b)`, on tiles */
function byElement({ text, message, location }: Place): Fix | null {
  const word = /^"(and|or)" on tiles is deprecated/.exec(message)?.[1];
  if (word === undefined) return null;
  const parts = splitOutside(text, word === 'and' ? /\band\b/y : /\bor\b/y);
  if (!parts || parts.length < 3) return null;
  const sign = word === 'and' ? '&' : '|';
  const sides = parts.filter((_, index) => index % 2 === 0).map((part) => part.trim());
  const grouped = sides.map((side) => (/^[\w.]+$/.test(side) ? side : `(${side})`));
  return { title: `Write it with ${sign}`, location, text: grouped.join(` ${sign} `) };
}

/**
 * Lines after the parser's complaint in which its cause is looked for: it often notices late, or
 * early.
 */
const AROUND = 3;
const BLOCK = /^\s*(?:if|elif|else|for|while|with|def|class|try|except|finally)\b/;

/**
 * The most common omissions: the colon of a block, the bracket that closes. Only what `parses`
 * better counts.
 * @param faults how many syntax errors the text of a file has.
 */
export function withSyntaxRepair(
  diagnostic: Diagnostic,
  files: Files,
  faults: (file: string, text: string) => number,
): Diagnostic {
  const { code, location } = diagnostic;
  const source = files[location.file];
  if (code !== 'HC0101' || diagnostic.fix || source === undefined) return diagnostic;
  const lines = source.split('\n');
  const found = faults(location.file, source);
  const from = Math.max(0, location.line - AROUND);
  for (let index = from; index < Math.min(lines.length, location.line + AROUND); index++) {
    const code = codeOf(lines[index]!);
    const text = missingAt(code);
    if (text === null) continue;
    const mended = lines.with(index, code + text + lines[index]!.slice(code.length)).join('\n');
    // Under a name of its own, so that the file's own tree stays known.
    if (faults(' mended', mended) >= found) continue;
    const at = span(location.file, index + 1, code.length + 1, code.length + 1);
    const title = `Insert ${text} at the end of line ${index + 1}`;
    return { ...diagnostic, fix: { title, location: at, text } };
  }
  return diagnostic;
}

/** Without the comment at its end. */
function codeOf(line: string): string {
  return line.replace(/\s*(?:#[^'"]*)?$/, '');
}

const CLOSING = { '(': ')', '[': ']', '{': '}' } as const;
function missingAt(code: string): string | null {
  const { within, brackets } = cursorAt(code, code.length);
  if (within !== 'code') return null;
  const closing = brackets.toReversed().map(({ bracket }) => CLOSING[bracket]);
  const block = BLOCK.test(code) && !code.endsWith(':');
  return closing.length > 0 || block ? closing.join('') + (block ? ':' : '') : null;
}

// ── text ────────────────────────────────────────────────────────────────────────────────────────

function span(file: string, line: number, column: number, endColumn: number): Location {
  return { file, line, column, endLine: line, endColumn };
}

function textAt(source: string, at: Location): string {
  const end = { line: at.endLine, column: at.endColumn };
  return source.slice(indexAt(source, at), indexAt(source, end));
}

function balanced(text: string): boolean {
  return splitOutside(text, /(?!)/y) !== null;
}

/**
 * Parts and separators in turn, cut where `separator` (sticky) stands outside of brackets and
 * strings; null where brackets do not match.
 */
function splitOutside(text: string, separator: RegExp): string[] | null {
  const parts: string[] = [];
  let [depth, begin] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char) && --depth < 0) return null;
    else if (char === '#') return null;
    else if (char === '"' || char === "'") {
      const behind = skipString(text, at);
      if (behind > text.length) return null;
      at = behind - 1;
    } else if (depth === 0) {
      separator.lastIndex = at;
      const found = separator.exec(text)?.[0];
      if (!found) continue;
      parts.push(text.slice(begin, at), found);
      begin = at + found.length;
      at = begin - 1;
    }
  }
  parts.push(text.slice(begin));
  return depth === 0 ? parts : null;
}
