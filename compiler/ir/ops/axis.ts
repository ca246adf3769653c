/**
 * The facts of axis analysis (`4-distribute/axis_analysis.ts`) about a tile, and the transfer
 * functions that definitions of operations are made of.
 */
import type { Operation, Value } from '../ir';
import { byteSize, type ElementType, shapeOf } from '../types';

export interface AxisInfo {
  readonly contiguity: readonly number[];
  readonly divisibility: readonly number[];
  readonly constancy: readonly number[];
  /** The one value of all elements, where known. */
  readonly constant?: number;
  readonly mayBeNegative?: boolean;
}

/** Stands for "divisible by anything". */
const LIMIT = 2 ** 30;

/** The largest power of two that divides `n`. */
export function powerOfTwoDivisor(n: number | bigint): number {
  const low = Number(BigInt.asUintN(64, BigInt(n)) & BigInt(LIMIT - 1));
  return low === 0 ? LIMIT : low & -low;
}

/** The divisibility along `d` at every multiple of `run`. */
export function divisibilityAt(info: AxisInfo, d: number, run: number): number {
  const own = info.divisibility[d]!;
  return info.contiguity[d]! > run ? Math.min(own, run) : own;
}

/** Facts that hold for either of two values. */
export function meet(a: AxisInfo, b: AxisInfo): AxisInfo {
  const contiguity = a.contiguity.map((c, d) => Math.min(c, b.contiguity[d]!));
  return {
    contiguity,
    divisibility: contiguity.map((run, d) =>
      Math.min(divisibilityAt(a, d, run), divisibilityAt(b, d, run)),
    ),
    constancy: a.constancy.map((c, d) => Math.min(c, b.constancy[d]!)),
    ...(a.constant !== undefined && a.constant === b.constant ? { constant: a.constant } : {}),
    ...(a.mayBeNegative || b.mayBeNegative ? { mayBeNegative: true } : {}),
  };
}
export function equalInfos(a: AxisInfo, b: AxisInfo): boolean {
  const same = (x: readonly number[], y: readonly number[]): boolean => x.join() === y.join();
  return (
    same(a.contiguity, b.contiguity) &&
    same(a.divisibility, b.divisibility) &&
    same(a.constancy, b.constancy) &&
    a.constant === b.constant &&
    a.mayBeNegative === b.mayBeNegative
  );
}

export function unknown(value: Value): AxisInfo {
  const ones = rankOf(value).map(() => 1);
  return { contiguity: ones, divisibility: ones, constancy: ones };
}
/** The shape, a scalar counting as one element. */
export function rankOf(value: Value): readonly number[] {
  const shape = shapeOf(value.type);
  return shape.length > 0 ? shape : [1];
}

/** A splat's or scalar's facts over a whole shape. */
export function spread(x: AxisInfo, shape: readonly number[]): AxisInfo {
  return {
    ...x,
    contiguity: shape.map(() => 1),
    divisibility: shape.map(() => x.divisibility[0]!),
    constancy: shape,
  };
}
/** 2 to the power of the constant `y`. */
export function power(y: AxisInfo, shape: readonly number[]): AxisInfo | undefined {
  const by = y.constant;
  if (by === undefined || by < 0 || by > 30) return undefined;
  return {
    contiguity: shape.map(() => 1),
    divisibility: shape.map(() => 2 ** by),
    constancy: shape,
    constant: 2 ** by,
  };
}
export function folded(
  info: AxisInfo,
  x: AxisInfo,
  y: AxisInfo,
  compute: (a: number, b: number) => number,
): AxisInfo {
  if (x.constant === undefined || y.constant === undefined) return info;
  const constant = compute(x.constant, y.constant);
  if (!Number.isSafeInteger(constant)) return info;
  return {
    ...info,
    constant,
    divisibility: info.divisibility.map(() => powerOfTwoDivisor(constant)),
  };
}
function negative(x: AxisInfo, y: AxisInfo): { mayBeNegative?: boolean } {
  return x.mayBeNegative || y.mayBeNegative ? { mayBeNegative: true } : {};
}
/** x + y·scale; `up`: a rising y rises. */
export function sum(x: AxisInfo, y: AxisInfo, scale: number, up: boolean): AxisInfo {
  const contiguity = x.contiguity.map((c, d) =>
    Math.max(Math.min(c, y.constancy[d]!), up ? Math.min(x.constancy[d]!, y.contiguity[d]!) : 1),
  );
  return {
    contiguity,
    divisibility: contiguity.map((run, d) =>
      Math.min(
        divisibilityOf(x, d, run, scale),
        Math.min(LIMIT, divisibilityAt(y, d, run) * scale),
      ),
    ),
    constancy: x.constancy.map((c, d) => Math.min(c, y.constancy[d]!)),
    ...negative(x, y),
  };
}
/** As `divisibilityAt`, for a pointer whose run of elements is `scale` bytes each. */
function divisibilityOf(info: AxisInfo, d: number, run: number, scale: number): number {
  const own = info.divisibility[d]!;
  return info.contiguity[d]! > run ? Math.min(own, run * scale) : own;
}
export function product(x: AxisInfo, y: AxisInfo): AxisInfo {
  const contiguity = x.contiguity.map((c, d) =>
    y.constant === 1 ? c : x.constant === 1 ? y.contiguity[d]! : 1,
  );
  return {
    contiguity,
    divisibility: contiguity.map((run, d) =>
      Math.min(LIMIT, divisibilityAt(x, d, run) * divisibilityAt(y, d, run)),
    ),
    constancy: x.constancy.map((c, d) => Math.min(c, y.constancy[d]!)),
    ...negative(x, y),
  };
}
export function quotient(
  x: AxisInfo,
  y: AxisInfo,
  shape: readonly number[],
  floors: boolean,
): AxisInfo {
  if (y.constant === 1) return x;
  const constancy = shape.map((_, d) => {
    const both = Math.min(x.constancy[d]!, y.constancy[d]!);
    if (x.mayBeNegative && !floors) return both;
    const group = Math.min(
      x.contiguity[d]!,
      x.divisibility[d]!,
      y.constancy[d]!,
      divisibilityAt(y, d, 1),
    );
    return Math.max(both, group);
  });
  const exact = y.constant !== undefined && powerOfTwoDivisor(y.constant) === y.constant;
  return {
    contiguity: shape.map(() => 1),
    divisibility: shape.map((_, d) =>
      exact && x.contiguity[d] === 1 ? Math.max(1, x.divisibility[d]! / y.constant!) : 1,
    ),
    constancy,
    ...negative(x, y),
  };
}
export function remainder(x: AxisInfo, y: AxisInfo, unsigned: boolean): AxisInfo {
  const contiguity = x.contiguity.map((c, d) =>
    x.mayBeNegative && !unsigned
      ? 1
      : Math.min(c, x.divisibility[d]!, y.constancy[d]!, divisibilityAt(y, d, 1)),
  );
  return {
    contiguity,
    divisibility: contiguity.map((run, d) =>
      Math.min(divisibilityAt(x, d, run), divisibilityAt(y, d, 1)),
    ),
    constancy: x.constancy.map((c, d) => Math.min(c, y.constancy[d]!)),
    ...negative(x, y),
  };
}
export function comparison(predicate: string, x: AxisInfo, y: AxisInfo): AxisInfo {
  const group = (rising: AxisInfo, steady: AxisInfo, d: number): number =>
    Math.min(
      rising.contiguity[d]!,
      rising.divisibility[d]!,
      steady.constancy[d]!,
      divisibilityAt(steady, d, 1),
    );
  const left = ['slt', 'sge', 'ult', 'uge'].includes(predicate);
  const right = ['sle', 'sgt', 'ule', 'ugt'].includes(predicate);
  return {
    contiguity: x.contiguity.map(() => 1),
    divisibility: x.contiguity.map(() => 1),
    constancy: x.constancy.map((c, d) =>
      Math.max(Math.min(c, y.constancy[d]!), left ? group(x, y, d) : right ? group(y, x, d) : 1),
    ),
  };
}
/** A choice between elements of x and y. */
export function everyElement(x: AxisInfo, y: AxisInfo): AxisInfo {
  return {
    contiguity: x.contiguity.map(() => 1),
    divisibility: x.contiguity.map((_, d) =>
      Math.min(divisibilityAt(x, d, 1), divisibilityAt(y, d, 1)),
    ),
    constancy: x.constancy.map((c, d) => Math.min(c, y.constancy[d]!)),
  };
}
/** Bytes between neighbours that a pointer of this type points to. */
export function pointeeBytes(element: ElementType): number {
  return element.kind === 'pointer' ? byteSize(element.pointee) : 1;
}

/** As constant as its operands are: of operations that no fact passes through. */
export function constancyOnly(op: Operation, operands: readonly AxisInfo[]): AxisInfo | undefined {
  if (operands.length === 0) return undefined;
  return {
    ...unknown(op.result),
    constancy: rankOf(op.result).map((size, d) =>
      Math.min(size, ...operands.map((info) => info.constancy[d] ?? size)),
    ),
    mayBeNegative: true,
  };
}
/** The operand's facts. */
export const unchanged = (_: Operation, [x]: readonly AxisInfo[]): AxisInfo | undefined => x;
export const nothingKnown = (): undefined => undefined;

/** A transfer of two operands of which both must be known. */
export function ofBoth(
  rule: (x: AxisInfo, y: AxisInfo, op: Operation) => AxisInfo | undefined,
): (op: Operation, operands: readonly AxisInfo[]) => AxisInfo | undefined {
  return (op, [x, y]) => (x && y ? rule(x, y, op) : undefined);
}
/** Shifts by a constant are products and quotients by a power of two. */
export function asPower(y: AxisInfo, op: Operation): AxisInfo | undefined {
  return y.constant === undefined ? undefined : power(y, rankOf(op.result));
}
/** Neighbours along each dimension are unrelated; what divides all of them stays. */
export function scattered(x: AxisInfo, op: Operation): AxisInfo {
  const shape = rankOf(op.result);
  return {
    ...x,
    contiguity: shape.map(() => 1),
    divisibility: shape.map((_, d) => divisibilityAt(x, d, 1)),
  };
}
