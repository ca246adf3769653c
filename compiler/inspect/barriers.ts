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
import { SharedAccesses, type Access, type Kind, type Statement } from './sharedAccesses';

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
  const reader = new SharedAccesses(wgsl);
  const walker = new Walker(reader);
  const all = Array.from({ length: threads }, (_, i) => i);
  walker.block(reader.main(), all);
  return walker.report();
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

  constructor(readonly reader: SharedAccesses) {}

  report(): BarrierReport {
    const redundant = [...this.#barriers].filter((line) => !this.#needed.has(line));
    const races = [...this.#races.values()];
    return { races, barriers: this.#barriers.size, redundant };
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
