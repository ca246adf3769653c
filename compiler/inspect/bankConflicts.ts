/**
 * The accesses of shared memory in a kernel, and their bank conflicts: each load, store and atomic
 * of thread IR, its address evaluated for every thread of a program. Loops stand at their first
 * iteration. What a subgroup moves as a matrix is not among them: WGSL leaves open which lane
 * touches which word.
 *
 * WebGPU does not say how workgroup memory is built. Counted is with 32 banks of 4 bytes, as NVIDIA
 * and most others have: threads of a subgroup that access different words of one bank wait for each
 * other. An access of 16 bytes goes 8 threads at a time, one of 8 bytes 16.
 */
import type { Location } from '../ir/location';
import type { ThreadBlock, ThreadOp } from '../ir/thread/ir';
import { memoryOf } from '../ir/thread/ir';
import type { ThreadKernel } from '../ir/thread/kernel';
import type { Plane } from '../interpret/workgroup/lanes';
import { strideOf, unitBytes } from '../interpret/workgroup/memory';
import { ASSUMED_SUBGROUP, BANKS } from './constants';
import { LaneValues } from './laneValues';

const WORD_BYTES = 4;

export interface SharedAccess {
  readonly kind: 'write' | 'read' | 'atomic';
  readonly location: Location;
  /** Bytes that a thread moves at once. */
  readonly bytes: number;
  /** Null where the address depends on data. */
  readonly counted: {
    /** Trips that the whole program's subgroups take; without conflicts, `ideal`. */
    readonly trips: number;
    readonly ideal: number;
    /** Threads that take part. */
    readonly threads: number;
    /** The words that each thread of the first subgroup starts at; null: it takes no part. */
    readonly first: readonly (number | null)[];
  } | null;
}

const KINDS: Readonly<Partial<Record<ThreadOp['name'], SharedAccess['kind']>>> = {
  'thread.load': 'read',
  'thread.load_component': 'read',
  'thread.atomic_load': 'read',
  'thread.store': 'write',
  'thread.store_component': 'write',
  'thread.atomic_store': 'write',
  'thread.atomic_rmw': 'atomic',
  'thread.atomic_cas': 'atomic',
};

/**
 * All accesses of arrays in shared memory, in order. @param subgroupSize null: the target states
 * none.
 */
export function sharedAccesses(kernel: ThreadKernel, subgroupSize: number | null): SharedAccess[] {
  return new Walk(kernel, subgroupSize ?? ASSUMED_SUBGROUP).accesses;
}

class Walk {
  readonly accesses: SharedAccess[] = [];
  readonly #values: LaneValues;

  constructor(
    private readonly kernel: ThreadKernel,
    private readonly size: number,
  ) {
    this.#values = new LaneValues(kernel, size);
    this.#block(kernel.func.body, () => true);
  }

  #block(block: ThreadBlock, active: (thread: number) => boolean): void {
    for (let op = block.first; op; op = op.next) {
      const access = this.#access(op, active);
      if (access) this.accesses.push(access);
      op.regions.forEach((region, i) => this.#block(region, this.#within(op, i, active)));
    }
  }
  /** A condition on data may hold for every thread: then all take part. */
  #within(
    op: ThreadOp,
    region: number,
    active: (thread: number) => boolean,
  ): (thread: number) => boolean {
    if (op.name !== 'thread.if' && op.name !== 'thread.for') return active;
    const plane = this.#values.scalar(op.operand(0));
    if (!plane) return active;
    if (op.name === 'thread.for') return (thread) => active(thread) && plane[thread]! > region;
    const wanted = region === 0 ? 1 : 0;
    return (thread) => active(thread) && plane[thread] === wanted;
  }

  #access(op: ThreadOp, active: (thread: number) => boolean): SharedAccess | null {
    const kind = KINDS[op.name];
    if (!kind) return null;
    const { space, element, shape } = memoryOf(op.operand(0));
    if (space !== 'workgroup' || shape.length === 0) return null;
    const component = op.name.endsWith('_component') ? op.operand(1 + shape.length) : null;
    const bytes = unitBytes(element.scalar) * (component ? 1 : element.size);
    const words = this.#words(op, component ? this.#values.scalar(component) : undefined);
    const counted = words && this.#count(words, active, Math.max(1, bytes / WORD_BYTES));
    return { kind, location: op.location, bytes, counted };
  }
  /** The first word that a thread accesses. @param component of a vector; null: not known. */
  #words(op: ThreadOp, component: Plane | null | undefined): ((thread: number) => number) | null {
    const type = memoryOf(op.operand(0));
    const indices = op.operands
      .slice(1, 1 + type.shape.length)
      .map((index) => this.#values.scalar(index));
    if (component === null || indices.some((index) => !index)) return null;
    const unit = unitBytes(type.element.scalar);
    return (thread) => {
      const element = indices.reduce((at, index, d) => at * type.shape[d]! + index![thread]!, 0);
      const place = element * strideOf(type) + (component ? component[thread]! : 0);
      return Math.floor((place * unit) / WORD_BYTES);
    };
  }

  #count(
    wordOf: (thread: number) => number,
    active: (thread: number) => boolean,
    words: number,
  ): SharedAccess['counted'] {
    const { threads } = this.kernel;
    const step = Math.min(words > 1 ? BANKS / words : this.size, this.size);
    let [trips, ideal, taking] = [0, 0, 0];
    const first: (number | null)[] = [];
    for (let begin = 0; begin < threads; begin += step) {
      const touched: number[] = [];
      for (let thread = begin; thread < Math.min(threads, begin + step); thread++) {
        const word = active(thread) ? wordOf(thread) : null;
        if (thread < this.size) first.push(word);
        if (word === null) continue;
        taking++;
        for (let i = 0; i < words; i++) touched.push(word + i);
      }
      if (touched.length === 0) continue;
      trips += degree(touched);
      ideal++;
    }
    return { trips, ideal, threads: taking, first };
  }
}

/** The most different words of one bank. */
export function degree(words: readonly number[]): number {
  const banks = new Map<number, Set<number>>();
  for (const word of words) {
    const bank = word % BANKS;
    const set = banks.get(bank) ?? new Set();
    banks.set(bank, set.add(word));
  }
  return Math.max(0, ...[...banks.values()].map((set) => set.size));
}
