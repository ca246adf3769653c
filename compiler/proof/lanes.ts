/**
 * Races within a program, whose outcome depends on `num_warps` and on layouts: an element that two
 * lanes of one store write with different values; one that a lane stores and another lane loads,
 * or stores otherwise, with no barrier between them. The first programs of a launch run on the
 * interpreter, and each element that a store touches is watched.
 *
 * Guarantee: a race that is reported was seen, in the program and at the element that it names.
 * Lanes of the same position in tiles of one shape count as one thread, and every operation that
 * moves values between threads as a barrier, so that a race may be missed.
 */
import { type LaunchInputs, hasContents, memoryOf } from '../inspect/launch';
import { bytesOfAccess, EnoughSeen, parameterOf } from '../inspect/trace';
import type { Step } from '../interpret/compile';
import { accessKind, isMaskedOff, maskOf } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import { elementAt } from '../ir/tile';
import { shapeOf } from '../ir/types';
import { runLaunch, type AccessInRun, type Program, type RunOptions } from './launchRun';

/** Programs that run, and elements of watched accesses. */
const MOST_PROGRAMS = 8;
const MOST_ELEMENTS = 400_000;

/** Two accesses of one program, by different lanes. */
export interface LaneRace {
  readonly first: Operation;
  readonly second: Operation;
  readonly program: Program;
  /** Index of the argument; null where it is unknown. */
  readonly argument: number | null;
  /** From the pointer that was passed; the address where that is unknown. */
  readonly element: number;
  /** Values that the two write; null where the second loads. */
  readonly values: readonly [string, string] | null;
}

/** Operations in which threads of a program wait for each other, or may. */
const SYNCHRONIZES =
  /^(gpu\.barrier|ttg\.|tt\.(reduce|scan|sort|histogram|gather|reshape|trans|join|split|cat|dot|atomic))/;

/** One race for each pair of accesses, in the order in which they were seen. */
export function laneRaces(func: Func, inputs: LaunchInputs): LaneRace[] {
  const watched = watchedAccesses(func, inputs);
  if (watched.size === 0 || !hasContents(inputs)) return [];
  const watch = new Watch(func, inputs);
  const around = (access: AccessInRun): Step => {
    if (access.kind === 'atomic') return watch.synchronizing(access.step);
    return watched.has(access.op) ? watch.access(access) : access.step;
  };
  const others: RunOptions['others'] = (op, step) =>
    SYNCHRONIZES.test(op.name) ? watch.synchronizing(step) : step;
  const [x, y, z] = inputs.grid;
  const count = Math.min(MOST_PROGRAMS, x * y * z);
  runLaunch(func, inputs, { memory: memoryOf(inputs), count, around, others });
  return [...watch.races.values()];
}

/** @param name that of the argument. */
export function explainLaneRace(
  { first, second, program, element, values }: LaneRace,
  name: string | null,
): Explanation {
  const place = `element ${element} of ${name ?? 'memory'}`;
  const what =
    first === second
      ? `two lanes of the store write different values to ${place}`
      : `a lane ${values ? 'writes' : 'loads'} ${place} in line ${second.location.line}, after another ` +
        'stored it, with no barrier between';
  return {
    message: `${what}: the result depends on num_warps`,
    programs: [program],
    values: [
      { name: 'program', value: `(${program.join(', ')})` },
      { name: 'element', value: String(element) },
      ...(values ?? []).map((value) => ({ name: 'stored', value })),
    ],
  };
}
interface Explanation {
  readonly message: string;
  readonly programs: readonly Program[];
  readonly values: readonly { readonly name: string; readonly value: string }[];
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

/** The last store of an element. */
interface Touch {
  readonly op: Operation;
  /** Executions of accesses until then, and barriers. */
  readonly execution: number;
  readonly epoch: number;
  readonly lane: number;
  readonly value: number | bigint;
}

/** NaN equals NaN, and 0 equals −0. */
const isSame = (a: number | bigint, b: number | bigint): boolean =>
  a === b || (Number.isNaN(a) && Number.isNaN(b));

class Watch {
  /** By the numbers of the two accesses. */
  readonly races = new Map<string, LaneRace>();
  readonly #stores = new Map<number, Touch>();
  #left = MOST_ELEMENTS;
  #execution = 0;
  #epoch = 0;
  #program = '';

  constructor(
    private readonly func: Func,
    private readonly inputs: LaunchInputs,
  ) {}

  synchronizing(step: Step | undefined): Step {
    return () => {
      this.#epoch++;
      step?.();
    };
  }

  access({ op, kind, step, compiler }: AccessInRun): Step {
    const addresses = compiler.tile(op.operand(0)).data;
    const masked = maskOf(op);
    const mask = masked && compiler.tile(masked).data;
    const value = kind === 'store' ? compiler.tile(op.operand(1)) : null;
    return () => {
      this.#begin(compiler.program, addresses.length);
      for (let lane = 0; lane < addresses.length; lane++) {
        if (isMaskedOff(mask, lane)) continue;
        const address = addresses[lane]!;
        const before = this.#stores.get(address);
        const next = value && elementAt(value, value.count === 1 ? 0 : lane);
        if (before?.epoch === this.#epoch && this.#differ(before, op, lane, next))
          this.#race(before, op, compiler.program, address, next);
        if (next === null) continue;
        const [execution, epoch] = [this.#execution, this.#epoch];
        this.#stores.set(address, { op, execution, epoch, lane, value: next });
      }
      step();
    };
  }
  #begin([x, y, z]: Program, elements: number): void {
    this.#left -= elements;
    if (this.#left < 0) throw new EnoughSeen();
    const program = `${x} ${y} ${z}`;
    if (program !== this.#program) this.#stores.clear();
    this.#program = program;
    this.#execution++;
  }

  /** Whether two accesses of an element are of two threads, and their order matters. */
  #differ(before: Touch, op: Operation, lane: number, value: number | bigint | null): boolean {
    if (value !== null && isSame(value, before.value)) return false;
    if (before.execution === this.#execution) return before.lane !== lane;
    const [shape, other] = [before.op, op].map((one) => shapeOf(one.operand(0).type));
    const isOne = (sizes: readonly number[]): boolean => sizes.every((size) => size === 1);
    // One thread stores a scalar, and all threads load one.
    if (isOne(shape!) && isOne(other!)) return value === null;
    return before.lane !== lane || shape!.join() !== other!.join();
  }

  #race(
    before: Touch,
    op: Operation,
    [x, y, z]: Program,
    address: number,
    value: number | bigint | null,
  ): void {
    const key = `${placeOf(before.op)} ${placeOf(op)}`;
    if (this.races.has(key)) return;
    const argument = parameterOf(op, this.func);
    const view = argument === null ? undefined : this.inputs.args[argument];
    const begin = view?.kind === 'pointer' ? view.address : 0;
    const element = (address - begin) / bytesOfAccess(op);
    const values = value === null ? null : ([String(before.value), String(value)] as const);
    const found = { first: before.op, second: op, program: [x, y, z] as const, values };
    this.races.set(key, { ...found, argument, element });
  }
}

const placeOf = ({ name, location }: Operation): string =>
  `${name} ${location.file}:${location.line}:${location.column}`;
