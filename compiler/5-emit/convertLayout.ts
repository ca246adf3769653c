/**
 * ttg.convert_layout: the same tile in other registers. Within a thread a renaming, within a subgroup a
 * shuffle, else through workgroup memory in row-major order, as much at a time as its scratch holds.
 */
import type { Operation } from '../ir/ir';
import type { Layout } from '../ir/layout';
import { registerCount, threadBases } from '../ir/layout';
import {
  classifyConversion,
  freeThreadMask,
  sourceLaneBits,
  sourceRegister,
} from '../ir/layoutAlgebra';
import { shapeOf } from '../ir/types';
import { layoutOf, numberAttribute } from './emission';
import type { Emission } from './emission';
import { plus, registerCoordinate, threadSum } from './layouts';
import { zeroOf } from './registers';
import { readShared, wordsOf, writeShared } from './scratch';

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
      throughMemory(e, op, from, to);
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

/** Row-major weights of a shape. */
export function rowMajorStrides(shape: readonly number[]): number[] {
  const strides: number[] = [];
  let stride = 1;
  for (let d = shape.length - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= shape[d]!;
  }
  return strides;
}

/** A layout as flat row-major indices: of each thread bit, and of each register. */
export function flatten(
  layout: Layout,
  shape: readonly number[],
): { readonly weights: number[]; readonly registers: number[] } {
  const strides = rowMajorStrides(shape);
  const flat = (at: (d: number) => number): number =>
    strides.reduce((sum, stride, d) => sum + stride * at(d), 0);
  return {
    weights: threadBases(layout).map((basis) => flat((d) => basis[d] ?? 0)),
    registers: Array.from({ length: registerCount(layout) }, (_, r) =>
      flat((d) => registerCoordinate(layout, r, d)),
    ),
  };
}

function throughMemory(e: Emission, op: Operation, from: Layout, to: Layout): void {
  const shape = shapeOf(op.result.type);
  const type = e.registerTypeOf(op.operand(0));
  const total = shape.reduce((a, b) => a * b, 1);
  const scratch = numberAttribute(op, 'scratch') ?? 0;
  const capacity = (numberAttribute(op, 'scratchBytes') ?? total * 4) / (4 * wordsOf(type));
  const size = Math.min(total, 2 ** Math.floor(Math.log2(capacity)));
  e.needBytes(scratch + size * 4 * wordsOf(type));
  const region = { first: scratch / 4, stride: size };
  const source = flatten(from, shape);
  const target = flatten(to, shape);
  const values = e.registers(op.operand(0));
  const hint = e.hint(op.result);
  const rounds = total / size;
  const mask = freeThreadMask(from);
  const owner =
    mask === 0
      ? undefined
      : e.prelude(`owner ${mask}`, 'owner', () => `(tid & 0x${mask.toString(16)}u) == 0u`);
  const read = range(e, target.weights, size);
  const write = range(e, source.weights, size);
  const out: string[] = new Array<string>(target.registers.length);
  // With one round, or where the round depends on the register alone, a read names its result.
  for (let round = 0; round < rounds; round++) {
    if (round > 0) e.barrier();
    values.forEach((value, r) => {
      const flat = source.registers[r]!;
      const when = write.inRound(flat, round);
      if (when === 'never') return;
      const condition = [owner, when].filter((text) => text !== undefined).join(' && ');
      const body = (): void => writeShared(e, region, type, plus(write.base, flat % size), value);
      if (condition === '') body();
      else e.writer.block(`if (${condition})`, body);
    });
    e.barrier();
    target.registers.forEach((flat, r) => {
      const when = read.inRound(flat, round);
      if (when === 'never') return;
      const element = plus(read.base, flat % size);
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

/** A round takes the elements whose flat index, divided by `size`, is its number. */
export function range(
  e: Emission,
  weights: readonly number[],
  size: number,
): {
  readonly base: string;
  /** Undefined: always; a condition on the thread; or never. */
  inRound(flat: number, round: number): string | undefined;
} {
  const high = weights.map((w) => w - (w % size));
  const mask = high.reduce((sum, w) => sum | w, 0);
  return {
    base: threadSum(
      e,
      weights.map((w) => w % size),
    ),
    inRound(flat, round) {
      const wanted = (flat - (flat % size)) ^ (round * size);
      if ((wanted & ~mask) !== 0) return 'never';
      return mask === 0 ? undefined : `${threadSum(e, high)} == ${wanted}u`;
    },
  };
}
