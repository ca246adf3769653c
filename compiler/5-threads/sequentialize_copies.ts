/**
 * Sequentializes parallel copies. A loop takes its carried values all at once, and so does a
 * branch with its results; WGSL assigns to their variables one after the other. A value that reads
 * a variable which an earlier assignment of the step changes is copied in front of all of them
 * (`thread.copy`). Variables are those that emission declares (`ir/thread/variables.ts`). A value
 * may stand where it is used, and then reads what it is computed from.
 *
 * Guarantee: in every step, no value reads a variable that an assignment before it changes.
 */
import { newOperation } from '../ir/thread/ir';
import type { ThreadBlock, ThreadFunc, ThreadOp, ThreadValue } from '../ir/thread/ir';
import { isMovable, placeOf } from '../ir/thread/places';
import { surveyThreads } from '../ir/thread/survey';
import { planVariables } from '../ir/thread/variables';
import type { Variable, Variables } from '../ir/thread/variables';

/** @returns whether it inserted a copy. */
export function sequentialize_copies(func: ThreadFunc): boolean {
  const survey = surveyThreads(func);
  const copies = new Copies(planVariables(survey));
  for (const op of survey.control) copies.control(op);
  return copies.inserted;
}

class Copies {
  inserted = false;
  readonly #reads = new Map<ThreadValue, ReadonlySet<Variable>>();

  constructor(private readonly variables: Variables) {}

  control(op: ThreadOp): void {
    const { regions } = op;
    switch (op.name) {
      case 'thread.for':
        this.#step(op.results, op, 1);
        for (const region of regions) this.#yield(region.args.slice(1), region);
        return;
      case 'thread.if':
        for (const region of regions) this.#yield(op.results, region);
        return;
      case 'thread.while':
        // Forwarded values go into variables of their own, or are in their variables already.
        this.#step(op.region(0).args, op, 0);
        this.#yield(op.region(0).args, op.region(1));
        return;
      default:
    }
  }
  #yield(targets: readonly ThreadValue[], { terminator }: ThreadBlock): void {
    this.#step(targets, terminator, 0);
  }

  /** The operands of `op` from one on, all of which go to `targets` at once. */
  #step(targets: readonly ThreadValue[], op: ThreadOp, from: number): void {
    const moves = targets.flatMap((target, i) => {
      const [variable, source] = [this.variables.get(target)!, op.operand(i + from)];
      return variable === this.variables.get(source) ? [] : [{ variable, index: i + from, source }];
    });
    if (moves.length < 2) return;
    const written = new Set<Variable>();
    for (const { variable, index, source } of moves) {
      const changed = [...this.#variablesIn(source)].some((each) => written.has(each));
      if (changed) op.setOperand(index, this.#copy(source, op));
      written.add(variable);
    }
  }
  #copy(source: ThreadValue, before: ThreadOp): ThreadValue {
    const copy = newOperation('thread.copy', [source], [source.type], {}, [], before.location);
    copy.result.name = 'next';
    before.parent!.insertBefore(before, copy);
    this.inserted = true;
    return copy.result;
  }

  /** The variables that a value's text may read. */
  #variablesIn(value: ThreadValue): ReadonlySet<Variable> {
    const known = this.#reads.get(value);
    if (known) return known;
    const found = this.#variablesBehind(value);
    this.#reads.set(value, found);
    return found;
  }
  #variablesBehind(value: ThreadValue): ReadonlySet<Variable> {
    const variable = this.variables.get(value);
    if (variable) return new Set([variable]);
    const op = value.definition;
    if (!op) {
      const forwarded = forwardedTo(value);
      return forwarded ? this.#variablesIn(forwarded) : NONE;
    }
    if (op.name === 'thread.copy') return NONE;
    const stands = isMovable(op) && (op.name === 'thread.extract' || placeOf(op) !== undefined);
    if (!stands) return NONE;
    return new Set(op.operands.flatMap((operand) => [...this.#variablesIn(operand)]));
  }
}
const NONE: ReadonlySet<Variable> = new Set();

/** The value that the condition of a loop hands to an argument of the region behind it. */
function forwardedTo(arg: ThreadValue): ThreadValue | undefined {
  const block = arg.owner as ThreadBlock;
  const loop = block.parent;
  if (loop?.name !== 'thread.while' || block !== loop.region(1)) return undefined;
  return loop.region(0).terminator.operand(block.args.indexOf(arg) + 1);
}
