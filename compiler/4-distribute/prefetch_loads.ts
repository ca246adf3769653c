/**
 * Register prefetch: a load in a loop whose only purpose is to be staged for a dot is issued one
 * iteration ahead, right after its registers are free, so that it runs beside the multiplications. The
 * first one stands before the loop. Both are guarded by the loop's bounds, so nothing is read that the
 * program would not have read; a loop that runs no time loads nothing. With `readAhead` so are loads that a
 * loop uses itself, where it has its tile from the iteration before: beside all of its arithmetic.
 *
 * Where addresses come out of a table (pages of keys and values), what they are computed to for the next
 * iteration is carried there, for what else needs them, and handed to groups of loads that are issued later.
 * With `tablesAhead` the table itself is read two iterations ahead: nobody waits for a place before loading from it.
 */
import { Builder } from '../ir/builder';
import { type Block, type Func, isLoop, type Operation, type Value, walk } from '../ir/ir';
import { registerCount } from '../ir/layout';
import { hasTrait, type OpName } from '../ir/ops';
import { bitWidth, dtypeOf, elementOf } from '../ir/types';
import type { Choices } from './choices';
import { choicesOf, type DistributeContext } from './context';
import { eraseDead } from './eraseDead';
import { isTile, layoutOf } from './layoutRules';
import { overlapOf, rebuildOverlapped } from './overlap_stores';
import { carry, loadAgain, Slices } from './slices';

export function prefetch_loads(func: Func, context: DistributeContext): boolean {
  const choices = choicesOf(func, context);
  const loops: Operation[] = [];
  walk(func.body, (op) => {
    if (op.name === 'scf.for') loops.push(op);
  });
  let changed = false;
  for (const loop of loops) changed = prefetchIn(loop, choices) || changed;
  if (changed) eraseDead(func.body);
  return changed;
}

function prefetchIn(loop: Operation, choices: Choices): boolean {
  const budget = choices.prefetchWords;
  const body = loop.region(0);
  if (touchesOthers(body)) return false;
  const slices = new Slices(loop);
  // Loads that are staged at one place are prefetched together or not at all.
  const groups = new Map<Operation, { loads: Operation[]; words: number }>();
  for (const load of body.ops) {
    if (load.name !== 'tt.load' || !isTile(load.result)) continue;
    if (load.attributes['isVolatile'] === true) continue;
    // Later pieces of a tile are loaded a piece ahead already.
    const { piece } = load.attributes;
    if (typeof piece === 'number' && piece > 0) continue;
    const staged = lastStaging(load);
    // The first piece of the next tile need not be there before the last one of this is worked on.
    const worked = choices.readAhead && !isTable(load, slices) ? load : undefined;
    const after = staged && piece === 0 ? lastStore(body) : (staged ?? worked);
    const cost = registerWords(load.result);
    if (!after || cost === undefined) continue;
    if (!load.operands.every((value) => slices.movesToNext(value))) continue;
    const group = groups.get(after) ?? { loads: [], words: 0 };
    group.loads.push(load);
    group.words += cost;
    groups.set(after, group);
  }
  const chosen: { load: Operation; after: Operation }[] = [];
  let words = 0;
  for (const [after, group] of groups) {
    if (words + group.words > budget) continue;
    chosen.push(...group.loads.map((load) => ({ load, after })));
    words += group.words;
  }
  if (chosen.length === 0) return false;
  if (choices.issueAtOnce) {
    const at = chosen.map(({ after }) => body.ops.indexOf(after));
    const after = body.ops[Math.min(...at)]!;
    for (const one of chosen) one.after = after;
  }
  const loads = chosen.map(({ load }) => load);
  const overlap = choices.overlapStores ? overlapOf(loop, loads, slices) : undefined;
  if (overlap) rebuildOverlapped(loop, loads, overlap, slices);
  else {
    if (choices.turns === 2 && !hasLoop(body)) loop.attributes = { ...loop.attributes, turns: 2 };
    rebuild(loop, chosen, slices, choices);
  }
  return true;
}

/** Does an address or a mask of another load come out of it? */
function isTable(load: Operation, slices: Slices): boolean {
  return load.parent!.ops.some((op) => op.name === 'tt.load' && slices.of(op).has(load));
}

/** A loop around another is written once: the inner one would be there four times, its bounds found for one turn. */
function hasLoop(body: Block): boolean {
  let found = false;
  walk(body, (op) => {
    found ||= isLoop(op);
  });
  return found;
}

/** Stores, atomics and barriers in the loop: loads must not move across them. */
function touchesOthers(body: Block): boolean {
  let found = false;
  walk(body, (op) => {
    if (op.name === 'gpu.barrier') found = true;
    else if (hasTrait(op.name, 'writes') && op.name !== 'ttg.local_store') found = true;
  });
  return found;
}

/**
 * The last operation in the load's block that stages it, if all its uses lead to such; its registers
 * are free after that.
 */
function lastStaging(load: Operation): Operation | undefined {
  const block = load.parent!;
  let last = -1;
  const follow: Value[] = [load.result];
  const seen = new Set<Value>(follow);
  for (let value = follow.pop(); value; value = follow.pop())
    for (const user of value.uses) {
      if (user.parent !== block) return undefined;
      if (user.name === 'ttg.local_store') {
        last = Math.max(last, block.ops.indexOf(user));
        continue;
      }
      const renames = user.name === 'tt.trans' || user.name === 'tt.reshape';
      if (!renames && !(hasTrait(user.name, 'elementwise') && user.results.length === 1))
        return undefined;
      if (seen.has(user.result)) continue;
      seen.add(user.result);
      follow.push(user.result);
    }
  if (last < 0) return undefined;
  // Behind the neighbours that stage the other operand: one branch then holds the loads of both.
  while (block.ops[last + 1]?.name === 'ttg.local_store') last++;
  return block.ops[last];
}

function lastStore(body: Block): Operation | undefined {
  return [...body.ops].reverse().find((op) => op.name === 'ttg.local_store');
}

/** Words of registers that a thread needs for it; undefined where it cannot be carried. */
function registerWords(value: Value): number | undefined {
  const layout = layoutOf(value);
  const dtype = dtypeOf(value.type);
  if (!layout || !dtype) return undefined;
  return registerCount(layout) * Math.max(1, bitWidth(dtype) / 32);
}

function rebuild(
  loop: Operation,
  chosen: readonly { load: Operation; after: Operation }[],
  slices: Slices,
  { loadsTogether: together, maskedAhead, tablesAhead }: Choices,
): void {
  const body = loop.region(0);
  const [lower, upper, step] = [loop.operand(0), loop.operand(1), loop.operand(2)];
  const loads = chosen.map(({ load }) => load);
  const groups = groupsOf(body, chosen);
  const shared = sharedAddresses(groups, slices);
  const tables = tablesAhead ? tablesOf(loads, slices) : [];
  // What the loop carries beside its own: the tiles, then addresses, then places of the iteration after the next.
  const values = [...loads.map((load) => load.result), ...shared.keys()];

  const outside = Builder.before(loop);
  const firsts = outside.ifOp(
    outside.cmp('slt', lower, upper),
    () => {
      const copies = new Map<Value, Value>();
      const first = (value: Value): Value => slices.first(outside, value, copies);
      const tiles = loadAgain(outside, loads, first, together);
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
    // What an earlier group computed is the same here.
    const copies = new Map(
      [...places.keys(), ...shared.keys()].flatMap((value) => {
        const known = nexts.get(value);
        return known ? [[value, known] as const] : [];
      }),
    );
    const load = (only?: Value): Value[] => {
      const following = builder.binary('arith.addi', counter, step);
      const next = (value: Value): Value => slices.next(builder, value, following, copies);
      return [...loadAgain(builder, group, next, together, only), ...own.map(next)];
    };
    // A table must not be read for an iteration that there is not.
    const results =
      maskedAhead && slices.readsNothing(needed)
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

/** What the loads' addresses wait for: tables that the loop reads at places which it can count ahead. */
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
/** What tables have for the iteration after the next one. */
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
function groupsOf(
  body: Block,
  chosen: readonly { load: Operation; after: Operation }[],
): Map<Operation, Operation[]> {
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
 * Values that follow from a table and are needed beside one group's loads: by another group, or by the body
 * itself. Each with the place where the first group that needs it computes it for the next iteration.
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
