/**
 * The interpreter: executes tile IR on the CPU, before or after distribution. It is the oracle of
 * the check mode and the engine where there is no WebGPU.
 *
 * Semantics are exact where Triton defines them; where it leaves them open: masked-off elements of
 * a load without `other` are 0, programs run one after the other in the order of their ids (x
 * fastest), duplicate stores keep the last. Accesses out of range throw `OutOfRangeError`, or do
 * not happen and are reported (`onOutOfRange`).
 */
import type { Func, Operation, Value } from '../ir/ir';
import type { Location } from '../ir/location';
import { formatLocation } from '../ir/location';
import type { ElementType } from '../ir/types';
import { elementOf, shapeOf } from '../ir/types';
import type { LaunchState } from './compile';
import { FuncCompiler } from './compile';
import type { MemoryStorage } from './memory';
import { Memory, OutOfRangeError } from './memory';
import { elementAt, setElement } from '../ir/tile';
import type { Tile } from '../ir/tile';

export { OutOfRangeError };
export type { MemoryStorage };

/** A `tt.print` that was reached: one value list for each operand. */
export interface PrintRecord {
  readonly location: Location;
  readonly programId: readonly [number, number, number];
  readonly prefix: string;
  readonly hex: boolean;
  readonly operands: readonly {
    readonly element: ElementType;
    readonly shape: readonly number[];
    readonly signed: boolean;
    readonly values: readonly (number | bigint)[];
  }[];
}

export class AssertionFailed extends Error {
  constructor(
    message: string,
    readonly location: Location,
    readonly programId: readonly [number, number, number],
    /** The first element of a tile where it failed, row-major; null for a scalar. */
    readonly element: number | null,
    readonly shape: readonly number[],
  ) {
    super(message);
  }
}
export class BudgetExceeded extends Error {
  constructor() {
    super('the interpreter ran out of its budget of operations');
  }
}
export class Stopped extends Error {
  constructor() {
    super('stopped');
  }
}

export interface InterpreterOptions {
  readonly func: Func;
  /** One for each of the function's arguments; addresses for pointers. */
  readonly args: readonly (number | bigint | boolean)[];
  /** Storages do not overlap. */
  readonly memory: readonly MemoryStorage[];
  readonly grid: readonly [number, number, number];
  /**
   * Run only these programs, by linear index (x fastest): from `first` up to, not including, `end`;
   * `backwards`: the last one first.
   */
  readonly range?: {
    readonly first: number;
    readonly end: number;
    readonly backwards?: boolean;
  };
  /** Called before each program. */
  readonly onProgram?: (id: readonly [number, number, number]) => void;
  readonly onPrint?: (record: PrintRecord) => void;
  /** Without it a failed assertion throws `AssertionFailed`. */
  readonly onAssert?: (message: string, location: Location) => void;
  /** Called for every access out of range; without it `OutOfRangeError` is thrown. */
  readonly onOutOfRange?: (error: OutOfRangeError) => void;
  /** Operations before `BudgetExceeded`; loops and programs are counted. */
  readonly budget?: number;
  /** Asked now and then; true throws `Stopped`. */
  readonly shouldStop?: () => boolean;
  /** Makes steps of the function, for a debugger. */
  readonly compilerFor?: (state: LaunchState) => FuncCompiler;
}

/** Operations between two calls of `shouldStop`. */
const STOP_INTERVAL = 5000;

/** Runs the programs. Memory is changed in place. @throws the errors of this file. */
export function runInterpreter(options: InterpreterOptions): void {
  const { func, args, grid } = options;
  const programId: [number, number, number] = [0, 0, 0];
  const memory = new Memory(options.memory);
  const parameters = func.body.args;
  if (parameters.length !== args.length)
    throw new Error(`${func.name} takes ${parameters.length} arguments, not ${args.length}`);

  let left = options.budget ?? Infinity;
  let untilAsked = STOP_INTERVAL;
  const state: LaunchState = {
    memory,
    programId,
    grid,
    tick: (operations) => {
      left -= operations;
      if (left < 0) throw new BudgetExceeded();
      untilAsked -= operations;
      if (untilAsked < 0) {
        untilAsked = STOP_INTERVAL;
        if (options.shouldStop?.()) throw new Stopped();
      }
    },
    onPrint: (op, values) => options.onPrint?.(printRecord(op, values, [...programId])),
    onAssert: (location, message, element, shape) => {
      if (!options.onAssert)
        throw new AssertionFailed(message, location, [...programId], element, shape);
      options.onAssert(message, location);
    },
    onOutOfRange: options.onOutOfRange,
    regionOf: regionsOf(memory, parameters, args),
  };
  const compiler = options.compilerFor?.(state) ?? new FuncCompiler(state);
  defineArguments(compiler, parameters, args);
  const steps = compiler.block(func.body);

  const [x, y, z] = grid;
  const { first, end, backwards = false } = options.range ?? { first: 0, end: x * y * z };
  for (let i = first; i < end; i++) {
    const linear = backwards ? end - 1 - (i - first) : i;
    programId[0] = linear % x;
    programId[1] = Math.floor(linear / x) % y;
    programId[2] = Math.floor(linear / (x * y));
    options.onProgram?.(programId);
    state.tick(steps.length);
    for (let s = 0; s < steps.length; s++) steps[s]!();
  }
}

type Arguments = InterpreterOptions['args'];

/** Which storage an argument points into. */
export function regionsOf(
  memory: Memory,
  parameters: readonly Value[],
  args: Arguments,
): LaunchState['regionOf'] {
  return (argument) => {
    const address = args[parameters.indexOf(argument)];
    return address === undefined ? undefined : memory.find(Number(address), 1);
  };
}
/** Gives the function's parameters their values. */
export function defineArguments(
  compiler: FuncCompiler,
  parameters: readonly Value[],
  args: Arguments,
): void {
  parameters.forEach((parameter, i) => {
    const tile = compiler.define(parameter, false);
    const value = args[i]!;
    const isWide = elementOf(parameter.type).kind === 'scalar' && tile.dtype === 'i64';
    if (isWide) setElement(tile, 0, BigInt.asIntN(64, BigInt(value)));
    else tile.data[0] = Number(value);
  });
}

function printRecord(
  op: Operation,
  values: readonly Tile[],
  programId: readonly [number, number, number],
): PrintRecord {
  const signed = op.attributes['signed'];
  return {
    location: op.location,
    programId,
    prefix: String(op.attributes['prefix']),
    hex: op.attributes['hex'] === true,
    operands: values.map((tile, i) => ({
      element: elementOf(op.operand(i).type),
      shape: shapeOf(op.operand(i).type),
      signed: Array.isArray(signed) ? signed[i] !== false && signed[i] !== 0 : true,
      values: Array.from({ length: tile.count }, (_, j) => elementAt(tile, j)),
    })),
  };
}

/** Place and reason of a launch's failure, in one line; for errors of the interpreter. */
export function describeFailure(error: unknown): string {
  if (error instanceof OutOfRangeError || error instanceof AssertionFailed)
    return `${formatLocation(error.location)}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}
