/**
 * Which loads of a loop are prefetched, and behind which operation each is issued. Loads qualify
 * that only feed a dot's staging; with `prefetchUnstaged` also those that the loop uses itself. A
 * loop with `num_stages` of its own is prefetched as it says: 1 prefetches nothing, more all loads
 * that fit.
 * Loads that are staged at one place are prefetched together or not at all, within
 * `prefetchRegisters`. `overlap_stores_with_mma` and `pipeline_loads` rewrite the loops.
 */
import { type Block, type Operation, type Value, walk } from '../ir/ir';
import { registerCount } from '../ir/layout';
import { hasTrait, type OpName } from '../ir/ops';
import { bitWidth, dtypeOf } from '../ir/types';
import type { Choices } from './choices';
import { isTile, layoutOf } from './layoutRules';
import type { Slices } from './slices';

/** A load, and the operation behind which its next iteration's copy is issued. */
export interface Prefetch {
  readonly load: Operation;
  readonly after: Operation;
}

/**
 * The loads of a loop that are prefetched, in the order of their places; empty where there are
 * none.
 */
export function prefetchesOf(loop: Operation, chosen: Choices, slices: Slices): Prefetch[] {
  const body = loop.region(0);
  const choices = asked(loop, chosen);
  if (choices.prefetchRegisters <= 0 || touchesOthers(body)) return [];
  const prefetches: Prefetch[] = [];
  let words = 0;
  for (const [after, group] of candidates(body, choices, slices)) {
    if (words + group.words > choices.prefetchRegisters) continue;
    prefetches.push(...group.loads.map((load) => ({ load, after })));
    words += group.words;
  }
  if (!choices.clusterLoads || prefetches.length === 0) return prefetches;
  const first = Math.min(...prefetches.map(({ after }) => body.ops.indexOf(after)));
  return prefetches.map(({ load }) => ({ load, after: body.ops[first]! }));
}

/**
 * Why a loop that the program gives stages has no load that is prefetched: the end of a sentence.
 */
export function whyNone(loop: Operation, chosen: Choices, slices: Slices): string {
  const body = loop.region(0);
  const other = touchesOthers(body);
  if (other) return `it ${OTHERS[other.name] ?? 'writes memory'} at line ${other.location.line}`;
  const loads = body.ops.filter((op) => op.name === 'tt.load' && isTile(op.result));
  const [load] = loads;
  if (!load) return 'it loads no tile outside of branches and inner loops';
  const choices = asked(loop, chosen);
  const words = [...candidates(body, choices, slices).values()].map((group) => group.words);
  const any = candidates(body, { ...choices, prefetchUnstaged: true }, slices).size > 0;
  if (any && choices.prefetchRegisters === 0) return NO_REGISTERS;
  if (any && words.length === 0) return UNSTAGED;
  if (words.length > 0)
    return `its tiles take ${Math.min(...words)} registers a thread or more, not ${choices.prefetchRegisters}`;
  const fixed = loads.find(({ operands }) => !operands.every((value) => slices.movesToNext(value)));
  if (fixed)
    return `addresses at line ${fixed.location.line} depend on what the same iteration computes`;
  const table = loads.find((each) => isTable(each, slices));
  const at = `line ${(table ?? load).location.line}`;
  return table ? `addresses depend on the load at ${at}` : `the load at ${at} is volatile`;
}

/** Whether the loop has loads that stages could mean. */
export function loadsTiles(loop: Operation): boolean {
  return loop.region(0).ops.some((op) => op.name === 'tt.load' && isTile(op.result));
}

const OTHERS: Partial<Record<OpName, string>> = { 'gpu.barrier': 'has a barrier' };

/** As `whyNone`: the choice, not the loop, prefetches nothing. */
export const NO_REGISTERS = 'prefetch has no registers here';
const UNSTAGED = 'its loads feed no dot, and it has no num_stages';

/** Registers a thread may spend where the program gives a number of stages. */
const ASKED_REGISTERS = 64;

function asked(loop: Operation, choices: Choices): Choices {
  const stages = loop.attributes['tt.num_stages'];
  if (typeof stages !== 'number') return choices;
  if (stages <= 1) return { ...choices, prefetchRegisters: 0 };
  return {
    ...choices,
    prefetchRegisters: Math.max(choices.prefetchRegisters, ASKED_REGISTERS),
    prefetchUnstaged: true,
  };
}

interface Group {
  readonly loads: Operation[];
  words: number;
}
/** Loads that can be prefetched, by the operation behind which their registers are free. */
function candidates(body: Block, choices: Choices, slices: Slices): Map<Operation, Group> {
  const groups = new Map<Operation, Group>();
  for (const load of body.ops) {
    if (load.name !== 'tt.load' || !isTile(load.result)) continue;
    if (load.attributes['isVolatile'] === true) continue;
    // Later K slices of a tile are prefetched by one slice already.
    const { kSlice } = load.attributes;
    if (typeof kSlice === 'number' && kSlice > 0) continue;
    const staged = lastStaging(load);
    const used = choices.prefetchUnstaged && !isTable(load, slices) ? load : undefined;
    // The first slice of the next tile is needed only behind the last slice of this one.
    const after = staged && kSlice === 0 ? lastStore(body) : (staged ?? used);
    const cost = registerWords(load.result);
    if (!after || cost === undefined) continue;
    if (!load.operands.every((value) => slices.movesToNext(value))) continue;
    const group = groups.get(after) ?? { loads: [], words: 0 };
    group.loads.push(load);
    group.words += cost;
    groups.set(after, group);
  }
  return groups;
}

/** Whether an address or a mask of another load depends on it. */
function isTable(load: Operation, slices: Slices): boolean {
  return load.parent!.ops.some((op) => op.name === 'tt.load' && slices.of(op).has(load));
}

/** The first store, atomic or barrier in the loop: loads must not move across them. */
function touchesOthers(body: Block): Operation | undefined {
  let found: Operation | undefined;
  walk(body, (op) => {
    const touches = op.name === 'gpu.barrier' || hasTrait(op.name, 'writes');
    if (touches && op.name !== 'ttg.local_store') found ??= op;
  });
  return found;
}

/**
 * The last operation in the load's block that stages it, if all its uses lead to such; its
 * registers are free after that.
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
export function registerWords(value: Value): number | undefined {
  const layout = layoutOf(value);
  const dtype = dtypeOf(value.type);
  if (!layout || !dtype) return undefined;
  return registerCount(layout) * Math.max(1, bitWidth(dtype) / 32);
}
