/**
 * Memory that the threads of a program share: the shared words, slabs for operands of dots,
 * counters of histograms and single variables. It declares each at its first use, and gives it its
 * size when the kernel is lowered. The shared words stand in workgroup memory or, where the target
 * has shared memory in storage, in a buffer, a slice for each program; all else is in workgroup
 * memory.
 */
import { walk } from '../ir/ir';
import type { Func } from '../ir/ir';
import type { ThreadBuilder } from '../ir/thread/builder';
import type { ThreadOp, ThreadValue } from '../ir/thread/ir';
import { memory, number, U32 } from '../ir/thread/types';
import type { MemoryType } from '../ir/thread/types';

/** The words of a program's shared memory, in workgroup memory or in storage. */
interface SharedWords {
  readonly array: ThreadValue;
  /**
   * In storage: where the program's words begin, and the constant that is the length of its slice.
   */
  readonly first: ThreadValue | undefined;
  readonly length: ThreadOp | undefined;
}

/** The counters, by the largest chunk of any histogram in the kernel. */
const COUNTERS = 'histogram_counts';

export class SharedMemory {
  /** Entries of the shared words are vectors of four words: tiles for dots stand there. */
  readonly vectors: boolean;
  /** Histograms count in workgroup memory, wherever the shared words are. */
  readonly #counts: boolean;
  /** Arrays and variables in workgroup memory, by name. */
  readonly #arrays = new Map<string, ThreadValue>();
  #words: SharedWords | undefined;
  /** Bytes of the shared words in use. */
  #wordBytes = 0;
  /** Counters of the largest histogram. */
  #counters = 0;

  constructor(
    private readonly b: ThreadBuilder,
    func: Func,
    /** The shared words stand in a storage buffer, a slice for each program. */
    readonly inStorage: boolean,
  ) {
    let tiles = false;
    let counts = false;
    walk(func.body, (op) => {
      tiles ||= op.name === 'ttg.local_alloc';
      counts ||= op.name === 'tt.histogram';
    });
    this.vectors = tiles;
    this.#counts = counts;
  }

  /** An array or a variable in workgroup memory, one for each name. */
  workgroup(name: string, type: MemoryType): ThreadValue {
    let found = this.#arrays.get(name);
    if (!found) this.#arrays.set(name, (found = this.b.alloc(name, type)));
    return found;
  }
  /** An array of slabs, each an array of vectors. */
  slabs(name: string, slabs: number, entries: number): ThreadValue {
    return this.workgroup(name, memory('workgroup', number('u32', 4), [slabs, entries]));
  }
  /** At least so many atomic counters; histograms share them. */
  histogramCounters(count: number): ThreadValue {
    this.#counters = Math.max(this.#counters, count);
    const counters = this.workgroup(COUNTERS, memory('workgroup', U32, [1], true));
    counters.type = memory('workgroup', U32, [this.#counters], true);
    return counters;
  }
  /** The shared words, declared with the length that turns out at the end (`finish`). */
  get words(): SharedWords {
    return (this.#words ??= this.#declareWords());
  }
  #declareWords(): SharedWords {
    const { b } = this;
    const entry = this.vectors ? number('u32', 4) : U32;
    if (!this.inStorage) {
      const array = b.alloc('shared_words', memory('workgroup', entry, [0]));
      return { array, first: undefined, length: undefined };
    }
    const type = memory('storage', entry, [0]);
    const array = b.buffer(
      type,
      { kind: 'buffer', group: 'shared', written: true },
      'shared_words',
    );
    const length = b.placeholder(U32);
    const first = b.prelude('shared', 'shared_start', () => {
      const group = b.value('thread.workgroup_id', [], { attributes: { axis: 0 } });
      return b.value('thread.mul', [group, length]);
    });
    return { array, first, length: length.definition! };
  }
  /** Reserves the first `bytes` of the shared words. */
  needBytes(bytes: number): void {
    this.#wordBytes = Math.max(this.#wordBytes, bytes);
  }
  /** Gives the shared words their length. */
  finish(): void {
    if (!this.#words) return;
    const { array, length } = this.#words;
    const entries = Math.ceil(this.#wordBytes / 16) * (this.vectors ? 1 : 4);
    if (length) length.attributes['value'] = entries;
    else array.type = memory('workgroup', (array.type as MemoryType).element, [entries]);
  }

  /** After it every thread sees the shared words, and counters, as the others wrote them. */
  barrier(): void {
    this.b.create('thread.barrier', [], {
      attributes: { workgroup: !this.inStorage || this.#counts, storage: this.inStorage },
    });
  }
  /** After it every thread sees storage as the others wrote it. */
  storageBarrier(): void {
    this.b.create('thread.barrier', [], { attributes: { workgroup: false, storage: true } });
  }

  /** Bytes of slabs and shared words: of workgroup memory, or of the storage in its place. */
  get bytes(): number {
    const slabs = [...this.#arrays.values()].reduce((sum, { type }) => {
      const isSlabs = type.kind === 'memory' && type.shape.length === 2;
      return isSlabs ? sum + type.shape.reduce((a, b) => a * b, 16) : sum;
    }, 0);
    return slabs + Math.ceil(this.#wordBytes / 16) * 16;
  }
  /** Whether the threads of a program share any memory. */
  get isUsed(): boolean {
    return this.#wordBytes > 0 || this.#arrays.size > 0;
  }
}
