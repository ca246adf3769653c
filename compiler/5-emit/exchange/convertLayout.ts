/**
 * ttg.convert_layout: the same tile in other registers. Within a thread a renaming, within a subgroup a
 * shuffle, else through workgroup memory in row-major order, as much at a time as its scratch holds.
 */
import type { Operation } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount } from '../../ir/layout';
import { classifyConversion, sourceLaneBits, sourceRegister } from '../../ir/layoutAlgebra';
import { shapeOf } from '../../ir/types';
import { layoutOf } from '../emission';
import type { Emission } from '../emission';
import { plus, threadSum } from '../layouts';
import { zeroOf } from '../registers';
import { flatten, range, Rounds } from './rounds';
import { readShared } from './scratch';

export function emitConvertLayout(e: Emission, op: Operation): void {
  const [from, to] = [layoutOf(op.operand(0)), layoutOf(op.result)];
  const kind = classifyConversion(from, to);
  switch (kind) {
    case 'registers': {
      const registers = e.registers(op.operand(0));
      e.setRegisters(
        op.result,
        Array.from(
          { length: registerCount(to) },
          (_, r) => registers[sourceRegister(from, to, r)]!,
        ),
      );
      return;
    }
    case 'shuffle':
      shuffle(e, op, from, to);
      return;
    case 'memory':
      throughMemory(e, op, to);
      return;
    default:
      kind satisfies never;
  }
}

function shuffle(e: Emission, op: Operation, from: Layout, to: Layout): void {
  const registers = e.registers(op.operand(0));
  const type = e.registerTypeOf(op.operand(0));
  const bits = sourceLaneBits(from, to);
  // The bit i of the source lane's number is bit bits[i] of this lane's.
  const weights = to.lane.map((_, own) =>
    bits.reduce((sum, bit, i) => sum + (bit === own ? 2 ** i : 0), 0),
  );
  const lane = threadSum(e, [...weights, ...to.subgroup.map(() => 0)]);
  e.usesLanes = true;
  const seen = new Map<string, string>();
  e.setRegisters(
    op.result,
    Array.from({ length: registerCount(to) }, (_, r) => {
      const source = registers[sourceRegister(from, to, r)]!;
      let found = seen.get(source);
      if (!found) {
        const text =
          type === 'bool'
            ? `(subgroupShuffle(u32(${source}), ${lane}) != 0u)`
            : `subgroupShuffle(${source}, ${lane})`;
        found = e.let(e.hint(op.result), text);
        seen.set(source, found);
      }
      return found;
    }),
  );
}

function throughMemory(e: Emission, op: Operation, to: Layout): void {
  const rounds = new Rounds(e, op, op.operand(0), true);
  const { type, region, size } = rounds;
  const target = flatten(to, shapeOf(op.result.type));
  const read = range(e, target.weights, size, rounds.skew);
  const hint = e.hint(op.result);
  const out: string[] = new Array<string>(target.registers.length);
  // With one round, or where the round depends on the register alone, a read names its result.
  for (let round = 0; round < rounds.count; round++) {
    rounds.write(round);
    target.registers.forEach((flat, r) => {
      const when = read.inRound(flat, round);
      if (when === 'never') return;
      const element = plus(read.base, rounds.place(flat % size));
      if (when === undefined) {
        out[r] = readShared(e, region, type, element, hint);
        return;
      }
      out[r] ??= e.variable(hint, type, zeroOf(type));
      e.writer.block(`if (${when})`, () => {
        e.writer.line(`${out[r]} = ${readShared(e, region, type, element)};`);
      });
    });
  }
  e.setRegisters(op.result, out);
}
