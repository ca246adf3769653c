/**
 * Collects lines of WGSL with the place in the user's program that each comes from, and hands out names.
 */
import { MESSAGES } from '../codes';
import { DiagnosticError } from '../diagnostics';
import type { Location } from '../ir/location';
import { UNKNOWN_LOCATION } from '../ir/location';

export interface Line {
  readonly text: string;
  readonly location: Location | null;
}

/** More than this no driver compiles in minutes; tiles far beyond a GPU's registers come to it. */
const MAX_LINES = 150_000;

function tooLong(location: Location | null): never {
  const message = MESSAGES.HC0510.lines({ limit: MAX_LINES });
  throw new DiagnosticError({
    code: 'HC0510',
    severity: 'error',
    message,
    location: location ?? UNKNOWN_LOCATION,
    notes: [],
  });
}

export class Writer {
  readonly lines: Line[] = [];
  /** Given to every line written. */
  location: Location | null = null;
  #depth = 0;

  constructor(depth = 0) {
    this.#depth = depth;
  }

  line(text: string): void {
    if (this.lines.length >= MAX_LINES) tooLong(this.location);
    this.lines.push({ text: '  '.repeat(this.#depth) + text, location: this.location });
  }
  /** `head {`, what `body` writes, indented, and `}`. */
  block(head: string, body: () => void): void {
    this.line(`${head} {`);
    this.indented(body);
    this.line('}');
  }
  ifElse(condition: string, yes: () => void, no: () => void): void {
    this.line(`if (${condition}) {`);
    this.indented(yes);
    this.line('} else {');
    this.indented(no);
    this.line('}');
  }
  /** What `body` writes comes from another place of the program. */
  at<T>(location: Location, body: () => T): T {
    const outer = this.location;
    this.location = location;
    const result = body();
    this.location = outer;
    return result;
  }
  indented(body: () => void): void {
    this.#depth++;
    body();
    this.#depth--;
  }
}

/** Makes WGSL identifiers that are unique in the module, close to the user's names. */
export class Names {
  readonly #taken = new Set<string>();
  /** Where to go on looking for each hint: names are many. */
  readonly #next = new Map<string, number>();

  /** A new identifier that starts with `hint` as far as WGSL allows. */
  fresh(hint: string): string {
    const clean = hint.replace(/[^A-Za-z0-9_]/g, '_').replace(/^[_0-9]+/, '') || 'v';
    for (let i = this.#next.get(clean) ?? 0; ; i++) {
      // The number at the end keeps clear of WGSL's keywords and reserved words.
      const name = `${clean}_${i}`;
      if (!this.#taken.has(name)) {
        this.#taken.add(name);
        this.#next.set(clean, i + 1);
        return name;
      }
    }
  }
}
