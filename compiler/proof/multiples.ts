/**
 * Relations of division that a launch shows and its kernel relies on: where the kernel divides a
 * scalar, or a program id, by another scalar or a number and the launch's values leave no
 * remainder, the scalar (the grid) may be that many times a whole number in every launch. A proof
 * that takes one states it.
 */
import type { Block, Func, Value } from '../ir/ir';
import { walk } from '../ir/ir';
import { isOp } from '../ir/ops';
import { integerArgument, type Grid, type Scalar } from './model';

/** A divisor: an argument, or a number. */
export type Divisor = { readonly argument: number } | { readonly number: number };

export interface Multiples {
  /** By argument. */
  readonly scalars: ReadonlyMap<number, Divisor>;
  /** By axis. */
  readonly grid: ReadonlyMap<number, Divisor>;
}

export const NO_MULTIPLES: Multiples = { scalars: new Map(), grid: new Map() };

const DIVISIONS: ReadonlySet<string> = new Set([
  'arith.divsi',
  'arith.remsi',
  'arith.divui',
  'arith.remui',
]);
/** Operations that hand on an integer as it is. */
const RENAMES: ReadonlySet<string> = new Set(['tt.splat', 'arith.extsi', 'arith.trunci']);

export function multiplesOf(func: Func, values: readonly Scalar[], grid: Grid): Multiples {
  const scalars = new Map<number, Divisor>();
  const axes = new Map<number, Divisor>();
  const isPart = (divisor: Divisor | undefined): boolean =>
    divisor !== undefined && 'argument' in divisor && scalars.has(divisor.argument);
  walk(func.body, (op) => {
    if (!DIVISIONS.has(op.name)) return;
    const [from, by] = [originOf(op.operand(0)), divisorOf(func, op.operand(1), values)];
    // Divisors are scalars of their own, so that no multiple is one of another multiple.
    if (!from || !by || isPart(by.divisor)) return;
    if (from.kind === 'argument') {
      const at = func.body.args.indexOf(from.value);
      const value = integerArgument(func, values, at);
      const divides = [...scalars.values()].some(
        (each) => 'argument' in each && each.argument === at,
      );
      const isUsed = scalars.has(at) || divides;
      // The relations of a proof state the ranges of scalars that are atoms.
      if (func.parameters[at]?.range) return;
      if (value === undefined || value < 1 || value % by.value !== 0 || isUsed) return;
      if (!('argument' in by.divisor && by.divisor.argument === at)) scalars.set(at, by.divisor);
    } else if (grid[from.axis]! > 1 && grid[from.axis]! % by.value === 0 && !axes.has(from.axis))
      axes.set(from.axis, by.divisor);
  });
  return { scalars, grid: axes };
}

type Origin =
  | { readonly kind: 'argument'; readonly value: Value }
  | { readonly kind: 'program'; readonly axis: number };

/** The argument or the program id that a value is. */
function originOf(value: Value): Origin | undefined {
  const source = renamed(value);
  const op = source.definition;
  if (!op) return (source.owner as Block).parent ? undefined : { kind: 'argument', value: source };
  return isOp(op, 'tt.get_program_id') ? { kind: 'program', axis: op.attributes.axis } : undefined;
}
function renamed(value: Value): Value {
  let found = value;
  for (let op = value.definition; op && RENAMES.has(op.name); op = found.definition)
    found = op.operand(0);
  return found;
}

function divisorOf(
  func: Func,
  value: Value,
  values: readonly Scalar[],
): { readonly divisor: Divisor; readonly value: number } | undefined {
  const op = renamed(value).definition;
  if (op && isOp(op, 'arith.constant')) {
    const number = Number(op.attributes.value);
    return number > 1 ? { divisor: { number }, value: number } : undefined;
  }
  const origin = originOf(value);
  if (origin?.kind !== 'argument') return undefined;
  const argument = func.body.args.indexOf(origin.value);
  const number = integerArgument(func, values, argument);
  return number !== undefined && number > 1 ? { divisor: { argument }, value: number } : undefined;
}
