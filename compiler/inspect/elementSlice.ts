/**
 * The slice of an element: what a program executed up to the element's last store, and which
 * elements of which values the stored one was computed from, through loops, branches, and memory
 * that the program stored and loaded again.
 */
import { accessKind, isMaskedOff, maskOf } from '../ir/access';
import type { Block, Operation, Value } from '../ir/ir';
import { elementCount } from '../ir/types';
import { everyElement, sourcesOf, union, type ElementSet } from './provenance';
import type { Stepper } from './stepper';
import { hitOf } from './storeAt';

/** Operations of a program that are traced. */
const MOST_STEPS = 200_000;
/** Elements of the sets that are kept. */
const MOST_ELEMENTS = 200_000_000;

export interface Trace {
  readonly ops: readonly Operation[];
  /** The step that stores the element last, and the element in its tile. */
  readonly target: number;
  readonly flat: number;
  /** For loads of what the program stored: from an element to the store's step and element. */
  readonly reads: ReadonlyMap<number, ReadonlyMap<number, readonly [number, number]>>;
}
/** For each step, sets of its results' elements that the stored one is computed from. */
export type Demands = ReadonlyMap<number, readonly (ElementSet | undefined)[]>;

// ── the trace ───────────────────────────────────────────────────────────────────────────────────

/** @param stepper at the program's beginning */
export function traceOf(stepper: Stepper, address: number): Trace | { readonly refused: string } {
  const ops: Operation[] = [];
  const reads = new Map<number, Map<number, readonly [number, number]>>();
  const written = new Map<number, readonly [number, number]>();
  let target = -1;
  let flat = 0;
  for (let op = stepper.next; op; op = stepper.next) {
    if (ops.length >= MOST_STEPS)
      return { refused: 'The program executes too many operations to be followed.' };
    const at = ops.length;
    const hit = hitOf(op, address, stepper);
    if (hit) [target, flat] = [at, hit.flat];
    noteMemory(op, at, stepper, written, reads);
    ops.push(op);
    stepper.step();
  }
  if (stepper.failure !== null) return { refused: stepper.failure };
  if (target < 0) return { refused: 'No operation of this program stores the element.' };
  return { ops, target, flat, reads };
}

function noteMemory(
  op: Operation,
  at: number,
  stepper: Stepper,
  written: Map<number, readonly [number, number]>,
  reads: Map<number, Map<number, readonly [number, number]>>,
): void {
  const kind = accessKind(op);
  if (kind === null || (kind === 'load' && written.size === 0)) return;
  const { data, count } = stepper.tile(op.operand(0));
  const mask = maskOf(op);
  const on = mask && stepper.tile(mask).data;
  for (let i = 0; i < count; i++) {
    if (isMaskedOff(on, i)) continue;
    const from = written.get(data[i]!);
    if (from && kind !== 'store') {
      const list = reads.get(at) ?? new Map<number, readonly [number, number]>();
      reads.set(at, list.set(i, from));
    }
    if (kind !== 'load') written.set(data[i]!, [at, i]);
  }
}

// ── backwards ───────────────────────────────────────────────────────────────────────────────────

/** Walks the trace backwards. @returns null where the sets are too large */
export function demandsOf({ ops, target, flat, reads }: Trace): Demands | null {
  const demands = new Map<number, readonly (ElementSet | undefined)[]>();
  const open = new Map<Value, ElementSet>();
  /** Stores of what is loaded later. */
  const stores = new Map<number, ElementSet>();
  /** Loops and branches that decide about what was demanded. */
  const deciding = new Set<Operation>();
  let elements = 0;

  const demand = (value: Value, set: ElementSet | undefined): void => {
    if (set) open.set(value, union(open.get(value), set));
  };
  const take = (value: Value): ElementSet | undefined => {
    const set = open.get(value);
    open.delete(value);
    return set;
  };
  const decide = (op: Operation): void => {
    for (let at = op.parent?.parent; at; at = at.parent?.parent) deciding.add(at);
  };
  const storeDemand = (at: number, element: number): void => {
    const set = stores.get(at) ?? new Uint8Array(elementCount(ops[at]!.operand(1).type));
    set[element] = 1;
    stores.set(at, set);
  };
  storeDemand(target, flat);

  for (let at = target; at >= 0; at--) {
    const op = ops[at]!;
    const stored = stores.get(at);
    if (stored) {
      decide(op);
      for (const operand of op.operands)
        demand(operand, operand === op.operand(1) ? stored : sized(operand, stored));
    }
    if (op.name === 'scf.yield' || op.name === 'scf.condition') {
      yielded(op, demand, open, deciding);
      continue;
    }
    if (op.regions.length > 0 && op.name.startsWith('scf.')) {
      entered(op, { demand, take, deciding, decide });
      continue;
    }
    const sets = op.results.map(take);
    if (sets.every((set) => set === undefined)) continue;
    decide(op);
    demands.set(at, sets);
    elements += sets.reduce((sum, set) => sum + (set?.length ?? 0), 0);
    if (elements > MOST_ELEMENTS) return null;
    sourcesOf(op, sets).forEach((set, i) => demand(op.operand(i), set));
    for (const [element, [store, from]] of reads.get(at) ?? [])
      if (sets[0]?.[element]) storeDemand(store, from);
  }
  return demands;
}

const sized = (value: Value, set: ElementSet): ElementSet => {
  const all = everyElement(value);
  return all.length === set.length ? set : all;
};

/** The end of a region gives its values to the next iteration, or to the results. */
function yielded(
  op: Operation,
  demand: (value: Value, set: ElementSet | undefined) => void,
  open: ReadonlyMap<Value, ElementSet>,
  deciding: Set<Operation>,
): void {
  const around = op.parent?.parent;
  if (!around) return;
  if (op.name === 'scf.condition') {
    const after = around.region(1).args;
    op.operands.slice(1).forEach((operand, i) => {
      demand(operand, open.get(around.results[i]!));
      demand(operand, open.get(after[i]!));
    });
    if (deciding.has(around)) demand(op.operand(0), everyElement(op.operand(0)));
    return;
  }
  const next: readonly Value[] =
    around.name === 'scf.for'
      ? around.region(0).args.slice(1)
      : around.name === 'scf.while'
        ? around.region(0).args
        : [];
  const carried = op.operands.map((_, i) => next[i] && open.get(next[i]));
  op.operands.forEach((operand, i) => {
    // A loop's body ends in the same values for its results, after the last iteration.
    const result = around.name === 'scf.while' ? undefined : around.results[i];
    if (result && open.has(result)) deciding.add(around);
    demand(operand, result && open.get(result));
    demand(operand, carried[i]);
  });
}

/** A loop begins with its initial values; a branch had a condition. */
function entered(
  op: Operation,
  walk: {
    readonly demand: (value: Value, set: ElementSet | undefined) => void;
    readonly take: (value: Value) => ElementSet | undefined;
    readonly deciding: Set<Operation>;
    readonly decide: (op: Operation) => void;
  },
): void {
  const { demand, take, deciding } = walk;
  const results = op.results.map(take);
  const used = results.some((set) => set !== undefined);
  const begin: Block | undefined = op.name === 'scf.if' ? undefined : op.region(0);
  const first = op.name === 'scf.for' ? 1 : 0;
  const init = op.name === 'scf.for' ? op.operands.slice(3) : op.operands;
  if (begin)
    init.forEach((value, i) => {
      demand(value, take(begin.args[first + i]!));
      demand(value, results[i]);
    });
  if (!used && !deciding.has(op)) return;
  walk.decide(op);
  const conditions = op.name === 'scf.for' ? 3 : op.name === 'scf.if' ? 1 : 0;
  for (const value of op.operands.slice(0, conditions)) demand(value, everyElement(value));
}
