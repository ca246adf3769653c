/**
 * Scalars and the grid of a proof: the numbers of one launch, or atoms for all that a launch of
 * this specialization could have.
 */
import type { Func, Operation } from '../ir/ir';
import { wholeRange } from '../ir/ops/range';
import { bitWidth, dtypeOf, isInteger } from '../ir/types';
import type { Arithmetic } from './arithmetic';
import type { Facts, Model } from './evaluator';
import { Poly } from './polynomial';
import { Prover } from './prover';
import type { Divisor, Multiples } from './multiples';
import type { Symbol } from './sizes';

export type Grid = readonly [number, number, number];
export type Scalar = number | bigint | boolean | null;

const AXES = ['x', 'y', 'z'];
/** No axis of a grid has more programs. */
const MOST_PROGRAMS = 2 ** 31 - 1;

const I64_RANGE = { low: -(2 ** 52), high: 2 ** 52 };

/** Whether a result is within its type, so that it did not wrap. */
function isWithinType(
  { prover, terms }: Arithmetic,
  op: Operation,
  poly: Poly,
  facts: () => Facts,
): boolean {
  const dtype = dtypeOf(op.result.type)!;
  const range = dtype === 'i64' ? I64_RANGE : wholeRange(dtype);
  const [low, high] = [Poly.constant(range.low), Poly.constant(range.high)];
  if (prover.within(poly, low, high)) return true;
  const lists = facts();
  return lists.every((list) => {
    return list.length > 0 && new Prover(terms, list).within(poly, low, high);
  });
}

function programAtom(arithmetic: Arithmetic, axis: number, programs: Poly): Poly {
  if (programs.asConstant === 1) return Poly.ZERO;
  const { terms } = arithmetic;
  const { poly, made } = terms.make(`program ${axis}`, `program_id(${axis})`, { low: 0 });
  if (made) terms.know(poly, programs.minus(poly).plusConstant(-1));
  return poly;
}

/** One launch: every scalar and the grid are numbers. */
export class LaunchModel implements Model {
  /** Operations that did not wrap, and those that may have: the same in every launch model. */
  readonly exact = new Map<Operation, boolean>();
  readonly #programs: readonly Poly[];

  constructor(
    private readonly arithmetic: Arithmetic,
    private readonly func: Func,
    private readonly values: readonly Scalar[],
    private readonly grid: Grid,
  ) {
    this.#programs = grid.map((size, axis) => programAtom(arithmetic, axis, Poly.constant(size)));
  }

  scalar(argument: number): Poly | undefined {
    const number = integerArgument(this.func, this.values, argument);
    return number === undefined ? undefined : Poly.constant(number);
  }
  program(axis: number): Poly {
    return this.#programs[axis]!;
  }
  programs(axis: number): Poly {
    return Poly.constant(this.grid[axis]!);
  }
  isExact(op: Operation, poly: Poly, facts: () => Facts): boolean {
    const exact = isWithinType(this.arithmetic, op, poly, facts);
    this.exact.set(op, exact && this.exact.get(op) !== false);
    return exact;
  }
}

/** Every launch: scalars that are positive here are positive, the grid is `programs`. */
export class SymbolicModel implements Model {
  readonly #scalars: (Poly | undefined)[];
  readonly #programs: readonly Poly[];
  readonly #ids: readonly Poly[];
  /** Operations that are taken not to wrap: they do not in the launch, and need not be proved. */
  readonly unproved = new Set<Operation>();
  /** Whole numbers of divisors in scalars and in the grid. */
  readonly quotients: Symbol[] = [];
  /** Relations of division that are taken, in words. */
  readonly multiples: string[] = [];

  /**
   * @param exact which operations do not wrap in the launch
   * @param programs the size of the grid, of the scalars; an atom where it gives undefined
   */
  constructor(
    private readonly arithmetic: Arithmetic,
    func: Func,
    values: readonly Scalar[],
    grid: Grid,
    private readonly exact: ReadonlyMap<Operation, boolean>,
    programs: (axis: number, scalars: readonly (Poly | undefined)[]) => Poly | undefined,
    multiples: Multiples,
  ) {
    const { terms } = arithmetic;
    this.#scalars = values.map((_, i) => {
      const value = integerArgument(func, values, i);
      if (value === undefined || multiples.scalars.has(i)) return undefined;
      const argument = func.body.args[i]!;
      const dtype = dtypeOf(argument.type)!;
      const stated = func.parameters[i]?.range;
      const whole = dtype === 'i64' ? I64_RANGE : wholeRange(dtype);
      const low = Math.max(stated?.[0] ?? -Infinity, value >= 1 ? 1 : value === 0 ? 0 : whole.low);
      const high = Math.min(stated?.[1] ?? Infinity, whole.high);
      const name = argument.name ?? `argument ${i}`;
      return terms.make(`scalar ${i}`, name, { shared: true, low, high }).poly;
    });
    for (const [i, divisor] of multiples.scalars) {
      const value = integerArgument(func, values, i)!;
      const argument = func.body.args[i]!;
      const high = Math.min(wholeRange(dtypeOf(argument.type)!).high, I64_RANGE.high);
      const name = argument.name ?? `argument ${i}`;
      this.#scalars[i] = this.#multiple(`scalar ${i}`, name, value, high, divisor, values, func);
    }
    this.#programs = grid.map((size, axis) => {
      if (size === 1) return Poly.ONE;
      const given = programs(axis, this.#scalars);
      if (given) return given;
      const by = multiples.grid.get(axis);
      if (by) {
        const [key, name] = [`grid ${axis}`, `grid.${AXES[axis]}`];
        return this.#multiple(key, name, size, MOST_PROGRAMS, by, values, func);
      }
      const options = { shared: true, low: 1, high: MOST_PROGRAMS };
      return terms.make(`grid ${axis}`, `grid.${AXES[axis]}`, options).poly;
    });
    this.#ids = this.#programs.map((size, axis) => programAtom(arithmetic, axis, size));
  }

  /** A number that is taken to be a multiple of a divisor: the divisor times an atom. */
  #multiple(
    key: string,
    name: string,
    value: number,
    high: number,
    divisor: Divisor,
    values: readonly Scalar[],
    func: Func,
  ): Poly {
    const { terms } = this.arithmetic;
    const isNumber = 'number' in divisor;
    const by = isNumber ? Poly.constant(divisor.number) : this.#scalars[divisor.argument]!;
    const count = isNumber ? divisor.number : integerArgument(func, values, divisor.argument)!;
    const text = isNumber
      ? String(count)
      : (func.body.args[divisor.argument]!.name ?? `argument ${divisor.argument}`);
    const options = { shared: true, low: 1 };
    const { poly } = terms.make(`multiple ${key}`, `(${name} // ${text})`, options);
    const whole = by.times(poly);
    terms.know(poly, Poly.constant(high).minus(whole));
    this.quotients.push({ value: value / count, poly });
    this.multiples.push(`${name} is a positive multiple of ${text}`);
    return whole;
  }

  scalar(argument: number): Poly | undefined {
    return this.#scalars[argument];
  }
  program(axis: number): Poly {
    return this.#ids[axis]!;
  }
  programs(axis: number): Poly {
    return this.#programs[axis]!;
  }
  isExact(op: Operation, poly: Poly, facts: () => Facts): boolean {
    if (this.exact.get(op) !== true) return false;
    if (!this.unproved.has(op) && !isWithinType(this.arithmetic, op, poly, facts))
      this.unproved.add(op);
    return true;
  }
}

/** The value of an argument that is an integer; undefined for others. */
export function integerArgument(
  func: Func,
  values: readonly Scalar[],
  argument: number,
): number | undefined {
  const value = values[argument];
  const type = func.body.args[argument]?.type;
  const dtype = type && dtypeOf(type);
  if (!dtype || !isInteger(dtype) || dtype === 'i1') return undefined;
  if (value === null || value === undefined) return undefined;
  // The bits are read as a signed number, as the interpreter reads them.
  const number = Number(BigInt.asIntN(bitWidth(dtype), BigInt(value)));
  return Number.isSafeInteger(number) ? number : undefined;
}
