/**
 * tt.gather and tt.histogram. A gather lays its source into workgroup memory, as much at a time as its
 * scratch holds, and every thread picks from it. A histogram counts with atomics in workgroup memory.
 */
import type { Operation } from '../ir/ir';
import { registerCount, threadBases } from '../ir/layout';
import { shapeOf } from '../ir/types';
import { flatten, range, rowMajorStrides } from './convertLayout';
import { dtypeOfValue, layoutOf, numberAttribute } from './emission';
import type { Emission } from './emission';
import { plus, registerCoordinate, threadCoordinate, threadSum } from './layouts';
import { ownerCondition } from './memory';
import { zeroOf } from './registers';
import { readShared, wordsOf, writeShared } from './scratch';

export function emitGather(e: Emission, op: Operation): void {
  const [source, indices] = [op.operand(0), op.operand(1)];
  const axis = numberAttribute(op, 'axis') ?? 0;
  const shape = shapeOf(source.type);
  const strides = rowMajorStrides(shape);
  const type = e.registerTypeOf(source);
  const total = shape.reduce((a, b) => a * b, 1);
  const scratch = numberAttribute(op, 'scratch') ?? 0;
  const capacity = (numberAttribute(op, 'scratchBytes') ?? total * 8) / (4 * wordsOf(type));
  const size = Math.min(total, 2 ** Math.floor(Math.log2(capacity)));
  e.needBytes(scratch + size * 4 * wordsOf(type));
  const region = { first: scratch / 4, stride: size };

  // Where each register of the result looks: its own coordinates, with the index along the axis.
  const layout = layoutOf(op.result);
  const rest = (at: (d: number) => number): number =>
    strides.reduce((sum, stride, d) => sum + (d === axis ? 0 : stride * at(d)), 0);
  const base = threadSum(
    e,
    threadBases(layout).map((basis) => rest((d) => basis[d] ?? 0)),
  );
  const wide = dtypeOfValue(indices) === 'i64';
  const picks = e.registers(indices).map((index, r) => {
    const own = plus(
      base,
      rest((d) => registerCoordinate(layout, r, d)),
    );
    return e.let('pick', `${own} + ${wide ? `${index}.x` : `u32(${index})`} * ${strides[axis]}u`);
  });
  const flat = flatten(layoutOf(source), shape);
  const write = range(e, flat.weights, size);
  const owner = ownerCondition(e, source);
  const values = e.registers(source);
  const hint = e.hint(op.result);
  const rounds = total / size;
  const out = picks.map(() => (rounds === 1 ? '' : e.variable(hint, type, zeroOf(type))));
  for (let round = 0; round < rounds; round++) {
    if (round > 0) e.barrier();
    values.forEach((value, r) => {
      const at = flat.registers[r]!;
      const when = write.inRound(at, round);
      if (when === 'never') return;
      const condition = [owner, when].filter((text) => text !== undefined).join(' && ');
      const body = (): void => writeShared(e, region, type, plus(write.base, at % size), value);
      if (condition === '') body();
      else e.writer.block(`if (${condition})`, body);
    });
    e.barrier();
    picks.forEach((pick, r) => {
      if (rounds === 1) out[r] = readShared(e, region, type, `${pick} % ${size}u`, hint);
      else {
        e.writer.block(`if (${pick} / ${size}u == ${round}u)`, () => {
          e.writer.line(`${out[r]} = ${readShared(e, region, type, `${pick} % ${size}u`)};`);
        });
      }
    });
  }
  e.setRegisters(op.result, out);
}

/** The counters, by the largest round of any histogram in the kernel. */
const COUNTERS = 'histogram_counts';

export function emitHistogram(e: Emission, op: Operation): void {
  const x = op.operand(0);
  const bins = shapeOf(op.result.type)[0] ?? 1;
  const bytes = numberAttribute(op, 'scratchBytes') ?? bins * 4;
  const size = Math.min(bins, 2 ** Math.floor(Math.log2(bytes / 4)));
  e.histogramWords = Math.max(e.histogramWords, size);
  e.workgroupVariable(COUNTERS, `array<atomic<u32>, ${e.histogramWords}>`);
  const values = e.registers(x);
  const dtype = dtypeOfValue(x);
  const masks = op.operands[1] && e.registers(op.operands[1]);
  const owner = ownerCondition(e, x);
  const layout = layoutOf(op.result);
  const base = threadCoordinate(e, layout, 0);
  const hint = e.hint(op.result);
  const rounds = bins / size;
  const out = Array.from({ length: registerCount(layout) }, () =>
    rounds === 1 ? '' : e.variable(hint, 'i32', '0i'),
  );
  // The counters are in workgroup memory, wherever the exchange is.
  const barrier = (): void => e.writer.line('workgroupBarrier();');
  for (let round = 0; round < rounds; round++) {
    if (round > 0) barrier();
    for (let i = 0; i < size; i += e.threads) {
      const clear = `atomicStore(&${COUNTERS}[${plus('tid', i)}], 0u);`;
      e.writer.line(size < e.threads ? `if (tid < ${size}u) { ${clear} }` : clear);
    }
    barrier();
    values.forEach((value, r) => {
      const bin = e.let(
        'bin',
        `${dtype === 'i64' ? `${value}.x` : `u32(${value})`} - ${round * size}u`,
      );
      const conditions = [
        owner,
        masks?.[r],
        `${bin} < ${size}u`,
        dtype === 'i64' ? `${value}.y == 0u` : undefined,
      ].filter((text) => text !== undefined);
      e.writer.line(
        `if (${conditions.map((each) => `(${each})`).join(' & ')}) { atomicAdd(&${COUNTERS}[${bin}], 1u); }`,
      );
    });
    barrier();
    out.forEach((register, r) => {
      const at = plus(base, registerCoordinate(layout, r, 0));
      const read = `i32(atomicLoad(&${COUNTERS}[(${at}) % ${size}u]))`;
      if (rounds === 1) out[r] = e.let(hint, read);
      else e.writer.line(`if ((${at}) / ${size}u == ${round}u) { ${register} = ${read}; }`);
    });
  }
  e.setRegisters(op.result, out);
}
