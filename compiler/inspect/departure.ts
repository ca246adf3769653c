/**
 * The first operation at which an element of a result departs from a run in float64.
 *
 * The program that stored the element is interpreted twice, side by side: as it is, and with every
 * float in double precision (`doubles.ts`). The trace of the first run is walked backwards from
 * the element's last store, to know which elements of which values it was computed from
 * (`elementSlice.ts`). The first operation in the order of execution at which one of those differs
 * by more than its type's rounding explains is the answer.
 *
 * A difference counts where it may matter: a partial sum that happens to be near zero has a large
 * relative error and no consequence. An operation is named only if the stored element departs, and
 * if the operation's relative difference is a noticeable part (1 / `SHARE`) of the element's.
 */
import type { Func, Operation } from '../ir/ir';
import type { Location } from '../ir/location';
import { roundFloat } from '../ir/numbers';
import { elementAt, tileDType, type Tile, type TileDType } from '../ir/tile';
import { isFloat, shapeOf, type Type } from '../ir/types';
import { DoubleStepping, isFloatType } from './doubles';
import { unravel } from './elements';
import { argumentValues, memoryOf, type LaunchInputs } from './launch';
import { demandsOf, traceOf, type Demands, type Trace } from './elementSlice';
import type { ElementSet } from './provenance';
import { Stepper } from './stepper';

/** Relative error of one rounding. */
const ROUNDING: Partial<Record<TileDType, number>> = {
  f64: 2 ** -53,
  f32: 2 ** -24,
  f16: 2 ** -11,
  bf16: 2 ** -8,
  f8E4M3FN: 2 ** -4,
  f8E4M3FNUZ: 2 ** -4,
  f8E4M3B11FNUZ: 2 ** -4,
  f8E5M2: 2 ** -3,
  f8E5M2FNUZ: 2 ** -3,
};
/** Roundings of its type that a result may differ by: the operands were rounded, too. */
const EXPLAINED = 8;
/** An operation's relative difference is at least the stored element's divided by this. */
const SHARE = 16;
/** Roundings that a stored element may be off where nobody says that it is wrong. */
const UNNOTICED = 1024;

/** A loop around an operation. */
export interface LoopPlace {
  readonly line: number;
  /** From 1. */
  readonly iteration: number;
}
export interface Pair {
  readonly actual: number;
  /** In float64. */
  readonly exact: number;
}
export interface Departure extends Pair {
  readonly why:
    /** The result differs by more than rounding. */
    | 'value'
    /** A conversion to an integer that the value does not fit. */
    | 'range'
    /** A branch or a loop goes another way. */
    | 'branch';
  readonly op: string;
  readonly dtype: TileDType;
  readonly location: Location;
  /** Operations that are executed before it. */
  readonly count: number;
  readonly relative: number;
  /** The element in the operation's tile. */
  readonly index: readonly number[];
  /** The largest magnitude among the element's operands, where these are floats. */
  readonly largest: number | null;
  /** The outermost first. */
  readonly loops: readonly LoopPlace[];
}
export interface DepartureReport {
  readonly departure: Departure | null;
  /** The stored element; null where the two runs parted before its store. */
  readonly stored: Pair | null;
}
export type DepartureAnswer = DepartureReport | { readonly refused: string };

export interface DepartureOptions {
  readonly func: Func;
  readonly inputs: LaunchInputs;
  readonly program: readonly [number, number, number];
  readonly address: number;
  /** How far the element is off its expected value; null where that is not known. */
  readonly error: number | null;
}

export function departureOf(options: DepartureOptions): DepartureAnswer {
  const trace = traceOf(stepperOf(options, false), options.address);
  if ('refused' in trace) return trace;
  const demands = demandsOf(trace);
  if (!demands) return { refused: 'The element is computed from too much to be followed.' };
  return compare(options, trace, demands);
}

function stepperOf({ func, inputs, program }: DepartureOptions, doubles: boolean): Stepper {
  return new Stepper({
    func,
    args: argumentValues(inputs).map((value, i) => rounded(value, func.body.args[i]!.type)),
    memory: memoryOf(inputs),
    grid: inputs.grid,
    program,
    onOutOfRange: () => undefined,
    ...(doubles ? { compilerFor: (state, bindings) => new DoubleStepping(state, bindings) } : {}),
  });
}

/** A scalar as the kernel gets it. */
function rounded(value: number | bigint | boolean, type: Type): number | bigint | boolean {
  const dtype = tileDType(type);
  const isNumber = dtype !== 'pointer' && isFloat(dtype);
  return isNumber ? roundFloat(dtype, Number(value)) : value;
}

// ── side by side ────────────────────────────────────────────────────────────────────────────────

class Iterations {
  readonly #counts = new Map<Operation, number>();
  /** Before an operation is executed. */
  note(op: Operation): void {
    if (op.name === 'scf.for' || op.name === 'scf.while') this.#counts.set(op, 0);
    const block = op.parent;
    const loop = block?.parent;
    if (!loop || !this.#counts.has(loop) || loop.region(0).ops[0] !== op) return;
    if (loop.region(0) === block) this.#counts.set(loop, this.#counts.get(loop)! + 1);
  }
  around(op: Operation): LoopPlace[] {
    const places: LoopPlace[] = [];
    for (let at = op.parent?.parent; at; at = at.parent?.parent) {
      const iteration = this.#counts.get(at);
      if (at.name === 'scf.for' || at.name === 'scf.while')
        places.unshift({ line: at.location.line, iteration: iteration ?? 1 });
    }
    return places;
  }
}

function compare(
  options: DepartureOptions,
  { ops, target, flat }: Trace,
  demands: Demands,
): DepartureReport {
  const [actual, exact] = [stepperOf(options, false), stepperOf(options, true)];
  const iterations = new Iterations();
  /** Each with a larger relative difference than those before it. */
  const records: Departure[] = [];
  let wrapped: Departure | null = null;
  let latest: Operation | null = null;
  for (let at = 0; at < target; at++) {
    const op = ops[at]!;
    iterations.note(op);
    if (op.regions.length > 0 || op.name === 'scf.yield' || op.name === 'scf.condition')
      latest = op;
    actual.step();
    exact.step();
    const found = (one: Found): Departure => ({
      ...one,
      op: op.name,
      location: op.location,
      count: at,
      loops: iterations.around(op),
    });
    const sets = demands.get(at);
    if (sets) {
      const worst = worstOf(op, sets, actual, exact);
      const most = records.at(-1)?.relative ?? 0;
      if (worst && worst.relative > most) records.push(found(worst));
      const lost = wrapped ? null : wrapOf(op, sets, actual, exact);
      if (lost) wrapped = found(lost);
    }
    if (actual.next === exact.next) continue;
    // The two runs part: a loop or a branch went another way.
    const place = latest ?? op;
    const branch: Departure = {
      why: 'branch',
      op: place.name,
      dtype: 'i1',
      location: place.location,
      count: at,
      actual: 0,
      exact: 0,
      relative: Infinity,
      index: [],
      largest: null,
      loops: iterations.around(place),
    };
    return { departure: records[0] ?? branch, stored: null };
  }
  const value = ops[target]!.operand(1);
  const stored = pairAt(actual.tile(value), exact.tile(value), flat);
  return { departure: choose(options, stored, tileDType(value.type), records, wrapped), stored };
}

function choose(
  { error }: DepartureOptions,
  stored: Pair,
  dtype: TileDType,
  records: readonly Departure[],
  wrapped: Departure | null,
): Departure | null {
  const off = relativeOf(stored);
  const far = Math.abs(stored.actual - stored.exact);
  const explains = error === null || !Number.isFinite(error) || !(far < error / 8);
  const rounding = ROUNDING[dtype] ?? 0;
  const usual = error === null ? Math.min(UNNOTICED * rounding, 0.05) : EXPLAINED * rounding;
  if (off <= usual || !explains) return wrapped;
  const least = Math.min(off, 1) / SHARE;
  const first = records.find(({ relative }) => relative >= least) ?? null;
  if (wrapped && (!first || wrapped.count < first.count)) return wrapped;
  return first;
}

type Found = Omit<Departure, 'op' | 'location' | 'count' | 'loops'>;

function pairAt(actual: Tile, exact: Tile, i: number): Pair {
  return { actual: Number(elementAt(actual, i)), exact: Number(elementAt(exact, i)) };
}
/** A float64 run that is NaN or infinite itself: precision is not what is wrong. */
function relativeOf({ actual, exact }: Pair): number {
  if (Object.is(actual, exact) || actual === exact || !Number.isFinite(exact)) return 0;
  if (!Number.isFinite(actual)) return Infinity;
  return exact === 0 ? Infinity : Math.abs(actual - exact) / Math.abs(exact);
}

/** The element of a step's results that departs most; null where rounding explains them all. */
function worstOf(
  op: Operation,
  sets: readonly (ElementSet | undefined)[],
  actual: Stepper,
  exact: Stepper,
): Found | null {
  let worst: Found | null = null;
  op.results.forEach((result, r) => {
    const set = sets[r];
    if (!set) return;
    const dtype = tileDType(result.type);
    const explained = EXPLAINED * (ROUNDING[dtype] ?? 0);
    const [a, d] = [actual.tile(result), exact.tile(result)];
    for (let i = 0; i < set.length; i++) {
      if (!set[i]) continue;
      const pair = pairAt(a, d, i);
      const relative = relativeOf(pair);
      if (relative <= explained || relative <= (worst?.relative ?? 0)) continue;
      if (isBelowRange(dtype, pair)) continue;
      const index = unravel(i, shapeOf(result.type));
      const largest = largestOf(op, i, set.length, exact);
      worst = { why: 'value', dtype, ...pair, relative, index, largest };
    }
  });
  return worst;
}

/** Below what float32 distinguishes from 0: an `exp` of a very negative number, say. */
function isBelowRange(dtype: TileDType, { actual, exact }: Pair): boolean {
  return dtype === 'f32' && Math.abs(exact) < 2 ** -126 && Math.abs(actual) < 2 ** -125;
}

function largestOf(op: Operation, i: number, count: number, exact: Stepper): number | null {
  let largest: number | null = null;
  for (const operand of op.operands) {
    if (!isFloatType(operand.type)) continue;
    const tile = exact.tile(operand);
    if (tile.count !== count && tile.count !== 1) return null;
    largest = Math.max(largest ?? 0, Math.abs(tile.data[tile.count === 1 ? 0 : i]!));
  }
  return largest;
}

/** A conversion to an integer type that cannot hold the value. */
function wrapOf(
  op: Operation,
  sets: readonly (ElementSet | undefined)[],
  actual: Stepper,
  exact: Stepper,
): Found | null {
  const floats = op.name === 'arith.fptosi' || op.name === 'arith.fptoui';
  if (!floats && op.name !== 'arith.trunci') return null;
  const dtype = tileDType(op.result.type);
  // Wider ones are parts of products and addresses.
  if (!floats && dtype !== 'i8' && dtype !== 'i16') return null;
  const [a, from] = [actual.tile(op.result), (floats ? exact : actual).tile(op.operand(0))];
  const values = dtype === 'i8' ? 2 ** 8 : dtype === 'i16' ? 2 ** 16 : 2 ** 32;
  for (let i = 0; i < a.count; i++) {
    if (!sets[0]?.[i]) continue;
    const pair = pairAt(a, from, i);
    const value = Math.trunc(pair.exact);
    const held = pair.actual < 0 ? pair.actual + values : pair.actual;
    if (Math.abs(pair.actual - value) <= 1) continue;
    // An unsigned type holds the same bits.
    if (op.name !== 'arith.fptosi' && held === value) continue;
    const index = unravel(i, shapeOf(op.result.type));
    const relative = relativeOf(pair);
    return { why: 'range', dtype, ...pair, relative, index, largest: null };
  }
  return null;
}
