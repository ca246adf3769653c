/**
 * The rules of axis analysis (`axis_analysis.ts`): the facts about a tile, and what one operation makes
 * of the facts about its operands.
 */
import type { Operation, Value } from '../ir/ir';
import { hasTrait } from '../ir/ops';
import { byteSize, elementOf, type ElementType, shapeOf } from '../ir/types';

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
function divisibilityAt(info: AxisInfo, d: number, run: number): number {
  const own = info.divisibility[d]!;
  return info.contiguity[d]! > run ? Math.min(own, run) : own;
}

/** What holds for either of two values. */
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

/** What one operation makes of its operands; undefined where nothing is known. */
export function transfer(op: Operation, operands: readonly AxisInfo[]): AxisInfo | undefined {
  const shape = rankOf(op.result);
  const [x, y, z] = operands;
  switch (op.name) {
    case 'arith.constant': {
      const { value } = op.attributes;
      const whole =
        typeof value === 'boolean'
          ? Number(value)
          : typeof value === 'bigint'
            ? value
            : Number(value);
      if (typeof whole === 'number' && !Number.isInteger(whole))
        return { ...unknown(op.result), constancy: shape };
      return {
        contiguity: shape.map(() => 1),
        divisibility: shape.map(() => powerOfTwoDivisor(whole)),
        constancy: shape,
        constant: Number(whole),
        ...(whole < 0 ? { mayBeNegative: true } : {}),
      };
    }
    case 'tt.make_range': {
      const start = Number(op.attributes['start']);
      return { contiguity: shape, divisibility: [powerOfTwoDivisor(start)], constancy: [1] };
    }
    case 'ttg.convert_layout':
      return x;
    case 'tt.splat':
      return x && { ...spread(x, shape), constancy: shape };
    case 'tt.unsplat':
      return x && { ...x, contiguity: [1], divisibility: [x.divisibility[0]!], constancy: [1] };
    case 'tt.expand_dims': {
      if (!x) return undefined;
      const axis = Number(op.attributes['axis']);
      const everywhere = Math.min(...x.divisibility.map((_, d) => divisibilityAt(x, d, 1)));
      const insert = (list: readonly number[], value: number): number[] => [
        ...list.slice(0, axis),
        value,
        ...list.slice(axis),
      ];
      return {
        ...x,
        contiguity: insert(x.contiguity, 1),
        divisibility: insert(x.divisibility, everywhere),
        constancy: insert(x.constancy, 1),
      };
    }
    case 'tt.broadcast': {
      if (!x) return undefined;
      const from = rankOf(op.operand(0));
      return {
        ...x,
        contiguity: x.contiguity.map((c, d) => (from[d] === shape[d] ? c : 1)),
        constancy: x.constancy.map((c, d) => (from[d] === shape[d] ? c : shape[d]!)),
      };
    }
    case 'tt.trans': {
      if (!x) return undefined;
      const order = op.attributes['order'] as readonly number[];
      const pick = (list: readonly number[]): number[] => order.map((d) => list[d]!);
      return {
        ...x,
        contiguity: pick(x.contiguity),
        divisibility: pick(x.divisibility),
        constancy: pick(x.constancy),
      };
    }
    case 'tt.reshape': {
      if (!x) return undefined;
      const from = x.contiguity.length - 1;
      const to = shape.length - 1;
      const run = Math.min(x.contiguity[from]!, shape[to]!);
      const everywhere = Math.min(...x.divisibility.map((_, d) => divisibilityAt(x, d, 1)));
      const last = (value: number, other: number): number[] =>
        shape.map((_, d) => (d === to ? value : other));
      return {
        ...x,
        contiguity: last(run, 1),
        divisibility: last(divisibilityAt(x, from, run), everywhere),
        constancy: last(Math.min(x.constancy[from]!, shape[to]!), 1),
      };
    }
    case 'arith.extsi':
    case 'arith.extui':
    case 'arith.trunci':
    case 'tt.int_to_ptr':
    case 'tt.ptr_to_int':
      if (x && (op.name === 'tt.int_to_ptr' || op.name === 'tt.ptr_to_int'))
        return {
          ...x,
          contiguity: shape.map(() => 1),
          divisibility: shape.map((_, d) => divisibilityAt(x, d, 1)),
        };
      return x;
    case 'tt.bitcast': {
      const size = (value: Value): number => pointeeBytes(elementOf(value.type));
      if (!x || size(op.operand(0)) === size(op.result)) return x;
      return {
        ...x,
        contiguity: shape.map(() => 1),
        divisibility: shape.map((_, d) => divisibilityAt(x, d, 1)),
      };
    }
    case 'tt.addptr': {
      if (!x || !y) return undefined;
      const bytes = pointeeBytes(elementOf(op.operand(0).type));
      return sum(x, y, bytes, true);
    }
    case 'arith.addi': {
      if (!x || !y) return undefined;
      return folded(sum(x, y, 1, true), x, y, (a, b) => a + b);
    }
    case 'arith.subi': {
      if (!x || !y) return undefined;
      const difference = folded(sum(x, y, 1, false), x, y, (a, b) => a - b);
      return shapeOf(op.result.type).length > 0
        ? { ...difference, mayBeNegative: true }
        : difference;
    }
    case 'arith.muli':
    case 'arith.shli': {
      if (!x || !y) return undefined;
      const right =
        op.name === 'arith.muli' ? y : y.constant === undefined ? undefined : power(y, shape);
      return right && folded(product(x, right), x, right, (a, b) => a * b);
    }
    case 'arith.divsi':
    case 'arith.divui':
    case 'arith.shrsi':
    case 'arith.shrui': {
      if (!x || !y) return undefined;
      const shift = op.name === 'arith.shrsi' || op.name === 'arith.shrui';
      const right = !shift ? y : y.constant === undefined ? undefined : power(y, shape);
      return right && quotient(x, right, shape, op.name === 'arith.shrsi');
    }
    case 'arith.remsi':
    case 'arith.remui':
      return x && y && remainder(x, y, op.name === 'arith.remui');
    case 'arith.cmpi':
      return x && y && comparison(String(op.attributes['predicate']), x, y);
    case 'arith.select': {
      if (!x || !y || !z) return undefined;
      const whole = shapeOf(op.operand(0).type).length === 0;
      const steady = shape.map((size, d) => (whole ? size : x.constancy[d]!));
      const either = meet(y, z);
      const contiguity = either.contiguity.map((c, d) => Math.min(c, steady[d]!));
      return {
        ...either,
        contiguity,
        divisibility: contiguity.map((run, d) => divisibilityAt(either, d, run)),
        constancy: either.constancy.map((c, d) => Math.min(c, steady[d]!)),
      };
    }
    case 'arith.minsi':
    case 'arith.minui':
    case 'arith.maxsi':
    case 'arith.maxui': {
      if (!x || !y) return undefined;
      return {
        ...everyElement(x, y),
        ...(x.mayBeNegative || y.mayBeNegative ? { mayBeNegative: true } : {}),
      };
    }
    default:
      if (op.results.length === 1 && operands.length > 0 && isElementwise(op))
        return {
          ...unknown(op.result),
          constancy: shape.map((size, d) =>
            Math.min(size, ...operands.map((info) => info.constancy[d] ?? size)),
          ),
          mayBeNegative: true,
        };
      return undefined;
  }
}

/** A splat's or scalar's facts over a whole shape. */
function spread(x: AxisInfo, shape: readonly number[]): AxisInfo {
  return {
    ...x,
    contiguity: shape.map(() => 1),
    divisibility: shape.map(() => x.divisibility[0]!),
    constancy: shape,
  };
}
/** 2 to the power of the constant `y`. */
function power(y: AxisInfo, shape: readonly number[]): AxisInfo | undefined {
  const by = y.constant;
  if (by === undefined || by < 0 || by > 30) return undefined;
  return {
    contiguity: shape.map(() => 1),
    divisibility: shape.map(() => 2 ** by),
    constancy: shape,
    constant: 2 ** by,
  };
}
function folded(
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
function sum(x: AxisInfo, y: AxisInfo, scale: number, up: boolean): AxisInfo {
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
function product(x: AxisInfo, y: AxisInfo): AxisInfo {
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
function quotient(x: AxisInfo, y: AxisInfo, shape: readonly number[], floors: boolean): AxisInfo {
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
function remainder(x: AxisInfo, y: AxisInfo, unsigned: boolean): AxisInfo {
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
function comparison(predicate: string, x: AxisInfo, y: AxisInfo): AxisInfo {
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
function everyElement(x: AxisInfo, y: AxisInfo): AxisInfo {
  return {
    contiguity: x.contiguity.map(() => 1),
    divisibility: x.contiguity.map((_, d) =>
      Math.min(divisibilityAt(x, d, 1), divisibilityAt(y, d, 1)),
    ),
    constancy: x.constancy.map((c, d) => Math.min(c, y.constancy[d]!)),
  };
}
function isElementwise(op: Operation): boolean {
  return hasTrait(op.name, 'elementwise');
}
/** Bytes between neighbours that a pointer of this type points to. */
function pointeeBytes(element: ElementType): number {
  return element.kind === 'pointer' ? byteSize(element.pointee) : 1;
}
