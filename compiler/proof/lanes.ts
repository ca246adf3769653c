/**
 * Races within a program, whose outcome depends on `num_warps` and on layouts: an element that two
 * lanes of one store write with different values, or that two stores write, or that a lane stores
 * and another lane loads, before or after, with no barrier between. The first programs of a launch
 * run on the interpreter, and each element that a store touches is watched (`laneWatch.ts`).
 *
 * Guarantee: a race that is reported was seen, in the program and at the element that it names,
 * and a load's has a value that counts (`reordered.ts`). Lanes of the same position in tiles of one
 * shape count as one thread, and every operation that moves values between threads as a barrier,
 * so that a race may be missed.
 */
import { argumentValues, type LaunchInputs, hasContents, memoryOf } from '../inspect/launch';
import { EnoughSeen, parameterOf, type OnAccess } from '../inspect/trace';
import type { Step } from '../interpret/compile';
import { accessKind, carriedFrom, isMaskedOff } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import { MOST_OPERATIONS } from './budget';
import { isOne, isSameThread, Watch } from './laneWatch';
import { runLaunch, type AccessInRun, type Program, type RunOptions } from './launchRun';
import { deciding } from './reordered';
import { traceAddresses } from './slice';

/** Programs that run. */
const MOST_PROGRAMS = 8;

/** Two accesses of one program, by different lanes. */
export interface LaneRace {
  readonly first: Operation;
  readonly second: Operation;
  readonly program: Program;
  /** Index of the argument; null where it is unknown. */
  readonly argument: number | null;
  /** From the pointer that was passed; the address where that is unknown. */
  readonly element: number;
  /** Values that the two write, or load and write; null where the second loads. */
  readonly values: readonly [string, string] | null;
}

/** Operations in which threads of a program wait for each other, or may. */
const SYNCHRONIZES =
  /^(gpu\.barrier|ttg\.|tt\.(reduce|scan|sort|histogram|gather|reshape|trans|join|split|cat|dot|atomic))/;

/** One race for each pair of accesses, in the order in which they were seen. */
export function laneRaces(func: Func, inputs: LaunchInputs): LaneRace[] {
  const watched = watchedAccesses(func, inputs);
  if (watched.size === 0 || !hasContents(inputs)) return [];
  const [x, y, z] = inputs.grid;
  const count = Math.min(MOST_PROGRAMS, x * y * z);
  if (!mayMeet(func, inputs, watched, count)) return [];
  const memory = memoryOf(inputs);
  const watch = new Watch(func, inputs, memory);
  const around = (access: AccessInRun): Step => {
    if (access.kind === 'atomic') return watch.synchronizing(access.step);
    return watched.has(access.op) ? watch.access(access) : access.step;
  };
  const others: RunOptions['others'] = (op, step) =>
    SYNCHRONIZES.test(op.name) || exchangesLoads(op) ? watch.synchronizing(step) : step;
  runLaunch(func, inputs, { memory, count, around, others });
  for (const each of watch.reordered.values()) {
    const found = deciding(func, inputs, count, each);
    if (!found) continue;
    const { load, store, isStoreFirst, values } = found;
    const [first, second] = isStoreFirst ? [store, load] : [load, store];
    const [before, after] = values.map(String) as [string, string];
    watch.add({ ...found, first, second, values: isStoreFirst ? null : [before, after] });
  }
  return [...watch.races.values()];
}

/**
 * Whether two threads of a program touch one element, one of them storing. Addresses alone decide,
 * which takes a fraction of the time that a kernel with products takes.
 */
function mayMeet(
  func: Func,
  inputs: LaunchInputs,
  watched: ReadonlySet<Operation>,
  count: number,
): boolean {
  interface Element {
    readonly op: Operation;
    readonly lane: number;
    isStored: boolean;
    isShared: boolean;
  }
  let found = false;
  let current = '';
  const elements = new Map<number, Element>();
  const onAccess: OnAccess = (op, addresses, mask, program) => {
    if (!watched.has(op)) return;
    if (current !== program.join()) elements.clear();
    current = program.join();
    const isStore = accessKind(op) === 'store';
    // All threads load a scalar.
    const isOfAll = !isStore && isOne(op);
    for (let lane = 0; lane < addresses.length; lane++) {
      if (isMaskedOff(mask, lane)) continue;
      const before = elements.get(addresses[lane]!);
      const one = before ?? { op, lane, isStored: false, isShared: false };
      one.isStored ||= isStore;
      one.isShared ||= isOfAll || !isSameThread(one, { op, lane });
      if (!before) elements.set(addresses[lane]!, one);
      found = one.isStored && one.isShared;
      if (found) throw new EnoughSeen();
    }
  };
  const end = traceAddresses({
    ...{ func, args: argumentValues(inputs), memory: memoryOf(inputs), grid: inputs.grid },
    ...{ range: { first: 0, end: count }, budget: MOST_OPERATIONS, onAccess },
  });
  return found || end.kind !== 'complete';
}

/**
 * Whether threads exchange loaded values for another layout. A range needs no exchange: each thread
 * makes its own part.
 */
function exchangesLoads(op: Operation): boolean {
  if (op.name !== 'tt.expand_dims') return false;
  const open = [op.operand(0)];
  const seen = new Set(open);
  for (let value = open.pop(); value; value = open.pop()) {
    const by = value.definition;
    if (by && (accessKind(by) !== null || SYNCHRONIZES.test(by.name))) return true;
    if (carriedFrom(value).length > 0) return true;
    for (const operand of by?.operands ?? []) {
      if (seen.has(operand)) continue;
      seen.add(operand);
      open.push(operand);
    }
  }
  return false;
}

/** Note on two stores: the program may be right all the same, as with a slot for left-out lanes. */
export const OF_STORES =
  'only what such elements hold is undefined: the program is right where nothing reads them';

/** @param name that of the argument. */
export function explainLaneRace(
  { first, second, program, element, values }: LaneRace,
  name: string | null,
): Explanation {
  const place = `element ${element} of ${name ?? 'memory'}`;
  const isLoadFirst = accessKind(first) === 'load';
  const what =
    first === second
      ? `two lanes of the store write different values to ${place}`
      : `a lane ${values ? 'writes' : 'loads'} ${place} in line ${second.location.line}, after another ` +
        `${isLoadFirst ? 'loaded' : 'stored'} it, with no barrier between`;
  return {
    message: `${what}: the result depends on num_warps`,
    programs: [program],
    values: [
      { name: 'program', value: `(${program.join(', ')})` },
      { name: 'element', value: String(element) },
      ...(values ?? []).map((value, i) => ({
        name: isLoadFirst && i === 0 ? 'loaded' : 'stored',
        value,
      })),
    ],
    ...([first, second].every((op) => accessKind(op) === 'store') ? { notes: [OF_STORES] } : {}),
  };
}
interface Explanation {
  readonly message: string;
  readonly programs: readonly Program[];
  readonly values: readonly { readonly name: string; readonly value: string }[];
  readonly notes?: readonly string[];
}

/** Stores, and loads of a storage that a store may touch. */
function watchedAccesses(func: Func, inputs: LaunchInputs): ReadonlySet<Operation> {
  const storageOf = (op: Operation): number | null => {
    const argument = parameterOf(op, func);
    const view = argument === null ? undefined : inputs.args[argument];
    return view?.kind === 'pointer' ? view.storage : null;
  };
  const [stores, loads]: [Operation[], Operation[]] = [[], []];
  walk(func.body, (op) => {
    if (accessKind(op) === 'store') stores.push(op);
    if (accessKind(op) === 'load') loads.push(op);
  });
  const stored = new Set(stores.map(storageOf));
  const found = loads.filter((op) => {
    const storage = storageOf(op);
    return stored.size > 0 && (storage === null || stored.has(storage) || stored.has(null));
  });
  return new Set([...stores, ...found]);
}
