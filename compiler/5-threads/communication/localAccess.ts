/**
 * The program's own tiles in workgroup memory (Gluon's): a thread reads and writes elements at
 * places that it computes. An element takes one word, or two that lie a tile apart.
 */
import type { Operation, Value } from '../../ir/ir';
import { elementCount } from '../../ir/types';
import { numberAttribute } from '../context';
import type { Lowering } from '../context';
import { ownerCondition } from '../owners';
import { readShared, type Region, writeShared } from './scratch';

/** The words of a tile that `ttg.local_alloc` made. */
function regionOf(tile: Value): Region {
  const op = tile.definition;
  const offset = op && numberAttribute(op, 'offset');
  if (op?.name !== 'ttg.local_alloc' || offset === undefined)
    throw new Error('a tile in workgroup memory has no place');
  return { first: offset / 4, stride: elementCount(tile.type) };
}

export function lowerLocalGather(t: Lowering, op: Operation): void {
  const region = regionOf(op.operand(1));
  const type = t.registerTypeOf(op.result);
  const hint = t.hint(op.result);
  const registers = t
    .registers(op.operand(0))
    .map((place) => readShared(t, region, type, t.x`u32(${place})`, hint));
  t.setRegisters(op.result, registers);
}

/** One thread writes, of those that hold the same element. */
export function lowerLocalScatter(t: Lowering, op: Operation): void {
  const [places, values] = [t.registers(op.operand(0)), t.registers(op.operand(1))];
  const region = regionOf(op.operand(2));
  t.when(ownerCondition(t, op.operand(1)), () =>
    values.forEach((value, r) => writeShared(t, region, t.x`u32(${places[r]!})`, value)),
  );
}
