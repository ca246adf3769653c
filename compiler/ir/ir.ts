/**
 * SSA with structured control flow, for both kinds of IR. A function holds a block of operations;
 * an operation has operands, results, attributes, regions of one block each, and a source location.
 * Passes change the IR in place; operands keep their values' use sets true.
 *
 * The classes take the names of the operations (`N`) and the types of the values (`T`) as
 * parameters: tile IR (the default, `ops/` and `types.ts`) and thread IR (`thread/`) share all of
 * them.
 */
import type { Location } from './location';
import type { OpName } from './ops';
import type { Type } from './types';
import { Uses } from './uses';

/** Types of attributes. Integers outside ±2⁵³ are bigint. Printed and parsed by `printer.ts`. */
export type Attribute =
  number | bigint | boolean | string | readonly Attribute[] | { readonly [key: string]: Attribute };

export class Value<N extends string = OpName, T = Type> {
  readonly uses = new Uses<Operation<N, T>>();
  /** The operation that produces this value, if it is not a block argument. */
  readonly definition: Operation<N, T> | undefined;
  /** A number for tables by value: whoever keeps one gives the numbers first. */
  index = -1;

  constructor(
    public type: T,
    /** The operation that produces it, or the block whose argument it is. */
    public readonly owner: Operation<N, T> | Block<N, T>,
    /** A hint for the printer, from the user's source; need not be unique. */
    public name?: string,
  ) {
    this.definition = owner instanceof Operation ? owner : undefined;
  }

  /**
   * Whether it is one operand of one operation. `uses` has an operation once, also where several of
   * its operands are the value.
   */
  get hasOneUse(): boolean {
    const user = this.uses.only;
    return user !== undefined && user.operands.indexOf(this) === user.operands.lastIndexOf(this);
  }

  replaceAllUsesWith(other: Value<N, T>): void {
    for (const user of this.uses) user.replaceOperand(this, other);
  }
}

/** Shared by all operations without regions. */
const NO_REGIONS: readonly never[] = [];

export class Operation<N extends string = OpName, T = Type> {
  readonly results: Value<N, T>[];
  regions: readonly Block<N, T>[];
  /** The block it stands in; undefined while detached. */
  parent: Block<N, T> | undefined;
  /** Its neighbours in the block's list, which `Block` alone changes. */
  previous: Operation<N, T> | undefined;
  next: Operation<N, T> | undefined;
  #operands: Value<N, T>[];

  constructor(
    public readonly name: N,
    operands: readonly Value<N, T>[],
    resultTypes: readonly T[],
    public attributes: Record<string, Attribute>,
    regions: readonly Block<N, T>[],
    public location: Location,
  ) {
    // Plain loops: a kernel makes thousands of operations.
    const results = new Array<Value<N, T>>(resultTypes.length);
    for (let i = 0; i < results.length; i++) results[i] = new Value<N, T>(resultTypes[i]!, this);
    this.results = results;
    this.regions = regions.length === 0 ? NO_REGIONS : [...regions];
    for (const region of this.regions) region.parent = this;
    this.#operands = operands.slice();
    for (let i = 0; i < operands.length; i++) operands[i]!.uses.add(this);
  }

  get operands(): readonly Value<N, T>[] {
    return this.#operands;
  }
  set operands(values: readonly Value<N, T>[]) {
    for (const old of this.#operands) old.uses.delete(this);
    this.#operands = [...values];
    for (const value of this.#operands) value.uses.add(this);
  }
  setOperand(index: number, value: Value<N, T>): void {
    this.operands = this.#operands.map((old, i) => (i === index ? value : old));
  }
  replaceOperand(from: Value<N, T>, to: Value<N, T>): void {
    this.operands = this.#operands.map((old) => (old === from ? to : old));
  }

  /** The only result. Throws where there is not exactly one. */
  get result(): Value<N, T> {
    if (this.results.length !== 1)
      throw new Error(`${this.name} has ${this.results.length} results`);
    return this.results[0]!;
  }
  operand(index: number): Value<N, T> {
    const value = this.#operands[index];
    if (!value) throw new Error(`${this.name} has no operand ${index}`);
    return value;
  }
  region(index: number): Block<N, T> {
    const block = this.regions[index];
    if (!block) throw new Error(`${this.name} has no region ${index}`);
    return block;
  }

  /** Takes it out of its block and drops its uses; its results must be unused. */
  erase(): void {
    for (const result of this.results)
      if (result.uses.size > 0) throw new Error(`${this.name} erased while in use`);
    this.parent?.remove(this);
    for (const region of this.regions) for (const op of region.ops.toReversed()) op.erase();
    this.operands = [];
  }
}

/**
 * A list of operations with arguments: the body of a function or a region of an operation. The list
 * is linked, so that a pass over a long kernel may insert and remove as it goes.
 */
export class Block<N extends string = OpName, T = Type> {
  readonly args: Value<N, T>[];
  #first: Operation<N, T> | undefined;
  #last: Operation<N, T> | undefined;
  /** The list as an array, until the next change. */
  #ops: readonly Operation<N, T>[] | undefined;
  /** The operation whose region this is; undefined for a function's body. */
  parent: Operation<N, T> | undefined;

  constructor(argTypes: readonly T[] = []) {
    this.args = argTypes.map((type) => new Value<N, T>(type, this));
  }
  addArg(type: T, name?: string): Value<N, T> {
    const arg = new Value<N, T>(type, this, name);
    this.args.push(arg);
    return arg;
  }
  /** The operations as they are now: later changes do not show in what was returned. */
  get ops(): readonly Operation<N, T>[] {
    if (this.#ops) return this.#ops;
    const ops: Operation<N, T>[] = [];
    for (let op = this.#first; op; op = op.next) ops.push(op);
    return (this.#ops = ops);
  }
  append(op: Operation<N, T>): Operation<N, T> {
    return this.#link(this.#last, op, undefined);
  }
  insertBefore(anchor: Operation<N, T>, op: Operation<N, T>): Operation<N, T> {
    if (anchor.parent !== this) throw new Error(`${anchor.name} is not in this block`);
    return this.#link(anchor.previous, op, anchor);
  }
  insertAfter(anchor: Operation<N, T>, op: Operation<N, T>): Operation<N, T> {
    if (anchor.parent !== this) throw new Error(`${anchor.name} is not in this block`);
    return this.#link(anchor, op, anchor.next);
  }
  #link(
    previous: Operation<N, T> | undefined,
    op: Operation<N, T>,
    next: Operation<N, T> | undefined,
  ): Operation<N, T> {
    if (op.parent) throw new Error(`${op.name} is in a block already`);
    op.parent = this;
    op.previous = previous;
    op.next = next;
    if (previous) previous.next = op;
    else this.#first = op;
    if (next) next.previous = op;
    else this.#last = op;
    this.#ops = undefined;
    return op;
  }
  remove(op: Operation<N, T>): void {
    if (op.parent !== this) return;
    const { previous, next } = op;
    if (previous) previous.next = next;
    else this.#first = next;
    if (next) next.previous = previous;
    else this.#last = previous;
    op.parent = op.previous = op.next = undefined;
    this.#ops = undefined;
  }
  /** The first operation; undefined in an empty block. */
  get first(): Operation<N, T> | undefined {
    return this.#first;
  }
  /** The last operation; undefined in an empty block. */
  get last(): Operation<N, T> | undefined {
    return this.#last;
  }
  /** The last operation, which ends the block (`scf.yield`, `tt.return` …). */
  get terminator(): Operation<N, T> {
    if (!this.#last) throw new Error('an empty block has no terminator');
    return this.#last;
  }
}

/** Facts about an argument. */
export interface ParameterAttributes {
  /** Its address in bytes, or its value, is a multiple of this. */
  readonly divisibility?: number;
  /** The least and the greatest value, signed. */
  readonly range?: readonly number[];
  /** Number of its tensor, which other arguments point into, too. */
  readonly tensor?: number;
  /** Its tensor's memory begins and ends at multiples of 16 bytes: no vector crosses the end. */
  readonly wholeVectors?: boolean;
}

/** An assignment of the source: from here on, a name means these values. For the debugger. */
export interface Binding {
  readonly name: string;
  /** The call that inlined the function whose name it is; undefined for the kernel's own. */
  readonly inlinedAt: Location | undefined;
  readonly value: Value;
}
/** Names bound right after an operation, or at the beginning of a block. */
export type Bindings = ReadonlyMap<Operation | Block, readonly Binding[]>;

/** A kernel, everything inlined. `body.args[i]` belongs to `parameters[i]`. */
export class Func {
  constructor(
    public readonly name: string,
    public readonly parameters: ParameterAttributes[],
    public readonly body: Block,
    public readonly location: Location,
    /**
     * Facts about the whole kernel: `threads`, `subgroupSize`, `workgroupBytes` after distribution.
     */
    public attributes: Record<string, Attribute> = {},
    /** For a function as it was lowered; none once a pass has changed it. */
    public bindings: Bindings = new Map(),
  ) {}
}

/** Whether its region is run again and again. */
export function isLoop({ name }: Operation): boolean {
  return name === 'scf.for' || name === 'scf.while';
}

/** The outermost loop around an operation in which a value does not change. */
export function outermostLoop(op: Operation, value: Value): Operation | undefined {
  const home = value.owner instanceof Operation ? value.owner.parent : value.owner;
  let found: Operation | undefined;
  for (let block = op.parent; block && block !== home; block = block.parent?.parent) {
    const { parent } = block;
    if (parent && isLoop(parent)) found = parent;
  }
  return found;
}

/**
 * Visits every operation, outer before inner, in program order. Safe against erasing the visited
 * one.
 */
export function walk<N extends string, T>(
  block: Block<N, T>,
  visit: (op: Operation<N, T>) => void,
): void {
  for (const op of block.ops) {
    visit(op);
    for (const region of op.regions) walk(region, visit);
  }
}
