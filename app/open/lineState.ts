/**
 * Whether a line of Python begins a statement: not inside a string of several lines, a bracket, or
 * after a backslash. A scanner of one pass; f-strings count as strings, whatever stands in their
 * braces.
 */
export interface ScanState {
  /** The quotes of the string of several lines that is open; null for none. */
  readonly quotes: string | null;
  /** Brackets that are open. */
  readonly brackets: number;
  /** The next line goes on with the statement. */
  readonly open: boolean;
}

export const START: ScanState = { quotes: null, brackets: 0, open: false };

/** @returns the state after the line, which has no line end. */
export function scan(line: string, { quotes: before, brackets: depth }: ScanState): ScanState {
  let quotes = before;
  let brackets = depth;
  let at = 0;
  while (at < line.length) {
    if (quotes !== null) {
      const end = endOf(line, at, quotes);
      if (end < 0) return { quotes, brackets, open: true };
      at = end;
      quotes = null;
      continue;
    }
    const character = line[at]!;
    if (character === '#') break;
    if (character === '"' || character === "'") {
      const three = character.repeat(3);
      const opening = line.startsWith(three, at) ? three : character;
      const end = endOf(line, at + opening.length, opening);
      if (end < 0 && opening.length === 3) quotes = opening;
      // A string of one line ends with it, or goes on after a backslash.
      if (end < 0) return { quotes, brackets, open: quotes !== null || line.endsWith('\\') };
      at = end;
      continue;
    }
    if ('([{'.includes(character)) brackets++;
    else if (')]}'.includes(character)) brackets = Math.max(0, brackets - 1);
    at++;
  }
  return { quotes, brackets, open: quotes !== null || brackets > 0 || line.endsWith('\\') };
}

/** Index after the quotes that end a string; below 0 where they are not on the line. */
function endOf(line: string, from: number, quotes: string): number {
  for (let at = from; at < line.length; at++) {
    if (line[at] === '\\') at++;
    else if (line.startsWith(quotes, at)) return at + quotes.length;
  }
  return -1;
}
