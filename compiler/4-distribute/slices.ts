/**
 * Loads of other iterations than the present one, and what their addresses and masks are computed
 * from: pure operations, tables in memory that the loop does not write, and what it carries.
 */
import type { Builder } from '../ir/builder';
import { type Block, Operation, type Value } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import { I1 } from '../ir/types';
import { isFree } from './layoutRules';

/** Whether it gives one result, from its thread's registers alone. */
export function staysInThread(op: Operation): boolean {
  if (isFree(op.name) || op.name.startsWith('tt.get_')) return true;
  return hasTrait(op.name, 'elementwise') && hasTrait(op.name, 'pure') && op.results.length === 1;
}

/** Copies what addresses and masks are computed from, for another iteration. */
export class Slices {
  readonly #body: Block;
  /** Arguments of the next iteration, where they are computed before the loads. */
  readonly #raised = new Set<Value>();
  constructor(readonly loop: Operation) {
    this.#body = loop.region(0);
  }

  /** Can the next iteration's value be computed in this one? */
  movesToNext(value: Value): boolean {
    return this.#moves(value, (arg) => {
      const yielded = this.#yielded(arg);
      return !yielded || this.#moves(yielded, () => true);
    });
  }
  /** Can the value of the iteration after the next one be? */
  movesTwice(value: Value): boolean {
    return this.#moves(value, (arg) => {
      const yielded = this.#yielded(arg);
      return !yielded || this.movesToNext(yielded);
    });
  }
  /** Value of an argument in the next iteration; undefined for the counter. */
  #yielded(arg: Value): Value | undefined {
    const index = this.#body.args.indexOf(arg);
    return index === 0 ? undefined : this.#body.terminator.operand(index - 1);
  }
  /** Is it made of movable operations and of arguments that `argument` accepts? */
  #moves(value: Value, argument: (arg: Value) => boolean): boolean {
    if (value.owner === this.#body) return argument(value);
    const op = value.definition;
    if (!op || op.parent !== this.#body) return true;
    // The loop writes nothing, so a table of addresses may be prefetched, too.
    const table = op.name === 'tt.load' && op.attributes['isVolatile'] !== true;
    const movable = table || op.name === 'ttg.extract_slice' || staysInThread(op);
    return movable && op.operands.every((operand) => this.#moves(operand, argument));
  }

  /** Operations of the loop's body that the load's operands are made of. */
  of(load: Operation): Set<Operation> {
    const found = new Set<Operation>();
    const follow = [...load.operands];
    for (let value = follow.pop(); value; value = follow.pop()) {
      const op = value.definition;
      if (!op || op.parent !== this.#body || found.has(op)) continue;
      found.add(op);
      follow.push(...op.operands);
    }
    return found;
  }

  /** Are they computed without reading memory? */
  readsNothing(values: readonly Value[]): boolean {
    const seen = new Set<Value>();
    const free = (value: Value): boolean => {
      if (seen.has(value)) return true;
      seen.add(value);
      const yielded = value.owner === this.#body ? this.#yielded(value) : undefined;
      if (yielded) return free(yielded);
      const op = value.definition;
      if (op?.parent !== this.#body) return true;
      return op.name !== 'tt.load' && op.operands.every(free);
    };
    return values.every(free);
  }

  /** The value in the first iteration, computed before the loop. */
  first(builder: Builder, value: Value, copies: Map<Value, Value>): Value {
    return this.#copy(builder, value, copies, (arg) => {
      const index = this.#body.args.indexOf(arg);
      return this.loop.operand(index === 0 ? 0 : index + 2);
    });
  }
  /** The value in the next iteration, computed in this one. `counter`: the next counter. */
  next(builder: Builder, value: Value, counter: Value, copies: Map<Value, Value>): Value {
    return this.inIteration(builder, value, 'this', [counter], [new Map(), copies]);
  }
  /**
   * Moves what the next iteration's arguments are, as far as these values need them, up behind
   * `after`: computed once, and the old ones are done with. Says before what to go on.
   */
  raise(values: readonly Value[], after: Operation): Operation {
    const body = this.#body;
    let anchor = after.next!;
    const up = (value: Value): void => {
      const op = value.definition;
      if (!op || op.parent !== body || body.ops.indexOf(op) < body.ops.indexOf(anchor)) return;
      op.operands.forEach(up);
      if (op === anchor) anchor = op.next!;
      else {
        body.remove(op);
        body.insertBefore(anchor, op);
      }
    };
    const seen = new Set<Value>();
    const follow = (value: Value): void => {
      if (seen.has(value)) return;
      seen.add(value);
      const index = body.args.indexOf(value);
      if (index > 0) {
        const yielded = body.terminator.operand(index - 1);
        this.#raised.add(yielded);
        up(yielded);
      } else if (value.definition?.parent === body) value.definition.operands.forEach(follow);
    };
    values.forEach(follow);
    return anchor;
  }
  /**
   * The value `counters.length` iterations after this one, or after the first: those iterations'
   * counters. `copies` holds what is known already of each of them, and of the one that they are
   * counted from.
   */
  inIteration(
    builder: Builder,
    value: Value,
    from: 'first' | 'this',
    counters: readonly Value[],
    copies: readonly Map<Value, Value>[],
  ): Value {
    const known = copies[counters.length]!;
    const counter = counters.at(-1);
    if (!counter && from === 'first') return this.first(builder, value, known);
    return this.#copy(builder, value, known, (arg) => {
      const yielded = this.#yielded(arg);
      if (!counter) return arg;
      if (!yielded) return counter;
      if (counters.length === 1 && this.#raised.has(yielded)) return yielded;
      return this.inIteration(builder, yielded, from, counters.slice(0, -1), copies);
    });
  }
  #copy(
    builder: Builder,
    value: Value,
    copies: Map<Value, Value>,
    argument: (arg: Value) => Value,
  ): Value {
    const known = copies.get(value);
    if (known) return known;
    const op = value.definition;
    let copy = value;
    if (value.owner === this.#body) copy = argument(value);
    else if (op && op.parent === this.#body) {
      const operands = op.operands.map((o) => this.#copy(builder, o, copies, argument));
      copy = builder.insert(
        new Operation(op.name, operands, [value.type], { ...op.attributes }, [], op.location),
      ).result;
      copy.name = value.name;
    }
    copies.set(value, copy);
    return copy;
  }
}

/** Gives a loop more to carry, for which its body has arguments and yields what follows. */
export function carry(loop: Operation, firsts: readonly Value[]): void {
  const body = loop.region(0);
  const carried = body.args.slice(-firsts.length);
  loop.regions = [];
  const types = [...loop.results, ...carried].map((value) => value.type);
  const wider = new Operation(
    'scf.for',
    [...loop.operands, ...firsts],
    types,
    loop.attributes,
    [body],
    loop.location,
  );
  loop.parent!.insertBefore(loop, wider);
  loop.results.forEach((result, i) => {
    wider.results[i]!.name = result.name;
    result.replaceAllUsesWith(wider.results[i]!);
  });
  loop.erase();
}

/**
 * Loads of another iteration, one after the other; `mergedGuard`: side by side, behind all
 * addresses and masks; `only` where this holds.
 */
export function loadAgain(
  builder: Builder,
  loads: readonly Operation[],
  copy: (value: Value) => Value,
  mergedGuard: boolean,
  only?: Value,
): Value[] {
  if (mergedGuard) for (const load of loads) load.operands.forEach(copy);
  return loads.map((load) => {
    const operands = load.operands.map(copy);
    if (only) operands[1] = narrowed(builder, load, operands[1], only);
    const attributes = {
      ...load.attributes,
      prefetched: true,
      ...(mergedGuard ? { mergedGuard } : {}),
    };
    const result = builder.insert(
      new Operation('tt.load', operands, [load.result.type], attributes, [], load.location),
    ).result;
    result.name = load.result.name;
    return result;
  });
}

/** The mask of a load that happens only where a scalar condition holds, too. */
function narrowed(builder: Builder, load: Operation, mask: Value | undefined, only: Value): Value {
  const { type } = load.result;
  if (type.kind !== 'tensor') throw new Error('only tiles are prefetched');
  const all = new Operation('tt.splat', [only], [{ ...type, element: I1 }], {}, [], load.location);
  const everywhere = builder.insert(all).result;
  return mask ? builder.binary('arith.andi', mask, everywhere) : everywhere;
}
