/**
 * Operations that only rename registers: every thread already holds its part of the result. Which
 * register it is follows from the two layouts: the coordinates of a result register, taken back to
 * the operand, are looked up among the operand's registers.
 */
import type { Operation } from '../ir/ir';
import { registerCount } from '../ir/layout';
import { I32 } from '../ir/thread/types';
import { shapeOf } from '../ir/types';
import type { ThreadValue } from '../ir/thread/ir';
import { layoutOf, numberAttribute, refuse } from './context';
import type { Lowering } from './context';
import { plus, registerCoordinate, threadCoordinate } from './layouts';
import { coordinateBack, registerMap } from './registerMap';

export function lowerRenaming(t: Lowering, op: Operation): void {
  const operand = op.operand(0);
  const registers = t.registers(operand);
  if (op.result.type.kind !== 'tensor' || operand.type.kind !== 'tensor') {
    t.setRegisters(op.result, new Array<ThreadValue>(t.count(op.result)).fill(registers[0]!));
    return;
  }
  const map = registerMap(op.result, operand, coordinateBack(op));
  t.setRegisters(
    op.result,
    map.map((r) => registers[r!]!),
  );
}

export function lowerSplat(t: Lowering, op: Operation): void {
  const x = t.scalar(op.operand(0));
  t.setRegisters(op.result, new Array<ThreadValue>(t.count(op.result)).fill(x));
}

export function lowerMakeRange(t: Lowering, op: Operation): void {
  const layout = layoutOf(op.result);
  const start = numberAttribute(op, 'start') ?? 0;
  const base = threadCoordinate(t, layout, 0);
  const hint = t.hint(op.result);
  const out: ThreadValue[] = [];
  const demanded = t.demanded(op.result);
  for (let r = 0; r < registerCount(layout); r++)
    if (demanded !== 'all' && !demanded.has(r)) out.push(t.notDemanded(I32));
    else
      out.push(t.let(hint, t.x`i32(${plus(t, base, start + registerCoordinate(layout, r, 0))})`));
  t.setRegisters(op.result, out);
}

/** tt.join, tt.cat: each register of the result comes from one of two operands. */
export function lowerJoin(t: Lowering, op: Operation): void {
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
    t.setRegisters(op.result, [t.scalar(left), t.scalar(right)]);
    return;
  }
  const first = registerMap(op.result, left, part(false));
  const second = registerMap(op.result, right, part(true));
  const [a, b] = [t.registers(left), t.registers(right)];
  t.setRegisters(
    op.result,
    first.map((r, i) => (r !== undefined ? a[r]! : b[second[i]!]!)),
  );
}

/** tt.split: each result is the part of the operand with one last coordinate. */
export function lowerSplit(t: Lowering, op: Operation): void {
  const operand = op.operand(0);
  const registers = t.registers(operand);
  op.results.forEach((result, half) => {
    if (result.type.kind !== 'tensor') {
      t.setRegisters(result, [registers[half]!]);
      return;
    }
    const map = registerMap(result, operand, (at) => [...at, half]);
    t.setRegisters(
      result,
      map.map((r) => registers[r!]!),
    );
  });
}
