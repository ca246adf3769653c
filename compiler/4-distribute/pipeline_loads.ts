/**
 * Software pipelining: a load in a loop is issued one iteration before its use, right behind the
 * last use of its registers, so that it overlaps the multiplications. The prologue's load stands
 * before the loop. Both are guarded by the loop's bounds: nothing is read that the program does not
 * read, and a loop without iterations loads nothing. `prefetchCandidates.ts` selects the loads.
 *
 * A loop whose addresses depend on a table (pages of keys and values) carries what the table
 * gave for the next iteration, for groups of loads that are issued later and for the body itself.
 * With `indirectPrefetch` the table is prefetched by two iterations: no load waits for an address.
 */
import { MESSAGES } from '../codes';
import { Builder } from '../ir/builder';
import { type Block, type Func, isLoop, type Operation, type Value, walk } from '../ir/ir';
import type { OpName } from '../ir/ops';
import { elementOf } from '../ir/types';
import type { Choices } from './choices';
import { choicesOf, type DistributeContext } from './context';
import { eraseDead } from './eraseDead';
import {
  loadsTiles,
  type Prefetch,
  prefetchesOf,
  registerWords,
  whyNone,
} from './prefetchCandidates';
import { recordStages, recordUnstaged } from './recordStages';
import { carry, loadAgain, Slices } from './slices';

export function pipeline_loads(func: Func, context: DistributeContext): boolean {
  const choices = choicesOf(func, context);
  const loops: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'scf.for') loops.push(op);
  });
  let changed = false;
  for (const loop of loops) changed = pipeline(loop, choices, context) || changed;
  if (changed) eraseDead(func.body);
  return changed;
}

function pipeline(loop: Operation, choices: Choices, context: DistributeContext): boolean {
  const { report, schedule } = context;
  const slices = new Slices(loop);
  const prefetches = prefetchesOf(loop, choices, slices);
  if (prefetches.length === 0) {
    // `overlap_stores_with_mma` has prefetched the loads of a loop whose dots it overlaps.
    if (overlapsDots(loop)) {
      reportFewer(loop, 3, context);
      return false;
    }
    const stages = loop.attributes['tt.num_stages'];
    const why = whyNone(loop, choices, slices);
    if (report && typeof stages === 'number' && stages > 1) {
      const message = MESSAGES.HC0906.notPrefetched({ stages, why });
      report({ code: 'HC0906', severity: 'info', message, location: loop.location, notes: [] });
    }
    if (schedule && loadsTiles(loop)) recordUnstaged(loop, why, context, schedule);
    return false;
  }
  if (choices.loopUnroll === 2 && !hasLoop(loop.region(0))) {
    loop.attributes = { ...loop.attributes, unroll: 2 };
    schedule?.decide('unroll', loop, 'iterations by 2', {
      why: 'prefetched registers are then not copied from one iteration to the next',
      next: '1: half the code, and a copy of each prefetched register',
    });
  }
  if (schedule) recordStages(loop, prefetches, 2, context, schedule);
  reportFewer(loop, 2, context);
  new PipelinedLoop(loop, prefetches, slices, choices).rebuild();
  return true;
}

/** Says that the loop has fewer stages than the program gives it. */
function reportFewer(loop: Operation, made: 2 | 3, { report }: DistributeContext): void {
  const stages = loop.attributes['tt.num_stages'];
  if (typeof stages !== 'number' || stages <= made) return;
  const early = made === 2 ? '1 iteration' : '2 iterations';
  const message = MESSAGES.HC0906.fewerStages({ stages, made, early });
  report?.({ code: 'HC0906', severity: 'info', message, location: loop.location, notes: [] });
}

const overlapsDots = (loop: Operation): boolean =>
  loop.region(0).ops.some((op) => op.attributes['overlapColumns'] !== undefined);

/** A loop around another is not unrolled: the inner one would be emitted four times. */
function hasLoop(body: Block): boolean {
  let found = false;
  walk(body, (op) => {
    found ||= isLoop(op);
  });
  return found;
}

/** A loop that carries the tiles which its loads read an iteration before their use. */
class PipelinedLoop {
  readonly #body: Block;
  readonly #loads: readonly Operation[];
  /** Loads by the place that they are issued at. */
  readonly #groups: ReadonlyMap<Operation, readonly Operation[]>;
  /** Values that follow from tables, by the place of the loads that they are computed with. */
  readonly #addresses: ReadonlyMap<Value, Operation>;
  readonly #tables: readonly Operation[];
  /** Values that the loop carries beside its own: the tiles, then the addresses. */
  readonly #values: readonly Value[];
  /** Arguments for these. */
  readonly #carried = new Map<Value, Value>();
  /** Arguments for what the tables have for the next iteration. */
  readonly #places = new Map<Value, Value>();
  /** Values of the next iteration, as far as they are computed. */
  readonly #nexts = new Map<Value, Value>();

  constructor(
    readonly loop: Operation,
    chosen: readonly Prefetch[],
    readonly slices: Slices,
    readonly choices: Choices,
  ) {
    this.#body = loop.region(0);
    this.#loads = chosen.map(({ load }) => load);
    this.#groups = groupsOf(this.#body, chosen);
    this.#addresses = sharedAddresses(this.#groups, slices);
    this.#tables = choices.indirectPrefetch ? tablesOf(this.#loads, slices) : [];
    this.#values = [...this.#loads.map(({ result }) => result), ...this.#addresses.keys()];
  }

  rebuild(): void {
    const outside = Builder.before(this.loop);
    const firsts = this.#firsts(outside);
    const seconds =
      this.#tables.length > 0 ? secondPlaces(outside, this.loop, this.#tables, this.slices) : [];
    this.#loadFragmentsLast();
    this.#addArguments();
    let afterNext: readonly Value[] | undefined;
    for (const [after, loads] of this.#groups) {
      const builder = new Builder(this.#body, this.slices.raise(operandsOf(loads), after));
      builder.location = loads[0]!.location;
      const iterations = this.#iterationsLeft(builder);
      this.#issue(builder, after, loads, iterations.more);
      afterNext ??= this.#placesAfterNext(builder, iterations);
    }
    const { terminator } = this.#body;
    const nexts = this.#values.map((value) => this.#nexts.get(value)!);
    terminator.operands = [...terminator.operands, ...nexts, ...(afterNext ?? [])];
    for (const [value, arg] of this.#carried) value.replaceAllUsesWith(arg);
    for (const load of this.#loads) load.erase();
    carry(this.loop, [...firsts, ...seconds]);
  }

  /** The prologue: tiles and addresses of the first iteration. */
  #firsts(builder: Builder): Value[] {
    return builder.ifOp(
      builder.cmp('slt', this.loop.operand(0), this.loop.operand(1)),
      () => {
        const copies = new Map<Value, Value>();
        const first = (value: Value): Value => this.slices.first(builder, value, copies);
        const tiles = loadAgain(builder, this.#loads, first, this.choices.mergeBoundsGuards);
        return [...tiles, ...[...this.#addresses.keys()].map(first)];
      },
      () => this.#values.map((value) => builder.constant(value.type, 0)),
    );
  }

  /** Fragments for the loop take no registers while its first tiles are loaded. */
  #loadFragmentsLast(): void {
    const block = this.loop.parent!;
    for (const op of [...block.ops]) {
      const isForLoop = [...op.results].some(({ uses }) =>
        [...uses].some((user) => user.parent === this.#body),
      );
      if (op.name !== 'ttg.load_fragments' || !isForLoop) continue;
      block.remove(op);
      block.insertBefore(this.loop, op);
    }
  }

  #addArguments(): void {
    const add = (value: Value): Value => this.#body.addArg(value.type, value.name);
    for (const value of this.#values) this.#carried.set(value, add(value));
    for (const { result } of this.#tables) this.#places.set(result, add(result));
    for (const [value, arg] of this.#places) this.#nexts.set(value, arg);
  }

  /** How far the counter is from its bound, and whether there is a next iteration. */
  #iterationsLeft(builder: Builder): IterationsLeft {
    // As unsigned numbers this is exact wherever the bounds lie.
    const rest = builder.binary('arith.subi', this.loop.operand(1), this.#body.args[0]!);
    return { rest, more: builder.cmp('ugt', rest, this.loop.operand(2)) };
  }

  /** Computes the next iteration's tiles of these loads, and the addresses that belong to them. */
  #issue(builder: Builder, after: Operation, loads: readonly Operation[], more: Value): void {
    const addresses = [...this.#addresses].flatMap(([value, by]) => (by === after ? [value] : []));
    // A value that an earlier group computed is the same here.
    const copies = new Map(
      [...this.#places.keys(), ...this.#addresses.keys()].flatMap((value) => {
        const known = this.#nexts.get(value);
        return known ? [[value, known] as const] : [];
      }),
    );
    const { mergeBoundsGuards, predicatedPrefetch } = this.choices;
    const load = (only?: Value): Value[] => {
      const counter = builder.binary('arith.addi', this.#body.args[0]!, this.loop.operand(2));
      const next = (value: Value): Value => this.slices.next(builder, value, counter, copies);
      const tiles = loadAgain(builder, loads, next, mergeBoundsGuards, only);
      return [...tiles, ...addresses.map(next)];
    };
    const values = [...loads.map(({ result }) => result), ...addresses];
    // A table must not be read for an iteration that there is not.
    const results =
      predicatedPrefetch && this.slices.readsNothing(operandsOf(loads))
        ? load(more)
        : builder.ifOp(
            more,
            () => load(),
            () => values.map((value) => this.#carried.get(value)!),
          );
    values.forEach((value, i) => this.#nexts.set(value, results[i]!));
  }

  /** Entries of tables for the iteration after the next one; of the next one where it is last. */
  #placesAfterNext(builder: Builder, { rest, more }: IterationsLeft): Value[] {
    if (this.#tables.length === 0) return [];
    const [counter, step] = [this.#body.args[0]!, this.loop.operand(2)];
    const beyond = builder.cmp('ugt', builder.binary('arith.subi', rest, step), step);
    return builder.ifOp(
      builder.binary('arith.andi', more, beyond),
      () => placesAfter(builder, this.#tables, this.slices, [counter, step]),
      () => [...this.#places.values()],
    );
  }
}

interface IterationsLeft {
  readonly rest: Value;
  readonly more: Value;
}

const operandsOf = (loads: readonly Operation[]): Value[] =>
  loads.flatMap(({ operands }) => [...operands]);

/**
 * Values that the loads' addresses depend on: tables that the loop reads at places which it can
 * compute for a later iteration.
 */
function tablesOf(loads: readonly Operation[], slices: Slices): Operation[] {
  const tables = new Set<Operation>();
  for (const load of loads)
    for (const op of slices.of(load)) if (op.name === 'tt.load') tables.add(op);
  return [...tables].filter(
    (table) =>
      !loads.includes(table) &&
      [...slices.of(table)].every((op) => op.name !== 'tt.load') &&
      table.operands.every((value) => slices.movesTwice(value)) &&
      (registerWords(table.result) ?? 1) <= MOST_ADDRESSES,
  );
}
/** Before the loop: what tables have for its second iteration. */
function secondPlaces(
  builder: Builder,
  loop: Operation,
  tables: readonly Operation[],
  slices: Slices,
): Value[] {
  const [lower, upper, step] = [loop.operand(0), loop.operand(1), loop.operand(2)];
  const all = builder.binary('arith.subi', upper, lower);
  const some = builder.cmp('slt', lower, upper);
  return builder.ifOp(
    builder.binary('arith.andi', some, builder.cmp('ugt', all, step)),
    () => {
      const counter = builder.binary('arith.addi', lower, step);
      const copies = [new Map<Value, Value>(), new Map<Value, Value>()];
      return tables.map(({ result }) =>
        slices.inIteration(builder, result, 'first', [counter], copies),
      );
    },
    () => tables.map(({ result }) => builder.constant(result.type, 0)),
  );
}
/** Entries of tables for the iteration after the next one. */
function placesAfter(
  builder: Builder,
  tables: readonly Operation[],
  slices: Slices,
  [counter, step]: readonly [Value, Value],
): Value[] {
  const next = builder.binary('arith.addi', counter, step);
  const counters = [next, builder.binary('arith.addi', next, step)];
  const copies = [0, 1, 2].map(() => new Map<Value, Value>());
  return tables.map(({ result }) => slices.inIteration(builder, result, 'this', counters, copies));
}

/** The loads by the place they are issued at, in the order of the program. */
function groupsOf(body: Block, chosen: readonly Prefetch[]): Map<Operation, Operation[]> {
  const groups = new Map<Operation, Operation[]>();
  const at = (op: Operation): number => body.ops.indexOf(op);
  for (const { load, after } of [...chosen].sort((a, b) => at(a.after) - at(b.after)))
    groups.set(after, [...(groups.get(after) ?? []), load]);
  return groups;
}

/** Not carried: views name what they are made of anew, and of pointers the offsets are carried. */
const VIEWS: ReadonlySet<OpName> = new Set<OpName>(['tt.splat', 'tt.broadcast', 'tt.expand_dims']);
const isMadeAnew = ({ name, result }: Operation): boolean =>
  VIEWS.has(name) || elementOf(result.type).kind === 'pointer';
/** More registers than this are not carried for an address. */
const MOST_ADDRESSES = 16;

/**
 * Values that follow from a table and are needed beside one group's loads: by another group, or by
 * the body itself. Each with the place where the first group that needs it computes it for the next
 * iteration.
 */
function sharedAddresses(
  groups: ReadonlyMap<Operation, readonly Operation[]>,
  slices: Slices,
): Map<Value, Operation> {
  const shared = new Map<Value, Operation>();
  for (const [after, loads] of groups) {
    const moved = new Set(loads.flatMap((load) => [...slices.of(load), load]));
    const isNeeded = (op: Operation): boolean =>
      [...op.result.uses].some((user) => !moved.has(user) || (isMadeAnew(user) && isNeeded(user)));
    for (const op of moved) {
      if (loads.includes(op) || shared.has(op.result) || isMadeAnew(op)) continue;
      const reads = op.name === 'tt.load' || [...slices.of(op)].some((o) => o.name === 'tt.load');
      if (!reads || (registerWords(op.result) ?? 1) > MOST_ADDRESSES) continue;
      if (isNeeded(op)) shared.set(op.result, after);
    }
  }
  return shared;
}
