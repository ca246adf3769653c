/**
 * The context of a cursor in text that may not parse: in a string or comment or not, inside of
 * which open calls, behind which dotted name. What is half typed breaks the tree; brackets and
 * quotes can be counted.
 */

/** Python's keywords that have a use in a kernel. */
export const KERNEL_KEYWORDS: readonly string[] =
  'False None True and as assert def elif else for from if import in is not or pass return while'.split(
    ' ',
  );
/** All of Python's keywords. */
export const KEYWORDS: readonly string[] = [
  ...KERNEL_KEYWORDS,
  ...'async await break class continue del except finally global lambda nonlocal raise try with yield'.split(
    ' ',
  ),
];

export interface OpenBracket {
  readonly bracket: '(' | '[' | '{';
  readonly index: number;
  /**
   * Start of each piece: behind the bracket, and behind each comma at its own depth before the
   * cursor.
   */
  readonly pieces: readonly number[];
}

export interface Cursor {
  readonly within: 'code' | 'string' | 'comment';
  /** Outermost first. */
  readonly brackets: readonly OpenBracket[];
}

const CLOSES: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

export function cursorAt(text: string, end: number): Cursor {
  const open: (OpenBracket & { readonly pieces: number[] })[] = [];
  let i = 0;
  while (i < end) {
    const c = text[i]!;
    if (c === '#') {
      const line = text.indexOf('\n', i);
      if (line < 0 || line >= end) return { within: 'comment', brackets: open };
      i = line;
    } else if (c === '"' || c === "'") {
      const after = skipString(text, i);
      if (after > end || (after === end && !closes(text, i, after)))
        return { within: 'string', brackets: open };
      i = after;
      continue;
    } else if (c === '(' || c === '[' || c === '{') {
      open.push({ bracket: c, index: i, pieces: [i + 1] });
    } else if (CLOSES[c]) {
      if (open.at(-1)?.bracket === CLOSES[c]) open.pop();
    } else if (c === ',') {
      open.at(-1)?.pieces.push(i + 1);
    } else if (c === '\n' && open.length > 0 && startsStatement(text, i + 1)) {
      // A bracket that nobody closed does not reach over a definition.
      open.length = 0;
    }
    i++;
  }
  return { within: 'code', brackets: open };
}

function startsStatement(text: string, index: number): boolean {
  return /^[ \t]*(?:def|class|return|import|from \w|@\w|with|while|(?:if|for|elif|else)\b[^\n]*:[ \t]*\n)/.test(
    text.slice(index, index + 120),
  );
}

/** The index behind a string that begins here; the line's end where a short one is not closed. */
export function skipString(text: string, from: number): number {
  const quote = text[from]!;
  const long = text.startsWith(quote.repeat(3), from);
  const mark = long ? quote.repeat(3) : quote;
  for (let i = from + mark.length; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text.startsWith(mark, i)) return i + mark.length;
    else if (!long && text[i] === '\n') return i;
  }
  return text.length + 1;
}
function closes(text: string, from: number, to: number): boolean {
  const quote = text[from]!;
  return to - from > 1 && text[to - 1] === quote;
}

/** The dotted names before an index, with calls and subscripts: `tl.math.` and `torch.empty(3).` */
export interface Chain {
  /** The text before the last dot; empty where there is none. */
  readonly object: string;
  /** Start and end of `object`. */
  readonly from: number;
  readonly to: number;
  /** The typed prefix of the last name. */
  readonly word: string;
}

export function chainBefore(text: string, index: number): Chain {
  let at = index;
  while (at > 0 && /[\p{L}\p{N}_]/u.test(text[at - 1]!)) at--;
  const word = text.slice(at, index);
  if (text[at - 1] !== '.' || /[0-9]/.test(text[at - 2] ?? ''))
    return { object: '', from: at, to: at, word };
  const to = at - 1;
  const from = primaryBefore(text, to);
  return { object: text.slice(from, to), from, to, word };
}

/** Start of the name, call, subscript or string that ends here. */
export function primaryBefore(text: string, end: number): number {
  let at = end;
  for (;;) {
    const c = text[at - 1];
    if (c === ')' || c === ']' || c === '}') {
      const open = opening(text, at - 1);
      if (open === null) return at;
      at = open;
      // A literal in brackets is a primary of its own.
      if (!/[\p{L}\p{N}_)\]]/u.test(text[at - 1] ?? '')) return at;
      continue;
    }
    if (c !== undefined && /[\p{L}\p{N}_]/u.test(c)) {
      while (at > 0 && /[\p{L}\p{N}_]/u.test(text[at - 1]!)) at--;
      if (text[at - 1] !== '.') return at;
      at--;
      continue;
    }
    return at;
  }
}
function opening(text: string, close: number): number | null {
  let depth = 0;
  for (let i = close; i >= 0 && close - i < 5000; i--) {
    const c = text[i]!;
    if (c === ')' || c === ']' || c === '}') depth++;
    else if ((c === '(' || c === '[' || c === '{') && --depth === 0) return i;
  }
  return null;
}
