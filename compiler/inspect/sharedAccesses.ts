/**
 * What a kernel's WGSL does with the memory that its threads share, in the order of the text: accesses whose words
 * can be computed for any thread, barriers, and the branches and loops around them.
 *
 * Guarantee: each place of the text that names a shared array is an access of it; where its word follows from data,
 * it is any word of the array.
 */
import { matrixAccess, matrixTypes } from './matrixAccess';
import { compileExpression, indicesAt, type Evaluate, type Scope } from './wgslExpression';

export type Kind = 'read' | 'write' | 'atomic';
export interface Access {
  readonly array: string;
  /** The array's number. */
  readonly number: number;
  readonly kind: Kind;
  readonly line: number;
  readonly words: number;
  /** First word, for a thread; null: any. */
  readonly at: Evaluate | null;
  /** A matrix of a subgroup: so many stretches of `words`, so many words apart. */
  readonly lines?: { readonly count: number; readonly apart: Evaluate };
}
export type Statement =
  | { readonly kind: 'accesses'; readonly list: readonly Access[] }
  | { readonly kind: 'barrier'; readonly line: number; readonly space: 'workgroup' | 'storage' }
  | {
      readonly kind: 'if';
      /** Null: it depends on data. */
      readonly condition: Evaluate | null;
      readonly yes: Statement[];
      readonly no: Statement[];
      /** Whether there is a barrier within. */
      readonly barrier: boolean;
    }
  | {
      readonly kind: 'loop';
      readonly counter: Counter | null;
      readonly body: Statement[];
      readonly barrier: boolean;
    };
/** A loop's counter: its value for each thread, and how it goes on; all known but in loops that break. */
interface Counter {
  readonly values: number[];
  readonly first: Evaluate | null;
  readonly goes: Evaluate | null;
  readonly by: Evaluate | null;
}

export class SharedAccesses {
  readonly #scope: Scope = new Map([
    ['tid', { kind: 'thread' }],
    ['thread', { kind: 'thread' }],
    ['exchange', { kind: 'value', value: 0 }],
  ]);
  /** The arrays that threads share: words an entry, words a part where there are parts, and where they lie. */
  readonly arrays = new Map<string, SharedArray>();
  /** Threads of a subgroup; undefined where the text does not depend on it. */
  readonly subgroup: number | undefined;
  readonly #matrices: ReadonlyMap<string, string>;
  /** Names whose values change from turn to turn of a loop. */
  readonly #moving = new Set<string>();
  readonly #lines: readonly string[];
  #at = 0;

  constructor(wgsl: string) {
    this.#lines = wgsl.split('\n');
    this.#matrices = matrixTypes(this.#lines);
    const size = Number(/let tid = \(?subgroup \* (\d+)u \+ lane/.exec(wgsl)?.[1] ?? NaN);
    if (!Number.isNaN(size)) {
      this.subgroup = size;
      const number = (thread: number): number => Math.floor(thread / size);
      this.#scope.set('subgroup', { kind: 'compiled', evaluate: number });
      this.#scope.set('lane', { kind: 'compiled', evaluate: (thread) => thread % size });
    }
    for (const line of this.#lines) {
      const own = /^var<workgroup> (\w+): (.*);/.exec(line);
      const entry = (type: string): number => Number(/vec([24])</.exec(type)?.[1] ?? 1);
      const part = Number(/^array<array<.*, (\d+)>, \d+>$/.exec(own?.[2] ?? '')?.[1] ?? 0);
      if (own) {
        const words = entry(own[2]!);
        this.arrays.set(own[1]!, { entry: words, part: part * words, storage: false });
      }
      const stored = /var<storage[^>]*> shared_words: (.*);/.exec(line);
      if (stored)
        this.arrays.set('shared_words', { entry: entry(stored[1]!), part: 0, storage: true });
    }
  }

  isStorageBarrier(line: number): boolean {
    return this.#lines[line - 1]?.trim() === 'storageBarrier();';
  }

  main(): Statement[] {
    while (!this.#lines[this.#at]!.startsWith('fn main(')) this.#at++;
    while (!this.#lines[this.#at++]!.startsWith(')'));
    return this.#block();
  }

  /** Up to the brace that closes the block, whose line is the next one to read. */
  #block(): Statement[] {
    const out: Statement[] = [];
    for (; this.#at < this.#lines.length; this.#at++) {
      const text = this.#lines[this.#at]!.trim();
      if (text.startsWith('}')) return out;
      if (text.endsWith('{')) out.push(...this.#nested(text));
      else out.push(...this.#line(text, this.#at + 1));
    }
    return out;
  }
  #nested(text: string): Statement[] {
    const line = this.#at++ + 1;
    if (/^(for|while|loop)\b/.test(text)) {
      const counter = this.#counter(text);
      const body = this.#block();
      return [{ kind: 'loop', counter, body, barrier: hasBarrier(body) }];
    }
    const head = /^if \((.*)\) \{$/.exec(text)?.[1];
    const condition = head === undefined ? null : this.#compile(head);
    const yes = this.#block();
    const no: Statement[] = [];
    while (this.#lines[this.#at]?.trim().startsWith('} else')) {
      this.#at++;
      no.push(...this.#block());
    }
    if (head === undefined) return [...this.#line(text, line), ...yes];
    return [...this.#line(head, line), branch(condition, yes, no)];
  }

  #counter(text: string): Counter | null {
    const head = /^for \(var (\w+) = (.*?); (.*?); \w+(?:(\+\+|--)| \+= (.*))\) \{$/.exec(text);
    if (!head) return null;
    const [, name, first, goes, one, by] = head;
    const start = this.#compile(first!);
    const values: number[] = [];
    this.#scope.set(name!, { kind: 'compiled', evaluate: (thread) => values[thread] ?? 0 });
    this.#moving.add(name!);
    // A loop without a bound ends by a break, which data decides.
    const known = !goes!.includes('0xffffffff');
    return {
      values,
      first: start,
      goes: known ? this.#compile(goes!) : null,
      by: one === undefined ? this.#compile(by!) : () => (one === '++' ? 1 : -1),
    };
  }

  #line(text: string, line: number): Statement[] {
    // `if (c) { a; b; }` on one line.
    const short = /^if \((.*?)\) \{ (.*) \}$/.exec(text);
    if (short) {
      const yes = short[2]!.split(/(?<=;) /).flatMap((each) => this.#line(each, line));
      return yes.length === 0 ? [] : [branch(this.#compile(short[1]!), yes, [])];
    }
    const named = /^let (\w+)(?:: \w+)? = (.*);$/.exec(text);
    const given = named && !['tid', 'exchange'].includes(named[1]!);
    if (given) {
      if (this.#moves(named[2]!)) this.#moving.add(named[1]!);
      this.#scope.set(named[1]!, { kind: 'compiled', evaluate: this.#compile(named[2]!) });
    }
    if (text === 'workgroupBarrier();') return [{ kind: 'barrier', line, space: 'workgroup' }];
    if (text === 'storageBarrier();') return [{ kind: 'barrier', line, space: 'storage' }];
    const barrier = { kind: 'barrier', line, space: 'workgroup' } as const;
    const list = this.#accesses(text, line);
    const statement: Statement[] = list.length === 0 ? [] : [{ kind: 'accesses', list }];
    return text.includes('workgroupUniformLoad(') ? [barrier, ...statement, barrier] : statement;
  }

  #moves(text: string): boolean {
    return (text.match(/[A-Za-z_]\w*/g) ?? []).some((name) => this.#moving.has(name));
  }
  /** An expression of the thread's number; found once for each thread where no loop changes it. */
  #compile(text: string): Evaluate | null {
    const evaluate = compileExpression(text, this.#scope);
    if (!evaluate || this.#moves(text)) return evaluate;
    const known: number[] = [];
    return (thread) => (known[thread] ??= evaluate(thread));
  }

  #accesses(text: string, line: number): Access[] {
    const matrix = this.#matrix(text, line);
    if (matrix) return [matrix];
    const found: Access[] = [];
    let number = -1;
    for (const [array, { entry, part }] of this.arrays) {
      number++;
      if (!text.includes(array)) continue;
      for (const match of text.matchAll(new RegExp(`\\b${array}\\b`, 'g'))) {
        const from = match.index;
        const { indices, after } = indicesAt(text, from + array.length);
        const writes = from === 0 && /^\s*[-+*|&^]?=[^=]/.test(text.slice(after));
        const atomic = /atomic(\w+)\(&$/.exec(text.slice(0, from))?.[1];
        found.push({
          array,
          number,
          line,
          kind: atomic === undefined ? (writes ? 'write' : 'read') : kindOfAtomic(atomic),
          words: indices.length > (part > 0 ? 2 : 1) ? 1 : entry,
          at: this.#place(indices, part > 0 ? [part, entry] : [entry]),
        });
      }
    }
    // What a line reads, it reads before it writes.
    return found.sort((a, b) => Number(a.kind === 'write') - Number(b.kind === 'write'));
  }
  /** `words`: of what each index counts; what is behind them is a word's place in its vector. */
  #place(indices: readonly string[], words: readonly number[]): Evaluate | null {
    const known: Evaluate[] = [];
    for (const [i, text] of indices.entries()) {
      const index = this.#compile(text);
      if (!index) return null;
      known.push((thread) => index(thread) * (words[i] ?? 1));
    }
    return (thread) => known.reduce((sum, index) => sum + index(thread), 0);
  }

  #matrix(text: string, line: number): Access | null {
    const found = matrixAccess(text, this.#matrices);
    if (!found) return null;
    const { array, kind, part, first, stride, lines, bytes } = found;
    const { entry, part: partWords } = this.arrays.get(array)!;
    const at = this.#place(part === '' ? [first] : [part, first], [
      ...(part === '' ? [] : [partWords]),
      entry,
    ]);
    const apart = this.#place([stride], [entry]);
    if (!apart || this.subgroup === undefined) throw new Error(`line ${line}: ${text}`);
    const number = [...this.arrays.keys()].indexOf(array);
    return { array, number, kind, line, words: bytes / 4, at, lines: { count: lines, apart } };
  }
}
interface SharedArray {
  readonly entry: number;
  readonly part: number;
  readonly storage: boolean;
}

/** What is set or read must be ordered with what is counted, though that is no race. */
function kindOfAtomic(name: string): Kind {
  if (name === 'Store') return 'write';
  return name === 'Load' ? 'read' : 'atomic';
}
function branch(condition: Evaluate | null, yes: Statement[], no: Statement[]): Statement {
  return { kind: 'if', condition, yes, no, barrier: hasBarrier([...yes, ...no]) };
}
function hasBarrier(statements: readonly Statement[]): boolean {
  return statements.some(
    (one) => one.kind === 'barrier' || (one.kind !== 'accesses' && one.barrier),
  );
}
