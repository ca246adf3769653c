/**
 * Which loops of thread IR end after a number of iterations that follows from the launch: its
 * arguments, the grid, the places of program and thread, and constants.
 *
 * Guarantee: a loop that is called bounded ends. A loop that is not may end, too.
 */
import { Operation } from '../ir/ir';
import type { ThreadOp, ThreadValue } from '../ir/thread/ir';
import { hasThreadTrait } from '../ir/thread/ops';
import { BOOL } from '../ir/thread/types';

export interface TripCounts {
  isBounded(loop: ThreadOp): boolean;
}

export function analyzeTripCounts(): TripCounts {
  const loaded = new Loaded();
  return {
    isBounded: (loop) =>
      loop.name === 'thread.for'
        ? !loaded.has(loop.operand(0))
        : isRetry(loop) || isCounted(loop, loaded),
  };
}

/** The values that depend on memory, or on other lanes; found backwards from those in question. */
class Loaded {
  /** Values known not to. */
  readonly #free = new Set<ThreadValue>();

  has(value: ThreadValue): boolean {
    const seen = new Set<ThreadValue>();
    const rest = [value];
    for (let at = rest.pop(); at; at = rest.pop()) {
      if (seen.has(at) || this.#free.has(at)) continue;
      seen.add(at);
      const { definition } = at;
      if (definition && definition.regions.length === 0 && !isKnown(definition)) return true;
      rest.push(...inputsOf(at));
    }
    for (const each of seen) this.#free.add(each);
    return false;
  }
}

/** The result of an operation that computes from its operands alone. */
function isKnown({ name }: ThreadOp): boolean {
  return (
    hasThreadTrait(name, 'pure') || name === 'thread.alloc' || name === 'thread.workgroup_uniform'
  );
}

/** The values that a value is computed from or chosen among. */
function inputsOf(value: ThreadValue): readonly ThreadValue[] {
  const { definition, owner } = value;
  if (definition) {
    if (definition.regions.length === 0) return definition.operands;
    return inputsOfResult(definition, definition.results.indexOf(value));
  }
  const block = owner instanceof Operation ? undefined : owner;
  const op = block?.parent;
  if (!block || !op) return [];
  const i = block.args.indexOf(value);
  if (op.name === 'thread.for') return i === 0 ? [op.operand(0)] : inputsOfResult(op, i - 1);
  const [before, after] = [op.region(0), op.region(1)];
  if (block === after) return [before.terminator.operand(i + 1)];
  return [op.operand(i), after.terminator.operand(i), before.terminator.operand(0)];
}

/** Those of the result of a branch or a loop. */
function inputsOfResult(op: ThreadOp, i: number): readonly ThreadValue[] {
  const ends = op.regions.map((region) => region.terminator);
  if (op.name === 'thread.while') return [ends[0]!.operand(i + 1), ends[0]!.operand(0)];
  const yielded = ends.map((end) => end.operand(i));
  return op.name === 'thread.if'
    ? [op.operand(0), ...yielded]
    : [op.operand(0), op.operand(i + 1), ...yielded];
}

/**
 * A retry of an atomic update: in each iteration the exchange of some thread succeeds, and its
 * loop ends.
 */
function isRetry(loop: ThreadOp): boolean {
  const seen = new Set<ThreadValue>();
  const rest = [loop.region(0).terminator.operand(0)];
  for (let value = rest.pop(); value; value = rest.pop()) {
    if (seen.has(value)) continue;
    seen.add(value);
    const { definition } = value;
    if (definition?.name === 'thread.atomic_cas' && definition.results[1] === value) return true;
    if (definition?.name === 'thread.not') rest.push(definition.operand(0));
    if (definition?.name === 'thread.if') {
      const i = definition.results.indexOf(value);
      rest.push(...definition.regions.map((region) => region.terminator.operand(i)));
    }
  }
  return false;
}

/** A test of the loop's condition stops it after a number of iterations that the launch fixes. */
function isCounted(loop: ThreadOp, loaded: Loaded): boolean {
  const rest = [loop.region(0).terminator.operand(0)];
  for (let value = rest.pop(); value; value = rest.pop()) {
    const test = value.definition;
    if (test?.name === 'thread.and') rest.push(...test.operands);
    else if (test?.name === 'thread.ne' && constantOf(test.operand(1)) === 0)
      rest.push(...conditionOf(test.operand(0)));
    else if (test && endsCounting(loop, test, loaded)) return true;
  }
  return false;
}

/** The condition whose word thread 0 hands to all: its test stops every thread. */
function conditionOf({ definition: word }: ThreadValue): ThreadValue[] {
  if (word?.name === 'thread.workgroup_uniform') return conditionOf(word.operand(1));
  return word?.name === 'thread.convert' && word.operand(0).type === BOOL ? [word.operand(0)] : [];
}

/**
 * `x < bound` where x grows by 1, or by a constant up to a constant bound; `x > bound` likewise.
 */
function endsCounting(loop: ThreadOp, test: ThreadOp, loaded: Loaded): boolean {
  const rising = test.name === 'thread.lt';
  if (!rising && test.name !== 'thread.gt') return false;
  const [counter, bound] = [test.operand(0), test.operand(1)];
  const at = loop.region(0).args.indexOf(counter);
  if (at < 0 || loaded.has(bound) || isInside(bound, loop)) return false;
  const step = stepOf(loop, counter, loop.region(1).terminator.operand(at));
  const end = constantOf(bound);
  if (step === undefined || (rising ? step <= 0 : step >= 0)) return false;
  if (Math.abs(step) === 1) return true;
  if (end === undefined) return false;
  const unsigned = counter.type.kind === 'number' && counter.type.scalar === 'u32';
  const [least, most] = unsigned ? [0, 0xffffffff] : [-0x80000000, 0x7fffffff];
  return rising ? end - 1 + step <= most : end + 1 + step >= least;
}

/** By how much the counter is another in the next iteration, where that is a constant. */
function stepOf(loop: ThreadOp, counter: ThreadValue, next: ThreadValue): number | undefined {
  const update = next.definition;
  const sign = update?.name === 'thread.add' ? 1 : update?.name === 'thread.sub' ? -1 : 0;
  if (!update || sign === 0) return undefined;
  const forwarded = loop.region(0).terminator.operands.slice(1);
  const isCounter = (value: ThreadValue): boolean =>
    value === counter || forwarded[loop.region(1).args.indexOf(value)] === counter;
  const [x, y] = [update.operand(0), update.operand(1)];
  if (isCounter(x)) {
    const step = constantOf(y);
    return step === undefined ? undefined : sign * step;
  }
  return sign === 1 && isCounter(y) ? constantOf(x) : undefined;
}

function constantOf({ definition }: ThreadValue): number | undefined {
  if (definition?.name !== 'thread.constant') return undefined;
  return Number(definition.attributes['value']);
}

function isInside({ owner }: ThreadValue, loop: ThreadOp): boolean {
  let block = owner instanceof Operation ? owner.parent : owner;
  for (; block; block = block.parent?.parent) if (block.parent === loop) return true;
  return false;
}
