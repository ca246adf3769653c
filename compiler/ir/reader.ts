/**
 * Reads the tokens that the printed forms of tile IR and of thread IR share: names, numbers,
 * strings, dictionaries of attributes. `functionReader.ts` is built on it.
 */
import type { Attribute } from './ir';
import type { Location } from './location';

export class IrParseError extends Error {
  constructor(
    message: string,
    readonly line: number,
  ) {
    super(`line ${line}: ${message}`);
  }
}

const TOKEN =
  /\s+|\/\/[^\n]*|(%\w+|"(?:[^"\\]|\\.)*"|(?:(?:\d+|\?)x)+(?=[!a-z])|-?(?:\d+\.\d+|\d+)(?:[eE][+-]?\d+)?|-inf|[#@!]?[A-Za-z_][\w.]*|[{}()<>[\],:=^])/y;

interface Token {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

export class IrReader {
  readonly #tokens: Token[] = [];
  #position = 0;

  constructor(
    text: string,
    private readonly file: string,
  ) {
    let [line, lineStart] = [1, 0];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.length) {
      const start = TOKEN.lastIndex;
      const match = TOKEN.exec(text);
      if (!match) throw new IrParseError(`unexpected ${JSON.stringify(text[start])}`, line);
      if (match[1] !== undefined)
        this.#tokens.push({ text: match[1], line, column: start - lineStart + 1 });
      for (let i = start; i < TOKEN.lastIndex; i++)
        if (text[i] === '\n') [line, lineStart] = [line + 1, i + 1];
    }
  }

  // ── tokens ────────────────────────────────────────────────────────────────────────────────────
  protected peek(offset = 0): string {
    return this.#tokens[this.#position + offset]?.text ?? '';
  }
  protected next(): string {
    const token = this.#tokens[this.#position++];
    if (!token) throw this.error('the text ends early');
    return token.text;
  }
  protected accept(text: string): boolean {
    if (this.peek() !== text) return false;
    this.#position++;
    return true;
  }
  protected expect(text: string): void {
    const found = this.next();
    if (found !== text) throw this.error(`expected ${text}, found ${found}`, -1);
  }
  protected error(message: string, offset = 0): IrParseError {
    const token = this.#tokens[Math.min(this.#position + offset, this.#tokens.length - 1)];
    return new IrParseError(message, token?.line ?? 1);
  }
  protected atLineStart(): boolean {
    const [before, token] = [this.#tokens[this.#position - 1], this.#tokens[this.#position]];
    return before?.line !== token?.line;
  }
  protected location(): Location {
    const { line, column } = this.#tokens[this.#position] ?? { line: 1, column: 1 };
    return { file: this.file, line, column, endLine: line, endColumn: column };
  }
  protected list<T>(close: string, item: () => T): T[] {
    const items: T[] = [];
    while (!this.accept(close)) {
      if (items.length > 0) this.expect(',');
      items.push(item());
    }
    return items;
  }
  protected integer(): number {
    const text = this.next();
    if (!/^-?\d+$/.test(text)) throw this.error(`expected an integer, found ${text}`, -1);
    return Number(text);
  }

  // ── attributes ────────────────────────────────────────────────────────────────────────────────
  protected dictionary(): Record<string, Attribute> {
    this.expect('{');
    const entries = this.list('}', (): [string, Attribute] => {
      const key = this.next();
      this.expect('=');
      return [key.startsWith('"') ? (JSON.parse(key) as string) : key, this.attribute()];
    });
    return Object.fromEntries(entries);
  }
  protected attribute(): Attribute {
    const token = this.peek();
    if (token === '{') return this.dictionary();
    this.next();
    if (token === '[') return this.list(']', () => this.attribute());
    if (token.startsWith('"')) return JSON.parse(token) as string;
    if (token === 'true' || token === 'false') return token === 'true';
    if (/^-?\d+$/.test(token) && this.peek() === ':') {
      this.expect(':');
      this.expect('i64');
      return BigInt(token);
    }
    return this.number(token);
  }
  protected number(token: string): number {
    if (token === 'nan') return NaN;
    if (token === 'inf') return Infinity;
    if (token === '-inf') return -Infinity;
    const value = Number(token);
    if (Number.isNaN(value)) throw this.error(`expected a number, found ${token}`, -1);
    return value;
  }
  /** A brace opens attributes if `key =` follows it, else a region. */
  protected atDictionary(): boolean {
    return this.peek() === '{' && this.peek(2) === '=' && !this.peek(1).startsWith('%');
  }
  protected get atEnd(): boolean {
    return this.#position >= this.#tokens.length;
  }
}
