/**
 * The record of a thread's accesses out of range, in variables of its own; the kernel's end reports
 * it. Loads and writes apart: a load out of range is only suspicious, and must not hide a write.
 *
 * On a GPU one branch of an operation, almost never taken, holds all of it. The least of two
 * selects keeps the access that comes first in the text: nested selects cost f16 matmul 2 to 3 %
 * (4096³, on an H100), a branch inside costs f16 attention 3 %. Accesses in loops are not counted
 * there: a sum across a loop takes a register, and code that a loop jumps over still makes the loop
 * slower (f16 attention, 64×64 blocks, on an H200: 8 %). SwiftShader runs through a branch with its
 * lanes masked, so there each access has variables of its own, which straight code updates.
 */
import { isTrue, isZero } from '../../ir/thread/folding';
import { REPORT_LOADS, REPORT_WRITES } from '../../boundsReport';
import type { ThreadBuilder } from '../../ir/thread/builder';
import type { ThreadOp, ThreadValue } from '../../ir/thread/ir';
import { U32 } from '../../ir/thread/types';
import { numberOf } from './tests';
import type { GuardTests } from './tests';

/** A guard with its tests. */
export interface TestedGuard {
  readonly guard: ThreadOp;
  readonly tests: GuardTests;
}

/** The half of the report that a guard's access belongs to. */
type Half = typeof REPORT_LOADS | typeof REPORT_WRITES;
const halfOf = (guard: ThreadOp): Half =>
  numberOf(guard, 'half') === REPORT_LOADS ? REPORT_LOADS : REPORT_WRITES;
const NAMES: Readonly<Record<Half, string>> = {
  [REPORT_LOADS]: 'bad_load',
  [REPORT_WRITES]: 'bad_write',
};

export class Records {
  readonly #variables = new Map<string, ThreadValue>();
  /** The accesses of each half that have variables of their own. */
  readonly #own = new Map<Half, Set<number>>();
  /** The halves with an access that only some of the threads count. */
  readonly #shared = new Set<Half>();
  /** The halves with an access in a loop, which nobody counts. */
  readonly #repeated = new Set<Half>();

  constructor(private readonly b: ThreadBuilder) {}

  #variable(name: string, initial: number): ThreadValue {
    let found = this.#variables.get(name);
    if (!found) {
      found = this.b.variable(name, U32, this.b.u32(initial));
      this.#variables.set(name, found);
    }
    return found;
  }
  /**
   * The first access out of range in the text, its first element, and how many elements there are.
   */
  #half(half: Half): Readonly<Record<'access' | 'first', ThreadValue>> & { count(): ThreadValue } {
    const name = NAMES[half];
    return {
      access: this.#variable(name, 0xffffffff),
      first: this.#variable(`${name}_first`, 0),
      count: () => this.#variable(`${name}_count`, 0),
    };
  }
  /** By how much an access went out of range. */
  #access(half: Half, access: number): Readonly<Record<'first' | 'count', ThreadValue>> {
    const own = this.#own.get(half) ?? new Set();
    this.#own.set(half, own.add(access));
    return {
      count: this.#variable(`outside_${access}`, 0),
      first: this.#variable(`first_${access}`, 0xffffffff),
    };
  }

  /** Whether a guard's run is not masked and not whole. */
  bad({ guard, tests }: TestedGuard): ThreadValue {
    return this.b.x`${guard.operand(0)} & !${tests.whole}`;
  }
  /** Elements of a guard's run that are out of range: those of all equal runs. */
  #count({ guard, tests }: TestedGuard): ThreadValue {
    return this.b.x`${tests.count()} * ${numberOf(guard, 'times')}u`;
  }

  /** Straight code at the insertion point. */
  straight(tested: TestedGuard): void {
    const { b } = this;
    const { guard, tests } = tested;
    const counts = guard.operand(1);
    if (!isTrue(counts)) this.#shared.add(halfOf(guard));
    const { count, first } = this.#access(halfOf(guard), numberOf(guard, 'access'));
    const bad = b.named('bad', this.bad(tested));
    if (!isZero(counts)) {
      const more = b.x`select(0u, ${this.#count(tested)}, ${bad} & ${counts})`;
      b.store(count, b.x`${b.load(count)} + ${more}`);
    }
    b.store(first, b.x`min(${b.load(first)}, select(0xffffffffu, ${tests.first()}, ${bad}))`);
  }

  /**
   * One branch for guards of one operation: the sum of the counts, and the first element of the
   * access that comes first in the text.
   */
  branch(list: readonly TestedGuard[]): void {
    const { b } = this;
    const [{ guard }] = list as readonly [TestedGuard];
    const half = halfOf(guard);
    const access = numberOf(guard, 'access');
    const own = this.#half(half);
    const bad = list.map((tested) => this.bad(tested));
    const where = (i: number, none: number, x: ThreadValue): ThreadValue =>
      list.length === 1 ? x : b.value('thread.select', [bad[i]!, x, b.u32(none)]);
    const counts = guard.operand(1);
    if (!isTrue(counts)) this.#shared.add(half);
    const isRepeated = guard.attributes['repeated'] === true;
    if (isRepeated) this.#repeated.add(half);
    const any = bad.reduce((x, y) => b.x`${x} | ${y}`);
    this.#when(any, () => {
      if (!isRepeated && !isZero(counts)) {
        const count = list
          .map((tested, i) => where(i, 0, this.#count(tested)))
          .reduce((x, y) => b.x`${x} + ${y}`);
        const counted = isTrue(counts) ? count : b.x`select(0u, ${count}, ${counts})`;
        const sum = own.count();
        b.store(sum, b.x`${b.load(sum)} + ${counted}`);
      }
      const first = list
        .map(({ tests }, i) => where(i, 0xffffffff, tests.first()))
        .reduce((x, y) => b.x`min(${x}, ${y})`);
      const known = b.load(own.access);
      const kept = b.x`select(0xffffffffu, ${b.load(own.first)}, ${known} <= ${access}u)`;
      const found = b.x`select(0xffffffffu, ${first}, ${known} >= ${access}u)`;
      b.store(own.first, b.named('first', b.x`min(${kept}, ${found})`));
      b.store(own.access, b.x`min(${known}, ${access}u)`);
    });
  }
  #when(condition: ThreadValue, body: () => void): void {
    this.b.if(condition, () => {
      body();
      return [];
    });
  }

  /**
   * Records of accesses in straight code, in their halves: the sums of counts, and the first of
   * them.
   */
  gather(): void {
    const { b } = this;
    for (const [half, accesses] of this.#own) {
      const own = this.#half(half);
      for (const access of [...accesses].sort((x, y) => y - x)) {
        const { count, first } = this.#access(half, access);
        const [sum, near] = [b.load(count), b.load(first)];
        const bad = b.named('bad', b.x`(${sum} != 0u) | (${near} != 0xffffffffu)`);
        const all = own.count();
        b.store(all, b.x`${b.load(all)} + ${sum}`);
        b.store(own.first, b.x`select(${b.load(own.first)}, ${near}, ${bad})`);
        b.store(own.access, b.x`select(${b.load(own.access)}, ${access}u, ${bad})`);
      }
    }
  }

  /** The report of both halves, for the kernel's end. */
  report(program: ThreadValue): void {
    const { b } = this;
    for (const half of [REPORT_LOADS, REPORT_WRITES] as const) {
      const name = NAMES[half];
      if (!this.#variables.has(name)) continue;
      const own = this.#half(half);
      const access = b.load(own.access);
      this.#when(b.x`${access} != 0xffffffffu`, () => {
        const sum = this.#variables.has(`${name}_count`) ? b.load(own.count()) : b.u32(0);
        // A thread that reports has found one element, at least.
        const least = this.#repeated.has(half) && !this.#shared.has(half);
        const count = least ? b.x`max(${sum}, 1u)` : sum;
        const operands = [program, access, count, b.load(own.first)];
        b.create('thread.report_bounds', operands, { attributes: { half } });
      });
    }
  }
}
