/**
 * Which register of an operand each register of a result is, where an operation only moves elements
 * about within a thread: the coordinates of a result register are taken back to the operand.
 */
import type { Operation, Value } from '../ir/ir';
import type { Layout } from '../ir/layout';
import { shapeOf } from '../ir/types';
import { layoutOf, numberAttribute } from './context';

/** For each register of `result`, the register of `operand` that holds the element `back` names. */
export function registerMap(
  result: Value,
  operand: Value,
  back: (at: readonly number[]) => readonly number[] | undefined,
): (number | undefined)[] {
  const from = layoutOf(operand);
  const to = layoutOf(result);
  const shape = shapeOf(operand.type);
  const linear = (at: readonly number[]): number =>
    shape.reduce((sum, size, d) => sum * size + at[d]!, 0);
  const index = new Map<number, number>();
  // The first of the registers that hold an element.
  registerCoordinates(from, shape.length).forEach((at, r) => {
    const element = linear(at);
    if (!index.has(element)) index.set(element, r);
  });
  return registerCoordinates(to, shapeOf(result.type).length).map((at) => {
    const source = back(at);
    if (source === undefined) return undefined;
    const found = index.get(linear(source));
    if (found === undefined) {
      throw new Error(
        `${operand.definition?.name ?? 'argument'} → ${result.definition?.name ?? '?'}: ` +
          `no register holds [${source.join(', ')}]`,
      );
    }
    return found;
  });
}

/** The coordinates of each register of the first thread. */
function registerCoordinates({ register }: Layout, rank: number): number[][] {
  let all: number[][] = [new Array<number>(rank).fill(0)];
  for (const basis of register)
    all = [...all, ...all.map((at) => at.map((c, d) => c ^ (basis[d] ?? 0)))];
  return all;
}

/** Coordinates after a reshape: through the row-major index. */
export function reshapeBack(
  from: readonly number[],
  to: readonly number[],
): (at: readonly number[]) => number[] {
  return (at) => {
    let linear = 0;
    to.forEach((size, d) => (linear = linear * size + at[d]!));
    const out: number[] = [];
    for (let d = from.length - 1; d >= 0; d--) {
      out[d] = linear % from[d]!;
      linear = Math.floor(linear / from[d]!);
    }
    return out;
  };
}

/**
 * The coordinates in the operand of an element of the result, for the operations of one operand.
 */
export function coordinateBack(op: Operation): (at: readonly number[]) => readonly number[] {
  const source = shapeOf(op.operand(0).type);
  switch (op.name) {
    case 'tt.broadcast':
      return (at) => at.map((c, d) => (source[d] === 1 ? 0 : c));
    case 'tt.expand_dims': {
      const axis = numberAttribute(op, 'axis') ?? 0;
      return (at) => at.filter((_, d) => d !== axis);
    }
    case 'tt.reshape':
      return reshapeBack(source, shapeOf(op.result.type));
    case 'tt.trans': {
      const order = op.attributes['order'] as readonly number[];
      return (at) => {
        const out: number[] = [];
        order.forEach((from, to) => (out[from] = at[to]!));
        return out;
      };
    }
    case 'ttg.extract_slice': {
      const origin = op.attributes['origin'] as readonly number[];
      return (at) => at.map((c, d) => c + origin[d]!);
    }
    default:
      throw new Error(`${op.name} is not a renaming`);
  }
}
