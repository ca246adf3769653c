/**
 * What the threads of a kernel tell each other through workgroup memory, and the bank conflicts of it.
 * Read off the emitted WGSL itself: each access of `shared_words` is evaluated for every thread, so the
 * numbers are those of the code that runs, not of a model of the emitter.
 *
 * WebGPU does not say how workgroup memory is built. Counted is with 32 banks of 4 bytes, as NVIDIA and
 * most others have: threads of a subgroup that want different words of one bank wait for each other.
 * An access of 16 bytes goes 8 threads at a time.
 */
import { ASSUMED_SUBGROUP, BANKS } from './constants';
import { compileExpression, indicesAt, type Scope } from './wgslExpression';

const LANES_OF_VECTOR = 8;

export interface SharedAccess {
  readonly kind: 'write' | 'read';
  /** 1-based line of the WGSL. */
  readonly line: number;
  /** Words of 4 bytes that a thread moves at once. */
  readonly words: 1 | 4;
  /** Null where the address depends on data, or is not understood. */
  readonly counted: {
    /** Trips that the whole workgroup's subgroups take; without conflicts, `ideal`. */
    readonly trips: number;
    readonly ideal: number;
    /** Threads that take part. */
    readonly threads: number;
    /** The words that each thread of the first subgroup starts at; null: it takes no part. */
    readonly first: readonly (number | null)[];
  } | null;
}

export interface SharedOptions {
  readonly wgsl: string;
  readonly threads: number;
  readonly subgroupSize: number | null;
}

const ACCESS = /shared_words\[/;

/** Whether the threads exchange through a storage buffer, which has no banks. */
export function exchangesInStorage(wgsl: string): boolean {
  return /var<storage[^>]*> shared_words:/.test(wgsl);
}

/** All accesses of workgroup memory in the text, in order. */
export function sharedAccesses({ wgsl, threads, subgroupSize }: SharedOptions): SharedAccess[] {
  if (exchangesInStorage(wgsl)) return [];
  const vectors = /var<workgroup> shared_words: array<vec4<u32>/.test(wgsl);
  const size = subgroupSize ?? ASSUMED_SUBGROUP;
  const scope: Scope = new Map([
    ['tid', { kind: 'thread' }],
    ['thread', { kind: 'thread' }],
  ]);
  const conditions: (string | null)[] = [];
  const found: SharedAccess[] = [];
  let inMain = false;
  wgsl.split('\n').forEach((raw, index) => {
    const text = raw.trim();
    if (text.startsWith('fn main(')) inMain = true;
    if (!inMain || text === '' || text.startsWith('//')) return;
    const loop = /^for \(var (\w+) = /.exec(text);
    if (loop) scope.set(loop[1]!, { kind: 'value', value: 0 });
    const named = /^let (\w+)(?:: \w+)? = (.*);$/.exec(text);
    if (named && named[1] !== 'tid') scope.set(named[1]!, { kind: 'text', text: named[2]! });
    if (ACCESS.test(text) && !text.startsWith('var'))
      for (const one of accessesIn(text, vectors))
        found.push({
          kind: one.kind,
          line: index + 1,
          words: one.words,
          counted: count(one, conditions, scope, threads, size),
        });
    follow(text, conditions);
  });
  return found;
}

/** Keeps the conditions of the blocks that are open; null for blocks without one. */
function follow(text: string, conditions: (string | null)[]): void {
  const opens = (text.match(/\{/g) ?? []).length;
  const closes = (text.match(/\}/g) ?? []).length;
  if (opens === closes && !/^\}.*\{$/.test(text)) return;
  if (text.startsWith('}')) conditions.pop();
  if (text.endsWith('{')) {
    const condition = /^if \((.*)\) \{$/.exec(text)?.[1];
    conditions.push(condition ?? null);
  }
}

interface Found {
  readonly kind: 'write' | 'read';
  readonly words: 1 | 4;
  /** Expressions of the index, and of the component of a vector. */
  readonly index: string;
  readonly component: string | null;
  readonly vectors: boolean;
}

function accessesIn(text: string, vectors: boolean): Found[] {
  const out: Found[] = [];
  for (
    let at = text.indexOf('shared_words[');
    at >= 0;
    at = text.indexOf('shared_words[', at + 1)
  ) {
    const { indices, after } = indicesAt(text, at + 'shared_words'.length);
    const [index, component = null] = indices as [string, string?];
    const kind = at === 0 && /^\s*=[^=]/.test(text.slice(after)) ? 'write' : 'read';
    out.push({ kind, words: vectors && component === null ? 4 : 1, index, component, vectors });
  }
  return out;
}

function count(
  one: Found,
  conditions: readonly (string | null)[],
  scope: Scope,
  threads: number,
  size: number,
): SharedAccess['counted'] {
  const index = compileExpression(one.index, scope);
  const component = one.component === null ? undefined : compileExpression(one.component, scope);
  if (!index || component === null) return null;
  const guards = conditions
    .filter((text) => text !== null)
    .map((text) => compileExpression(text, scope));
  const wordOf = (thread: number): number | null => {
    // A condition on data may hold for every thread: then all take part.
    if (guards.some((guard) => guard && guard(thread) === 0)) return null;
    if (!one.vectors) return index(thread);
    return index(thread) * 4 + (component ? component(thread) : 0);
  };
  let [trips, ideal, active] = [0, 0, 0];
  const first: (number | null)[] = [];
  const phase = one.words === 4 ? LANES_OF_VECTOR : size;
  for (let begin = 0; begin < threads; begin += Math.min(phase, size)) {
    const end = Math.min(threads, begin + Math.min(phase, size));
    const words: number[] = [];
    for (let thread = begin; thread < end; thread++) {
      const word = wordOf(thread);
      if (thread < size) first.push(word);
      if (word === null) continue;
      active++;
      for (let i = 0; i < one.words; i++) words.push(word + i);
    }
    if (words.length === 0) continue;
    trips += degree(words);
    ideal++;
  }
  return { trips, ideal, threads: active, first };
}

/** The most different words that one bank is asked for. */
export function degree(words: readonly number[]): number {
  const banks = new Map<number, Set<number>>();
  for (const word of words) {
    const bank = word % BANKS;
    const set = banks.get(bank) ?? new Set();
    banks.set(bank, set.add(word));
  }
  return Math.max(0, ...[...banks.values()].map((set) => set.size));
}
