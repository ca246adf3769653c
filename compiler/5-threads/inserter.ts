/**
 * For passes on thread IR: makes operations before another one, with its location, or at a block's
 * end.
 */
import type { Attribute } from '../ir/ir';
import type { Location } from '../ir/location';
import { newOperation } from '../ir/thread/ir';
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadValue } from '../ir/thread/ir';
import type { ThreadOpName } from '../ir/thread/ops';
import { U32 } from '../ir/thread/types';
import type { ThreadType } from '../ir/thread/types';

/** A place to insert operations into a function. Constants exist once, at the function's start. */
export class Places {
  /** Before all that the function had. */
  readonly start: Inserter;
  readonly #constants = new Map<number, ThreadValue>();

  constructor(func: ThreadFunc) {
    const first = func.body.first!;
    this.start = new Inserter(this, func.location, (op) => func.body.insertBefore(first, op));
  }
  before(anchor: ThreadOp): Inserter {
    return new Inserter(this, anchor.location, (op) => anchor.parent!.insertBefore(anchor, op));
  }
  atEnd(block: ThreadBlock, location: Location): Inserter {
    return new Inserter(this, location, (op) => block.append(op));
  }
  u32(value: number): ThreadValue {
    let found = this.#constants.get(value);
    if (!found) {
      found = this.start.create('thread.constant', [], [U32], { attributes: { value } });
      this.#constants.set(value, found);
    }
    return found;
  }
}

export class Inserter {
  constructor(
    readonly places: Places,
    readonly location: Location,
    private readonly append: (op: ThreadOp) => void,
  ) {}

  /** The first result of the operation made; undefined for one without. */
  create(
    name: ThreadOpName,
    operands: readonly ThreadValue[],
    types: readonly ThreadType[],
    extra: { attributes?: Record<string, Attribute>; regions?: readonly ThreadBlock[] } = {},
  ): ThreadValue {
    const { attributes = {}, regions = [] } = extra;
    const op = newOperation(name, operands, types, attributes, regions, this.location);
    this.append(op);
    return op.results[0]!;
  }
  u32(value: number): ThreadValue {
    return this.places.u32(value);
  }
  /** The value of a variable of the thread. */
  load(variable: ThreadValue, hint: string): ThreadValue {
    const value = this.create('thread.load', [variable], [U32]);
    value.name = hint;
    return value;
  }
  store(variable: ThreadValue, value: ThreadValue): void {
    this.create('thread.store', [variable, value], []);
  }
}
