/**
 * Proves of a kernel's WGSL that no two threads of a workgroup touch the same word of the memory they
 * share between two barriers unless both read, and finds barriers that nothing needs. Every access is
 * evaluated for every thread, with the text's own constants, so what is proven is the code that runs.
 *
 * Loops are walked with their counter's first values, often enough that every pair of turns that follow
 * each other has been seen; branches on the thread's number by the threads that take them, branches on
 * data by all threads, either way. An address that depends on data counts as any word of its array. What a
 * subgroup loads or stores as a matrix is touched by no lane in particular: it must be apart from all that its
 * own threads do, too. Not looked into: the tensors' own memory.
 */
import { matrixAccess, matrixTypes } from './matrixAccess';
import { compileExpression, indicesAt, type Evaluate, type Scope } from './wgslExpression';

export interface Race {
  /** 1-based lines of the two accesses, the later one second. */
  readonly lines: readonly [number, number];
  readonly array: string;
  readonly word: number | null;
  readonly threads: readonly [number, number];
}
export interface BarrierReport {
  readonly races: readonly Race[];
  readonly barriers: number;
  /** Lines of barriers that separate nothing. */
  readonly redundant: readonly number[];
  /** Why the text is not one that can be judged; then the rest is empty. */
  readonly unjudged: string | null;
}

type Kind = 'read' | 'write' | 'atomic';
interface Access {
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
type Statement =
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

/**
 * Turns of a loop that are walked where its counter's bound is known: with a barrier in its body eight, as
 * only neighbours meet; without, all of a staged piece. Two where the bound is not known.
 */
const TURNS = { barrier: 8, plain: 256 } as const;
const ANY = -1;
/** Numbers of subgroups' instructions beside those of threads; lines that a text has at most. */
const COLLECTIVE = 2 ** 20;
const LINES = 2 ** 20;

export function checkBarriers(wgsl: string, threads: number): BarrierReport {
  const reader = new Reader(wgsl);
  const walker = new Walker(reader);
  const all = Array.from({ length: threads }, (_, i) => i);
  walker.block(reader.main(), all);
  return walker.report();
}

/** The text of `main` as statements. */
class Reader {
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

/** Who touched a word since a barrier: of each kind two threads at most, with their lines. */
type Touches = Map<number, Touch[]>;
interface Touch {
  readonly thread: number;
  readonly line: number;
  readonly kind: Kind;
}
interface State {
  /** Since the last barrier of each space. */
  readonly now: Touches;
  /** Between that barrier and the one before it, and which barrier it is. */
  readonly behind: Touches;
  readonly barrier: number;
}
type States = { readonly workgroup: State; readonly storage: State };

const fresh = (): State => ({ now: new Map(), behind: new Map(), barrier: 0 });

class Walker {
  readonly #races = new Map<string, Race>();
  readonly #barriers = new Set<number>();
  readonly #needed = new Set<number>();
  /** Barriers that order the tensors' memory alone, in the storage space. */
  #states: States = { workgroup: fresh(), storage: fresh() };

  constructor(readonly reader: Reader) {}

  report(): BarrierReport {
    const redundant = [...this.#barriers].filter((line) => !this.#needed.has(line));
    const races = [...this.#races.values()];
    return { races, barriers: this.#barriers.size, redundant, unjudged: null };
  }

  block(statements: readonly Statement[], threads: readonly number[]): void {
    for (const statement of statements) this.#statement(statement, threads);
  }

  #statement(statement: Statement, threads: readonly number[]): void {
    switch (statement.kind) {
      case 'accesses':
        for (const access of statement.list) this.#access(access, threads);
        return;
      case 'barrier':
        this.#barrier(statement.line, statement.space);
        return;
      case 'if': {
        const { condition, barrier } = statement;
        const taken = threads.filter((thread) => !condition || condition(thread) !== 0);
        const left = threads.filter((thread) => !condition || condition(thread) === 0);
        if (!barrier) {
          // Threads may be in either branch at a time.
          this.block(statement.yes, taken);
          this.block(statement.no, left);
          return;
        }
        const before = this.#states;
        this.#states = copy(before);
        this.block(statement.yes, taken);
        const yes = this.#states;
        this.#states = copy(before);
        this.block(statement.no, left);
        this.#states = merge(yes, this.#states);
        return;
      }
      case 'loop': {
        const { counter, body, barrier } = statement;
        const before = barrier ? copy(this.#states) : this.#states;
        const { values = [], first = null, goes = null, by = null } = counter ?? {};
        const known = first && goes && by;
        for (const thread of threads) values[thread] = first?.(thread) ?? 0;
        let active = threads;
        for (let turn = 0; turn < (known ? TURNS[barrier ? 'barrier' : 'plain'] : 2); turn++) {
          if (known) active = active.filter((thread) => goes(thread) !== 0);
          if (active.length === 0) break;
          this.block(body, active);
          for (const thread of active)
            values[thread] = (values[thread]! + (by?.(thread) ?? 1)) >>> 0;
        }
        // A loop whose bound is not known may not run at all.
        if (!known && barrier) this.#states = merge(before, this.#states);
        return;
      }
      default:
        statement satisfies never;
    }
  }

  #barrier(line: number, space: 'workgroup' | 'storage'): void {
    const state = this.#states[space];
    const storage = [...this.reader.arrays.values()].some((array) => array.storage);
    // Of the tensors' own memory nothing is known here, nor of what is there to order it.
    const beside = [line - 1, line + 1].some((one) => this.reader.isStorageBarrier(one));
    if (space === 'workgroup' ? storage || !beside : storage) this.#barriers.add(line);
    this.#states = {
      ...this.#states,
      [space]: { now: new Map(), behind: state.now, barrier: line },
    };
  }

  #access(access: Access, threads: readonly number[]): void {
    const { storage } = this.reader.arrays.get(access.array)!;
    const state = this.#states[storage ? 'storage' : 'workgroup'];
    const touch = (thread: number, start: number): void => {
      for (let i = 0; i < (start === ANY ? 1 : access.words); i++) {
        const word = start === ANY ? ANY : start + i;
        if (conflict(state.behind, access, word, thread)) this.#needed.add(state.barrier);
        const other = conflict(state.now, access, word, thread);
        if (other) this.#race(access, word, thread, other);
        note(state.now, access, word, thread);
      }
    };
    const { lines } = access;
    if (!lines) {
      for (const thread of threads) touch(thread, access.at ? access.at(thread) : ANY);
      return;
    }
    const size = this.reader.subgroup!;
    for (const thread of threads.filter((each) => each % size === 0)) {
      // The same instruction again gives the same words to the same lanes; any other may not.
      const subgroup = COLLECTIVE + (thread / size) * LINES + access.line;
      const start = access.at ? access.at(thread) : ANY;
      if (start === ANY) touch(subgroup, ANY);
      else for (let i = 0; i < lines.count; i++) touch(subgroup, start + i * lines.apart(thread));
    }
  }
  #race({ array, line }: Access, word: number, thread: number, other: Touch): void {
    const key = `${other.line} ${line}`;
    if (this.#races.has(key)) return;
    this.#races.set(key, {
      lines: [other.line, line],
      array,
      word: word === ANY ? null : word,
      threads: [other.thread, thread],
    });
  }
}

const together = (a: Kind, b: Kind): boolean =>
  (a === 'read' && b === 'read') || (a === 'atomic' && b === 'atomic');

/** Words of an array, as keys; its last one stands for all. */
const ARRAY_WORDS = 2 ** 24;
const keyOf = ({ number }: Access, word: number): number =>
  number * ARRAY_WORDS + (word === ANY ? ARRAY_WORDS - 1 : word);

function conflict(
  touches: Touches,
  access: Access,
  word: number,
  thread: number,
): Touch | undefined {
  const clash = (key: number): Touch | undefined => {
    const list = touches.get(key);
    if (list)
      for (const one of list)
        if (one.thread !== thread && !together(one.kind, access.kind)) return one;
    return undefined;
  };
  if (word !== ANY) return clash(keyOf(access, word)) ?? clash(keyOf(access, ANY));
  for (const key of touches.keys()) {
    const found = Math.floor(key / ARRAY_WORDS) === access.number ? clash(key) : undefined;
    if (found) return found;
  }
  return undefined;
}
function note(touches: Touches, access: Access, word: number, thread: number): void {
  const { kind, line } = access;
  const key = keyOf(access, word);
  const list = touches.get(key);
  if (!list) {
    touches.set(key, [{ thread, line, kind }]);
    return;
  }
  // Two threads of a kind are enough: one of them is another's than whoever comes next.
  let alike = 0;
  for (const one of list) {
    if (one.kind !== kind) continue;
    if (one.thread === thread || ++alike === 2) return;
  }
  list.push({ thread, line, kind });
}

function copy(states: States): States {
  const one = (state: State): State => ({ ...state, now: copyTouches(state.now) });
  return { workgroup: one(states.workgroup), storage: one(states.storage) };
}
function copyTouches(touches: Touches): Touches {
  return new Map([...touches].map(([key, list]) => [key, [...list]]));
}
/** What either way may have touched. */
function merge(a: States, b: States): States {
  const one = (x: State, y: State): State => {
    if (x.now === y.now) return x;
    const now = copyTouches(x.now);
    for (const [key, list] of y.now) now.set(key, [...(now.get(key) ?? []), ...list]);
    const behind = copyTouches(x.behind);
    if (x.behind !== y.behind)
      for (const [key, list] of y.behind) behind.set(key, [...(behind.get(key) ?? []), ...list]);
    return { now, behind, barrier: y.barrier };
  };
  return { workgroup: one(a.workgroup, b.workgroup), storage: one(a.storage, b.storage) };
}
