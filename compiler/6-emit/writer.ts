/**
 * Collects lines of WGSL with the place in the program that each comes from. Where the place
 * changes to another line of the program's files, a comment quotes that line.
 */
import type { Location } from '../ir/location';
import { mostLines, tooLarge } from '../ir/thread/limits';

/** Longer lines are wrapped. */
const COLUMNS = 100;

export interface Line {
  readonly text: string;
  readonly location: Location | null;
}

export class Writer {
  readonly lines: Line[] = [];
  /** Given to every line written. */
  location: Location | null = null;
  #indent: string;
  readonly #quotes: Quotes | null;
  /** The line of the program that was quoted last. */
  #quoted: Pick<Location, 'file' | 'line'> | undefined;

  /**
   * @param compilesSlowly as of the target's machine: kernels are refused earlier.
   * @param files of the program, by name, whose lines are quoted; absent, none are.
   */
  constructor(
    depth = 0,
    private readonly compilesSlowly = false,
    files?: Readonly<Record<string, string>>,
  ) {
    this.#indent = '  '.repeat(depth);
    this.#quotes = files ? new Quotes(files) : null;
  }

  line(text: string): void {
    const place = this.#quotes?.within(this.location);
    if (place && (place.line !== this.#quoted?.line || place.file !== this.#quoted.file)) {
      this.#quoted = place;
      this.#push(`// ${place.line}: ${this.#quotes!.text(place)}`);
    }
    this.#push(text);
  }
  #push(text: string): void {
    if (this.lines.length >= mostLines(this.compilesSlowly))
      throw tooLarge(this.location, this.compilesSlowly);
    const { location } = this;
    let [line, indent] = [text, this.#indent];
    while (indent.length + line.length > COLUMNS) {
      const at = breakOf(line, COLUMNS - indent.length);
      if (at < 0) break;
      this.lines.push({ text: indent + line.slice(0, at), location });
      line = line.slice(at + 1);
      indent = `${this.#indent}    `;
    }
    this.lines.push({ text: indent + line, location });
  }
  /** `head {`, what `body` writes, indented, and `}`. */
  block(head: string, body: () => void): void {
    this.line(`${head} {`);
    this.indented(body);
    this.end('}');
  }
  /** The end of a block, which is of no line of its own. */
  end(text: string): void {
    this.#push(text);
  }
  indented(body: () => void): void {
    const outer = this.#indent;
    this.#indent += '  ';
    body();
    this.#indent = outer;
  }
}

/**
 * The space at which a line is wrapped, in the fewest parentheses: behind a comma, or before an
 * operator; -1 where there is none.
 */
function breakOf(line: string, room: number): number {
  if (line.startsWith('//')) return -1;
  let [found, least, depth] = [-1, Infinity, 0];
  for (let i = 0; i < room; i++) {
    const char = line[i]!;
    const before = line[i - 1];
    if (char === '(' || char === '[' || (char === '<' && isOfType(line, i))) depth++;
    else if (char === ')' || char === ']' || (char === '>' && isOfType(line, i))) depth--;
    else if (
      char === ' ' &&
      depth <= least &&
      (before === ',' || OPERATOR.test(line.slice(i, i + 4)))
    )
      [found, least] = [i, depth];
  }
  return found;
}
/** Whether a bracket is of a type: an operator has a space before it. */
function isOfType(line: string, i: number): boolean {
  const start = line[i - 1] === line[i] ? i - 1 : i;
  return line[start - 1] !== ' ';
}
/** An operator with an operand before it. */
const OPERATOR = /^ (?:[-+*/%&|^<>]|<<|>>|[=!<>]=) /;

/** The lines of the program's files. */
class Quotes {
  readonly #lines = new Map<string, readonly string[]>();
  constructor(private readonly files: Readonly<Record<string, string>>) {}

  /**
   * The innermost call of a location that stands in one of the files: what is inlined from
   * elsewhere is quoted by its call.
   */
  within(location: Location | null): Location | undefined {
    for (let at = location ?? undefined; at; at = at.inlinedAt)
      if (at.file in this.files) return at;
    return undefined;
  }

  text({ file, line }: Location): string {
    let lines = this.#lines.get(file);
    if (!lines) this.#lines.set(file, (lines = this.files[file]!.split('\n')));
    // A line break of WGSL's that Python's lines do not end at must not end the comment.
    return (lines[line - 1] ?? '').trim().replace(LINE_BREAKS, ' ');
  }
}
/** WGSL §3.1 has more of them than Python. */
const LINE_BREAKS = /[\n\v\f\r\u0085\u2028\u2029]/g;
