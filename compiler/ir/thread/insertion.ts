/**
 * Makes operations of thread IR at an insertion point, with the current source location, and the
 * regions of branches and loops. Result types follow from the operation's type rule; operands that
 * do not fit throw.
 */
import { Operation } from '../ir';
import type { Attribute } from '../ir';
import { UNKNOWN_LOCATION } from '../location';
import type { Location } from '../location';
import { newBlock, ThreadFunc } from './ir';
import type { ThreadBlock, ThreadOp, ThreadValue } from './ir';
import { mostOperations, tooLarge } from './limits';
import { THREAD_OPS } from './ops';
import type { ThreadOpName } from './ops';
import { printThreadType, U32 } from './types';
import type { ThreadType } from './types';

export interface Extra {
  readonly attributes?: Record<string, Attribute>;
  /** Result types where the operands leave them open. */
  readonly types?: readonly ThreadType[];
  readonly regions?: readonly ThreadBlock[];
}
const NO_EXTRA: Extra = {};
/**
 * Shared by all operations without attributes: a pass that adds one gives the operation a new
 * record.
 */
const NO_ATTRIBUTES: Record<string, Attribute> = Object.freeze({});
const NONE: readonly never[] = [];

export class InsertionPoint {
  /** Given to every operation made. */
  location: Location = UNKNOWN_LOCATION;
  /** The loop made last. */
  lastLoop: ThreadOp | undefined;
  /** How many operations it has made. */
  created = 0;
  #block: ThreadBlock;
  readonly #most: number;

  /** @param compilesSlowly as of the target's machine: its kernels are refused earlier. */
  constructor(
    name: string,
    location: Location,
    private readonly compilesSlowly = false,
    readonly func = new ThreadFunc(name, location),
  ) {
    this.location = location;
    this.#block = func.body;
    this.#most = mostOperations(compilesSlowly);
  }

  create(name: ThreadOpName, operands: readonly ThreadValue[], extra: Extra = NO_EXTRA): ThreadOp {
    const { attributes = NO_ATTRIBUTES, types = NONE, regions = NONE } = extra;
    const given: ThreadType[] = new Array<ThreadType>(operands.length);
    for (let i = 0; i < operands.length; i++) given[i] = operands[i]!.type;
    const found = THREAD_OPS[name].types(given, attributes, types);
    if (typeof found === 'string') {
      const list = given.map((type) => printThreadType(type)).join(', ');
      throw new Error(`${name}(${list}): ${found}`);
    }
    if (++this.created > this.#most) throw tooLarge(this.location, this.compilesSlowly);
    return this.#block.append(
      new Operation(name, operands, found, attributes, regions, this.location),
    );
  }

  /** Runs `body` with the insertion point before an operation, at its location. */
  before<T>(anchor: ThreadOp, body: () => T): T {
    const block = newBlock();
    const result = this.at(anchor.location, () => this.inside(block, body));
    this.moveBefore(block, anchor);
    return result;
  }
  /**
   * Runs `body` with the insertion point behind an operation that ends no block, at its location.
   */
  behind<T>(anchor: ThreadOp, body: () => T): T {
    const block = newBlock();
    const result = this.at(anchor.location, () => this.inside(block, body));
    this.moveBefore(block, anchor.next!);
    return result;
  }

  /** Puts an operation that stands in no block at the insertion point. */
  append(op: ThreadOp): ThreadOp {
    return this.#block.append(op);
  }
  /** Puts the operations of a block that stands by itself before an operation. */
  moveBefore(block: ThreadBlock, anchor: ThreadOp): void {
    for (const op of block.ops) {
      block.remove(op);
      anchor.parent!.insertBefore(anchor, op);
    }
  }
  /** Runs `body` with the insertion point at the end of `block`. */
  inside<T>(block: ThreadBlock, body: () => T): T {
    const outer = this.#block;
    this.#block = block;
    try {
      return body();
    } finally {
      this.#block = outer;
    }
  }
  /** The operations that `body` makes come from another place of the program. */
  at<T>(location: Location, body: () => T): T {
    const outer = this.location;
    this.location = location;
    const result = body();
    this.location = outer;
    return result;
  }

  // ── control flow
  // ────────────────────────────────────────────────────────────────────────────────

  /** Runs `yes` where the condition holds, else `no`; both give values of the same types. */
  if(
    condition: ThreadValue,
    yes: () => readonly ThreadValue[],
    no: () => readonly ThreadValue[] = () => [],
    hints: readonly string[] = [],
  ): readonly ThreadValue[] {
    const [thenBlock, elseBlock] = [newBlock(), newBlock()];
    const [a, b] = [this.#region(thenBlock, yes), this.#region(elseBlock, no)];
    if (a.length !== b.length) throw new Error('the branches give different numbers of values');
    const op = this.create('thread.if', [condition], {
      types: a.map(({ type }) => type),
      regions: [thenBlock, elseBlock],
    });
    op.results.forEach((result, i) => (result.name = nameOf(hints[i])));
    return op.results;
  }
  #region(block: ThreadBlock, body: () => readonly ThreadValue[]): readonly ThreadValue[] {
    return this.inside(block, () => {
      const values = body();
      this.create('thread.yield', values);
      return values;
    });
  }
  /** Runs the body `trips` times; it takes the iteration's number and the carried values. */
  for(
    trips: ThreadValue,
    init: readonly ThreadValue[],
    body: (iteration: ThreadValue, carried: readonly ThreadValue[]) => readonly ThreadValue[],
    options: {
      readonly counter?: string;
      readonly hints?: readonly (string | undefined)[];
      /** How many times the body is written out; iterations alternate between the bodies. */
      readonly bodies?: number;
    } = {},
  ): readonly ThreadValue[] {
    const regions = Array.from({ length: options.bodies ?? 1 }, () => {
      const block = newBlock();
      const iteration = block.addArg(U32, options.counter ?? 'k');
      const carried = init.map(({ type }, i) => block.addArg(type, nameOf(options.hints?.[i])));
      this.#region(block, () => body(iteration, carried));
      return block;
    });
    const op = this.create('thread.for', [trips, ...init], {
      attributes: { test: 'top' },
      regions,
    });
    this.lastLoop = op;
    op.results.forEach((result, i) => (result.name = nameOf(options.hints?.[i])));
    return op.results;
  }
  /** `before` gives the condition and what is forwarded; `after` gives the next values. */
  while(
    init: readonly ThreadValue[],
    before: (carried: readonly ThreadValue[]) => {
      readonly condition: ThreadValue;
      readonly forwarded: readonly ThreadValue[];
    },
    after: (forwarded: readonly ThreadValue[]) => readonly ThreadValue[],
  ): readonly ThreadValue[] {
    const [first, second] = [newBlock(), newBlock()];
    const carried = init.map(({ type, name }) => first.addArg(type, name));
    const forwarded = this.inside(first, () => {
      const end = before(carried);
      this.create('thread.condition', [end.condition, ...end.forwarded]);
      return end.forwarded;
    });
    const args = forwarded.map(({ type, name }) => second.addArg(type, name));
    this.#region(second, () => after(args));
    return this.create('thread.while', init, {
      types: forwarded.map(({ type }) => type),
      regions: [first, second],
    }).results;
  }
}

/** The name that a hint gives: an empty one gives none. */
export function nameOf(hint: string | undefined): string | undefined {
  return hint === '' ? undefined : hint;
}
