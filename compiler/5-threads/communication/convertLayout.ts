/**
 * ttg.convert_layout: the same tile in other registers. Within a thread a renaming, within a
 * subgroup a shuffle, else through the shared words in row-major order, as much at a time as its
 * scratch holds.
 */
import type { Operation } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import { registerCount } from '../../ir/layout';
import { classifyConversion, sourceLaneBits, sourceRegister } from '../../ir/layoutAlgebra';
import type { ThreadValue } from '../../ir/thread/ir';
import { shapeOf } from '../../ir/types';
import { layoutOf } from '../context';
import type { Lowering } from '../context';
import { plus, threadSum } from '../layouts';
import { Chunks, flatten, range } from './chunks';
import { readShared, shuffle } from './scratch';

export function lowerConvertLayout(t: Lowering, op: Operation): void {
  const [from, to] = [layoutOf(op.operand(0)), layoutOf(op.result)];
  const kind = classifyConversion(from, to);
  switch (kind) {
    case 'registers': {
      const registers = t.registers(op.operand(0));
      const sources = Array.from({ length: registerCount(to) }, (_, r) =>
        sourceRegister(from, to, r),
      );
      t.setRegisters(
        op.result,
        sources.map((r) => registers[r]!),
      );
      return;
    }
    case 'shuffle':
      betweenLanes(t, op, from, to);
      return;
    case 'memory':
      throughMemory(t, op, to);
      return;
    default:
      kind satisfies never;
  }
}

function betweenLanes(t: Lowering, op: Operation, from: Layout, to: Layout): void {
  const registers = t.registers(op.operand(0));
  const bits = sourceLaneBits(from, to);
  // The bit i of the source lane's number is bit bits[i] of this lane's.
  const weights = to.lane.map((_, own) =>
    bits.reduce((sum, bit, i) => sum + (bit === own ? 2 ** i : 0), 0),
  );
  const lane = threadSum(t, [...weights, ...to.subgroup.map(() => 0)]);
  const seen = new Map<ThreadValue, ThreadValue>();
  t.setRegisters(
    op.result,
    Array.from({ length: registerCount(to) }, (_, r) => {
      const source = registers[sourceRegister(from, to, r)]!;
      const found = seen.get(source) ?? t.let(t.hint(op.result), shuffle(t, source, lane));
      seen.set(source, found);
      return found;
    }),
  );
}

function throughMemory(t: Lowering, op: Operation, to: Layout): void {
  const chunks = new Chunks(t, op, op.operand(0), true);
  const { type, region, size } = chunks;
  const target = flatten(to, shapeOf(op.result.type));
  const read = range(t, target.weights, size, chunks.skew);
  const hint = t.hint(op.result);
  const out: ThreadValue[] = new Array<ThreadValue>(target.registers.length);
  // With one chunk, or where the chunk depends on the register alone, a read is the result.
  for (let chunk = 0; chunk < chunks.count; chunk++) {
    chunks.write(chunk);
    target.registers.forEach((flat, r) => {
      const when = read.inChunk(flat, chunk);
      if (when === 'never') return;
      const take = (): ThreadValue =>
        readShared(t, region, type, plus(t, read.base, chunks.place(flat % size)), hint);
      const before = out[r] ?? t.b.zero(type);
      out[r] = when
        ? t.b.if(
            when,
            () => [take()],
            () => [before],
            [hint],
          )[0]!
        : take();
    });
  }
  t.setRegisters(op.result, out);
}
