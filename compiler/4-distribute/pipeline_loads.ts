/**
 * Software pipelining: a load in a loop is issued one iteration before its use, right behind the
 * last use of its registers, so that it overlaps the multiplications. The prologue's load stands
 * before the loop. Both are guarded by the loop's bounds: nothing is read that the program does not
 * read, and a loop without iterations loads nothing. `prefetchCandidates.ts` selects the loads.
 *
 * A loop whose addresses depend on a table (pages of keys and values) carries what the table
 * gave for the next iteration, for groups of loads that are issued later and for the body itself.
 * With `indirectPrefetch` the table is read two iterations ahead: no load waits for an address.
 */
import { Builder } from '../ir/builder';
import { type Block, type Func, isLoop, type Operation, type Value, walk } from '../ir/ir';
import type { OpName } from '../ir/ops';
import { elementOf } from '../ir/types';
import type { Choices } from './choices';
import { choicesOf, type DistributeContext } from './context';
import { eraseDead } from './eraseDead';
import { type Prefetch, prefetchesOf, registerWords } from './prefetchCandidates';
import { carry, loadAgain, Slices } from './slices';

export function pipeline_loads(func: Func, context: DistributeContext): boolean {
  const choices = choicesOf(func, context);
  const loops: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'scf.for') loops.push(op);
  });
  let changed = false;
  for (const loop of loops) changed = pipeline(loop, choices) || changed;
  if (changed) eraseDead(func.body);
  return changed;
}

function pipeline(loop: Operation, choices: Choices): boolean {
  const slices = new Slices(loop);
  const prefetches = prefetchesOf(loop, choices, slices);
  if (prefetches.length === 0) return false;
  if (choices.loopUnroll === 2 && !hasLoop(loop.region(0)))
    loop.attributes = { ...loop.attributes, unroll: 2 };
  rebuild(loop, prefetches, slices, choices);
  return true;
}

/** A loop around another is not unrolled: the inner one would be emitted four times. */
function hasLoop(body: Block): boolean {
  let found = false;
  walk(body, (op) => {
    found ||= isLoop(op);
  });
  return found;
}

function rebuild(
  loop: Operation,
  chosen: readonly Prefetch[],
  slices: Slices,
  { mergeBoundsGuards, predicatedPrefetch, indirectPrefetch }: Choices,
): void {
  const body = loop.region(0);
  const [lower, upper, step] = [loop.operand(0), loop.operand(1), loop.operand(2)];
  const loads = chosen.map(({ load }) => load);
  const groups = groupsOf(body, chosen);
  const shared = sharedAddresses(groups, slices);
  const tables = indirectPrefetch ? tablesOf(loads, slices) : [];
  // Values that the loop carries beside its own: the tiles, then addresses, then places of the
  // iteration after the next.
  const values = [...loads.map((load) => load.result), ...shared.keys()];

  const outside = Builder.before(loop);
  const firsts = outside.ifOp(
    outside.cmp('slt', lower, upper),
    () => {
      const copies = new Map<Value, Value>();
      const first = (value: Value): Value => slices.first(outside, value, copies);
      const tiles = loadAgain(outside, loads, first, mergeBoundsGuards);
      return [...tiles, ...[...shared.keys()].map(first)];
    },
    () => values.map((value) => outside.constant(value.type, 0)),
  );
  const seconds = tables.length > 0 ? secondPlaces(outside, loop, tables, slices) : [];

  const counter = body.args[0]!;
  const carried = new Map(values.map((value) => [value, body.addArg(value.type, value.name)]));
  const places = new Map(
    tables.map(({ result }) => [result, body.addArg(result.type, result.name)]),
  );
  const nexts = new Map<Value, Value>(places);
  const afterNext: Value[] = [];
  for (const [after, group] of groups) {
    const needed = group.flatMap((load) => [...load.operands]);
    const builder = new Builder(body, slices.raise(needed, after));
    builder.location = group[0]!.location;
    // As unsigned numbers this is exact wherever the bounds lie.
    const rest = builder.binary('arith.subi', upper, counter);
    const more = builder.cmp('ugt', rest, step);
    const own = [...shared].flatMap(([value, by]) => (by === after ? [value] : []));
    // A value that an earlier group computed is the same here.
    const copies = new Map(
      [...places.keys(), ...shared.keys()].flatMap((value) => {
        const known = nexts.get(value);
        return known ? [[value, known] as const] : [];
      }),
    );
    const load = (only?: Value): Value[] => {
      const following = builder.binary('arith.addi', counter, step);
      const next = (value: Value): Value => slices.next(builder, value, following, copies);
      return [...loadAgain(builder, group, next, mergeBoundsGuards, only), ...own.map(next)];
    };
    // A table must not be read for an iteration that there is not.
    const results =
      predicatedPrefetch && slices.readsNothing(needed)
        ? load(more)
        : builder.ifOp(
            more,
            () => load(),
            () => [...group.map((one) => one.result), ...own].map((value) => carried.get(value)!),
          );
    group.forEach((load, i) => nexts.set(load.result, results[i]!));
    own.forEach((value, i) => nexts.set(value, results[group.length + i]!));
    if (afterNext.length === 0 && tables.length > 0) {
      const beyond = builder.cmp('ugt', builder.binary('arith.subi', rest, step), step);
      const twice = builder.binary('arith.andi', more, beyond);
      afterNext.push(
        ...builder.ifOp(
          twice,
          () => placesAfter(builder, tables, slices, [counter, step]),
          () => [...places.values()],
        ),
      );
    }
  }
  body.terminator.operands = [
    ...body.terminator.operands,
    ...values.map((value) => nexts.get(value)!),
    ...afterNext,
  ];
  for (const [value, arg] of carried) value.replaceAllUsesWith(arg);
  for (const load of loads) load.erase();

  carry(loop, [...firsts, ...seconds]);
}

/**
 * Values that the loads' addresses depend on: tables that the loop reads at places which it can
 * count ahead.
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
      return tables.map(({ result }) => slices.ahead(builder, result, 'first', [counter], copies));
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
  return tables.map(({ result }) => slices.ahead(builder, result, 'this', counters, copies));
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
