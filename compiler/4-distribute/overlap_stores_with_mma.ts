/**
 * Overlaps the shared-memory stores of the next tile with MMA. A loop of one dot on subgroup
 * matrices is rotated so that the next tile is stored behind the dot and not before it.
 * Multiplications whose fragments are loaded already then run beside these stores and the barriers
 * around them (`overlapColumns` on the dot). Tiles are prefetched by two iterations
 * (`prefetchCandidates.ts` selects the loads).
 *
 *     for { store(x); x = load(next); dot }
 *     store(first); x = load(second); for { dot; store(x); x = load(after next) }
 *
 * Nothing is read that the program does not read. The last iteration stores what nobody reads. The
 * loads share one bounds guard: this many fragments leave no registers for a branch each.
 */
import { Builder } from '../ir/builder';
import { type Func, Operation, type Value, walk } from '../ir/ir';
import { hasTrait, type OpName } from '../ir/ops';
import type { FragmentsType } from '../ir/types';
import { choicesOf, type DistributeContext } from './context';
import { eraseDead } from './eraseDead';
import { prefetchesOf } from './prefetchCandidates';
import { recordStages } from './recordStages';
import { carry, loadAgain, Slices, staysInThread } from './slices';

export function overlap_stores_with_mma(func: Func, context: DistributeContext): boolean {
  const choices = choicesOf(func, context);
  if (!choices.overlapStoresWithMma) return false;
  const loops: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'scf.for') loops.push(op);
  });
  let changed = false;
  for (const loop of loops) {
    const slices = new Slices(loop);
    const loads = prefetchesOf(loop, choices, slices).map(({ load }) => load);
    const overlap = loads.length > 0 ? overlapOf(loop, loads, slices) : undefined;
    if (!overlap) continue;
    if (context.schedule)
      recordStages(loop, prefetchesOf(loop, choices, slices), 3, context, context.schedule);
    rotate(loop, loads, overlap, slices);
    changed = true;
  }
  if (changed) eraseDead(func.body);
  return changed;
}

interface Overlap {
  readonly dot: Operation;
  readonly allocs: readonly Operation[];
  /** The stores, and what leads to them from the loads, in order. */
  readonly staging: readonly Operation[];
}

const RENAMES: ReadonlySet<OpName> = new Set<OpName>(['tt.trans', 'tt.reshape']);

/**
 * The rotation of a loop whose `loads` are prefetched; undefined where it does not apply.
 */
function overlapOf(
  loop: Operation,
  loads: readonly Operation[],
  slices: Slices,
): Overlap | undefined {
  const body = loop.region(0);
  const dots = body.ops.filter((op) => op.name === 'tt.dot');
  const [dot] = dots;
  if (!dot || dots.length > 1 || !addsToItself(dot, body.args)) return undefined;
  if (!loads.every((load) => load.operands.every((value) => slices.movesTwice(value))))
    return undefined;
  const allocs = dot.operands.slice(0, 2).flatMap(({ definition }) => definition ?? []);
  const stores = body.ops.filter((op) => op.name === 'ttg.local_store');
  const whole = allocs.every(
    ({ name, parent, result }) =>
      name === 'ttg.local_alloc' && parent === body && result.uses.size === 2,
  );
  const staged = stores.every((store) => allocs.some(({ result }) => result === store.operand(1)));
  if (new Set(allocs).size !== 2 || stores.length !== 2 || !whole || !staged) return undefined;
  const staging = new Set<Operation>();
  const leads = (value: Value): boolean => {
    const op = value.definition;
    if (!op || op.parent !== body) return value.owner !== body;
    if (loads.includes(op)) return true;
    staging.add(op);
    return (isElementwise(op) || RENAMES.has(op.name)) && op.operands.every(leads);
  };
  if (!stores.every((store) => leads(store.operand(0)))) return undefined;
  for (const store of stores) staging.add(store);
  // Nothing else in the loop may touch workgroup memory.
  const known = new Set([dot, ...allocs, ...loads, ...staging, body.terminator]);
  const harmless = body.ops.every((op) => known.has(op) || staysInThread(op));
  if (!harmless) return undefined;
  return { dot, allocs, staging: body.ops.filter((op) => staging.has(op)) };
}

/**
 * Whether a dot's sum is what the loop carries, in matrices, and nobody else sees it on the way.
 */
function addsToItself(dot: Operation, args: readonly Value[]): boolean {
  const sum = dot.operand(2);
  const index = args.indexOf(sum);
  const next = dot.parent!.terminator;
  return (
    dot.result.type.kind === 'fragments' &&
    dot.operand(0).type.kind === 'memdesc' &&
    index > 0 &&
    sum.hasOneUse &&
    dot.result.hasOneUse &&
    next.operands.indexOf(dot.result) === index - 1
  );
}
/**
 * Columns of fragments of the last step along K that are multiplied behind the stores. Of four
 * columns none to all: 327, 334, 346, 319, 305 TFLOP/s for halves at 4096³ on an H200.
 */
function columnsBesideStores(dot: Operation): number {
  const { block, matrix } = dot.result.type as FragmentsType;
  return Math.ceil(block[1] / matrix[1] / 2);
}
function isElementwise(op: Operation): boolean {
  return hasTrait(op.name, 'elementwise') && hasTrait(op.name, 'pure') && op.results.length === 1;
}

function rotate(
  loop: Operation,
  loads: readonly Operation[],
  { dot, allocs, staging }: Overlap,
  slices: Slices,
): void {
  const body = loop.region(0);
  const [lower, upper, step] = [loop.operand(0), loop.operand(1), loop.operand(2)];
  const outside = Builder.before(loop);
  outside.location = loads[0]!.location;
  for (const alloc of allocs) {
    body.remove(alloc);
    loop.parent!.insertBefore(loop, alloc);
  }

  const some = outside.cmp('slt', lower, upper);
  const firsts = outside.ifOp(
    some,
    () => {
      const copies = [new Map<Value, Value>()];
      const copy = (value: Value): Value => slices.inIteration(outside, value, 'first', [], copies);
      return loadAgain(outside, loads, copy, true);
    },
    () => loads.map((load) => outside.constant(load.result.type, 0)),
  );
  stage(outside, staging, new Map(loads.map((load, i) => [load.result, firsts[i]!])));
  // As unsigned numbers these are exact wherever the bounds lie.
  const all = outside.binary('arith.subi', upper, lower);
  const second = outside.binary('arith.andi', some, outside.cmp('ugt', all, step));
  const seconds = outside.ifOp(
    second,
    () => {
      const counter = outside.binary('arith.addi', lower, step);
      const copies = [new Map<Value, Value>(), new Map<Value, Value>()];
      const copy = (value: Value): Value =>
        slices.inIteration(outside, value, 'first', [counter], copies);
      return loadAgain(outside, loads, copy, true);
    },
    () => firsts,
  );

  const carried = loads.map((load) => body.addArg(load.result.type, load.result.name));
  const needed = loads.flatMap((load) => [...load.operands]);
  const inside = new Builder(body, slices.raise(needed, dot));
  inside.location = loads[0]!.location;
  stage(inside, staging, new Map(loads.map((load, i) => [load.result, carried[i]!])));
  const rest = inside.binary('arith.subi', upper, body.args[0]!);
  const beyond = inside.cmp('ugt', inside.binary('arith.subi', rest, step), step);
  const more = inside.binary('arith.andi', inside.cmp('ugt', rest, step), beyond);
  const nexts = inside.ifOp(
    more,
    () => {
      const next = inside.binary('arith.addi', body.args[0]!, step);
      const counters = [next, inside.binary('arith.addi', next, step)];
      const copies = [0, 1, 2].map(() => new Map<Value, Value>());
      const copy = (value: Value): Value =>
        slices.inIteration(inside, value, 'this', counters, copies);
      return loadAgain(inside, loads, copy, true);
    },
    () => carried,
  );
  body.terminator.operands = [...body.terminator.operands, ...nexts];
  for (const op of [...staging].reverse()) op.erase();
  for (const load of loads) load.erase();
  dot.attributes = { ...dot.attributes, overlapColumns: columnsBesideStores(dot) };
  carry(loop, seconds);
}

/** Copies what leads from loaded tiles to workgroup memory, for others in their place. */
function stage(builder: Builder, staging: readonly Operation[], copies: Map<Value, Value>): void {
  for (const op of staging) {
    const operands = op.operands.map((value) => copies.get(value) ?? value);
    const types = op.results.map(({ type }) => type);
    const copy = builder.insert(
      new Operation(op.name, operands, types, { ...op.attributes }, [], op.location),
    );
    op.results.forEach((result, i) => {
      copy.results[i]!.name = result.name;
      copies.set(result, copy.results[i]!);
    });
  }
}
