/**
 * The integer operation by which an address left its tensor: one whose exact result its type does
 * not hold. The program of a counterexample runs once more, up to the access, and each sum,
 * difference, product, shift and truncation that decides the address is compared with what
 * unbounded integers make of the same operands.
 *
 * Guarantee: the operation that is named has wrapped, with the operands that are named, in the lane
 * of the access (in any lane where the shapes differ in more than axes of 1).
 */
import { argumentValues, linearProgram, memoryOf, type LaunchInputs } from '../inspect/launch';
import { EnoughSeen, traceAccesses } from '../inspect/trace';
import { FuncCompiler, type LaunchState, type Step } from '../interpret/compile';
import type { Func, Operation } from '../ir/ir';
import type { Location } from '../ir/location';
import { elementAt } from '../ir/tile';
import { bitWidth, dtypeOf, isFloat, shapeOf } from '../ir/types';
import { MOST_OPERATIONS } from './budget';
import type { Outside } from './concrete';
import { decidersOf } from './slice';

export interface Overflow {
  readonly location: Location;
  /** `65536 * 40000 = 2621440000 leaves int32 and becomes -1673527296`. */
  readonly text: string;
}

const EXACT: Readonly<Record<string, readonly [string, (a: bigint, b: bigint) => bigint]>> = {
  'arith.addi': ['+', (a, b) => a + b],
  'arith.subi': ['-', (a, b) => a - b],
  'arith.muli': ['*', (a, b) => a * b],
  'arith.shli': ['<<', (a, b) => (b >= 0n && b < 64n ? a << b : a)],
  'arith.trunci': ['to', (a) => a],
};
/** Operations that take their operands for unsigned ones. */
const UNSIGNED = /^arith\.(extui|divui|remui|shrui|maxui|minui|uitofp)$/;

/** @returns null where nothing that decides the address wraps. */
export function overflowBefore(
  func: Func,
  inputs: LaunchInputs,
  access: Operation,
  outside: Outside,
): Overflow | null {
  const deciders = [...decidersOf(access)].flatMap(({ definition }) => definition ?? []);
  const isUnsigned = deciders.some(({ name }) => UNSIGNED.test(name));
  const watched = new Set(deciders.filter(canWrap));
  if (watched.size === 0) return null;
  const found = new Map<Operation, Overflow>();
  const first = linearProgram(inputs.grid, outside.program);
  traceAccesses({
    func,
    args: argumentValues(inputs),
    memory: memoryOf(inputs),
    grid: inputs.grid,
    range: { first, end: first + 1 },
    budget: MOST_OPERATIONS,
    onAccess: () => {},
    compilerFor: (state) =>
      new OverflowCompiler(state, { watched, access, outside, isUnsigned, found }),
  });
  const [one] = found.values();
  return one ?? null;
}

function canWrap(op: Operation): boolean {
  const dtype = op.results.length === 1 ? dtypeOf(op.result.type) : undefined;
  return op.name in EXACT && dtype !== undefined && !isFloat(dtype) && dtype !== 'i1';
}

interface Watching {
  readonly watched: ReadonlySet<Operation>;
  readonly access: Operation;
  readonly outside: Outside;
  readonly isUnsigned: boolean;
  /** By operation, of its last execution; in the order in which they wrapped. */
  readonly found: Map<Operation, Overflow>;
}

class OverflowCompiler extends FuncCompiler {
  constructor(
    state: LaunchState,
    private readonly watching: Watching,
  ) {
    super(state);
  }

  override operation(op: Operation): Step | undefined {
    const step = super.operation(op);
    const { watched, access, outside, found } = this.watching;
    if (op === access) {
      const { data } = this.tile(op.operand(0));
      const lane = laneOf(outside.lane, shapeOf(op.operand(0).type));
      return () => {
        if (data[lane] === outside.address) throw new EnoughSeen();
        step?.();
      };
    }
    if (!step || !watched.has(op)) return step;
    const lanes = lanesLike(outside.lane, shapeOf(op.result.type));
    const operands = op.operands.map((operand) => this.tile(operand));
    const out = this.tile(op.result);
    const count = shapeOf(op.result.type).reduce((a, b) => a * b, 1);
    return () => {
      // The result may take the memory of an operand.
      const given = Array.from({ length: lanes ? 1 : count }, (_, i) =>
        operands.map((tile) => BigInt(elementAt(tile, tile.count === 1 ? 0 : (lanes?.[0] ?? i)))),
      );
      step();
      found.delete(op);
      for (const [i, values] of given.entries()) {
        const result = BigInt(elementAt(out, lanes?.[0] ?? i));
        const one = wrapped(op, values, result, this.watching.isUnsigned);
        if (!one) continue;
        found.set(op, one);
        break;
      }
    };
  }
}

function wrapped(
  op: Operation,
  operands: readonly bigint[],
  result: bigint,
  isUnsigned: boolean,
): Overflow | null {
  const [sign, exactly] = EXACT[op.name]!;
  const [from, to] = [op.operand(0), op.result].map((value) => dtypeOf(value.type)!);
  const exact = exactly(operands[0]!, operands[1] ?? 0n);
  if (exact === result) return null;
  const width = bitWidth(from!);
  const unsigned = operands.map((each) => BigInt.asUintN(width, each));
  const whole = exactly(unsigned[0]!, unsigned[1] ?? 0n);
  // No sign is known of operands that something takes for unsigned ones.
  if (isUnsigned && whole === BigInt.asUintN(bitWidth(to!), whole)) return null;
  const type = `int${bitWidth(to!)}`;
  const formula =
    op.name === 'arith.trunci'
      ? `${exact} does not fit ${type}`
      : `${operands.join(` ${sign} `)} = ${exact} leaves ${type}`;
  return { location: op.location, text: `${formula} and becomes ${result}` };
}

function laneOf(position: readonly number[], shape: readonly number[]): number {
  return shape.reduce((index, size, axis) => index * size + position[axis]!, 0);
}

/** The lane of a tile that a position has by broadcasting; null where there are several. */
function lanesLike(position: readonly number[], shape: readonly number[]): [number] | null {
  if (shape.every((size) => size === 1)) return [0];
  if (shape.length !== position.length) return null;
  return [
    shape.reduce((index, size, axis) => index * size + (size === 1 ? 0 : position[axis]!), 0),
  ];
}
