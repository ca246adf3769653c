/**
 * One walk over a kernel in thread IR, for phases that read it and change nothing. It numbers the
 * values in program order, so that tables by value are arrays, and collects what else needs every
 * operation seen. The numbers hold until the next survey. Values that an operation's regions define
 * have consecutive numbers.
 */
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadValue } from './ir';
import type { ThreadType } from './types';

export interface Survey {
  /** How many values there are: each has an `index` below. */
  readonly values: number;
  /** The types of all values. */
  readonly types: ReadonlySet<ThreadType>;
  /** The operations with regions, each before those inside of it. */
  readonly control: readonly ThreadOp[];
  /** For each loop: the values that its regions use and do not define. */
  readonly fromOutside: ReadonlyMap<ThreadOp, readonly ThreadValue[]>;
}

export function surveyThreads(func: ThreadFunc): Survey {
  const walk = new Walk();
  walk.block(func.body);
  return walk;
}

/** A loop around the operation in view. */
interface Loop {
  /** The number of the first value that its regions define. */
  readonly first: number;
  readonly used: Set<ThreadValue>;
}

class Walk implements Survey {
  values = 0;
  readonly types = new Set<ThreadType>();
  readonly control: ThreadOp[] = [];
  readonly fromOutside = new Map<ThreadOp, readonly ThreadValue[]>();
  #loop: Loop | undefined;
  #lastType: ThreadType | undefined;

  block(block: ThreadBlock): void {
    for (const arg of block.args) this.#define(arg);
    for (let op = block.first; op; op = op.next) {
      if (this.#loop) this.#use(op, this.#loop);
      for (const result of op.results) this.#define(result);
      if (op.regions.length > 0) this.#regions(op);
    }
  }
  #define(value: ThreadValue): void {
    value.index = this.values++;
    if (value.type === this.#lastType) return;
    this.types.add(value.type);
    this.#lastType = value.type;
  }
  #use(op: ThreadOp, { first, used }: Loop): void {
    for (const value of op.operands) if (value.index < first) used.add(value);
  }
  #regions(op: ThreadOp): void {
    this.control.push(op);
    if (op.name !== 'thread.for' && op.name !== 'thread.while') {
      for (const region of op.regions) this.block(region);
      return;
    }
    const around = this.#loop;
    const own = (this.#loop = { first: this.values, used: new Set<ThreadValue>() });
    for (const region of op.regions) this.block(region);
    this.#loop = around;
    this.fromOutside.set(op, [...own.used]);
    if (around)
      for (const value of own.used) if (value.index < around.first) around.used.add(value);
  }
}
