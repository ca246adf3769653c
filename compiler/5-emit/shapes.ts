/**
 * Operations that only rename registers: every thread already holds what its part of the result needs.
 * Which register, follows from the two layouts: the coordinates of a result register, taken back to
 * the operand, are looked up among the operand's registers.
 */
import type { Operation, Value } from '../ir/ir';
import { registerCount } from '../ir/layout';
import { shapeOf } from '../ir/types';
import { layoutOf, numberAttribute, refuse, UNNEEDED } from './emission';
import type { Emission } from './emission';
import { plus, registerCoordinate, threadCoordinate } from './layouts';

/** For each register of `result`, the register of `operand` that holds the element `back` names. */
export function registerMap(
  result: Value,
  operand: Value,
  back: (at: readonly number[]) => readonly number[] | undefined,
): (number | undefined)[] {
  const from = layoutOf(operand);
  const to = layoutOf(result);
  const rank = shapeOf(operand.type).length;
  const index = new Map<string, number>();
  for (let r = registerCount(from) - 1; r >= 0; r--) {
    const at = Array.from({ length: rank }, (_, d) => registerCoordinate(from, r, d));
    index.set(at.join(' '), r);
  }
  const toRank = shapeOf(result.type).length;
  return Array.from({ length: registerCount(to) }, (_, r) => {
    const at = Array.from({ length: toRank }, (_, d) => registerCoordinate(to, r, d));
    const source = back(at);
    if (source === undefined) return undefined;
    const found = index.get(source.join(' '));
    if (found === undefined) {
      throw new Error(
        `${operand.definition?.name ?? 'argument'} → ${result.definition?.name ?? '?'}: ` +
          `no register holds [${source.join(', ')}]`,
      );
    }
    return found;
  });
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

/** The coordinates in the operand of an element of the result, for the operations of one operand. */
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

export function emitRenaming(e: Emission, op: Operation): void {
  const operand = op.operand(0);
  const registers = e.registers(operand);
  if (op.result.type.kind !== 'tensor' || operand.type.kind !== 'tensor') {
    e.setRegisters(op.result, new Array<string>(e.count(op.result)).fill(registers[0]!));
    return;
  }
  const map = registerMap(op.result, operand, coordinateBack(op));
  e.setRegisters(
    op.result,
    map.map((r) => registers[r!]!),
  );
}

export function emitSplat(e: Emission, op: Operation): void {
  const x = e.scalar(op.operand(0));
  e.setRegisters(op.result, new Array<string>(e.count(op.result)).fill(x));
}

export function emitMakeRange(e: Emission, op: Operation): void {
  const layout = layoutOf(op.result);
  const start = numberAttribute(op, 'start') ?? 0;
  const base = threadCoordinate(e, layout, 0);
  const hint = e.hint(op.result);
  const out: string[] = [];
  const needed = e.needed(op.result);
  for (let r = 0; r < registerCount(layout); r++)
    if (needed !== 'all' && !needed.has(r)) out.push(UNNEEDED);
    else out.push(e.let(hint, `i32(${plus(base, start + registerCoordinate(layout, r, 0))})`));
  e.setRegisters(op.result, out);
}

/** tt.join, tt.cat: each register of the result comes from one of two operands. */
export function emitJoin(e: Emission, op: Operation): void {
  const [left, right] = [op.operand(0), op.operand(1)];
  const rank = shapeOf(op.result.type).length;
  const scalar = left.type.kind !== 'tensor';
  const axis = op.name === 'tt.join' ? rank - 1 : (numberAttribute(op, 'axis') ?? 0);
  const size = op.name === 'tt.join' ? 1 : shapeOf(left.type)[axis]!;
  const part =
    (second: boolean) =>
    (at: readonly number[]): readonly number[] | undefined => {
      if (at[axis]! >= size !== second) return undefined;
      if (op.name === 'tt.join') return at.filter((_, d) => d !== axis);
      return at.map((c, d) => (d === axis ? c % size : c));
    };
  const layout = layoutOf(op.result);
  const splitByThread = [...layout.lane, ...layout.subgroup].some((basis) => basis[axis]! >= size);
  if (splitByThread) refuse(op, 'HC0504', `${op.name} across threads was not distributed`);
  if (scalar) {
    e.setRegisters(op.result, [e.scalar(left), e.scalar(right)]);
    return;
  }
  const first = registerMap(op.result, left, part(false));
  const second = registerMap(op.result, right, part(true));
  const [a, b] = [e.registers(left), e.registers(right)];
  e.setRegisters(
    op.result,
    first.map((r, i) => (r !== undefined ? a[r]! : b[second[i]!]!)),
  );
}

/** tt.split: each result is the part of the operand with one last coordinate. */
export function emitSplit(e: Emission, op: Operation): void {
  const operand = op.operand(0);
  const registers = e.registers(operand);
  op.results.forEach((result, half) => {
    if (result.type.kind !== 'tensor') {
      e.setRegisters(result, [registers[half]!]);
      return;
    }
    const map = registerMap(result, operand, (at) => [...at, half]);
    e.setRegisters(
      result,
      map.map((r) => registers[r!]!),
    );
  });
}
