/**
 * tt.gather and tt.histogram. A gather lays its source into workgroup memory, as much at a time as its
 * scratch holds, and every thread picks from it. A histogram counts with atomics in workgroup memory.
 */
import type { Operation } from '../../ir/ir';
import { registerCount, threadBases } from '../../ir/layout';
import { rowMajorStrides, shapeOf } from '../../ir/types';
import { dtypeOfValue, layoutOf, numberAttribute } from '../emission';
import type { Emission } from '../emission';
import { plus, registerCoordinate, threadCoordinate, threadSum } from '../layouts';
import { ownerCondition } from '../memory/memory';
import { Rounds } from './rounds';

export function emitGather(e: Emission, op: Operation): void {
  const [source, indices] = [op.operand(0), op.operand(1)];
  const axis = numberAttribute(op, 'axis') ?? 0;
  const shape = shapeOf(source.type);
  const strides = rowMajorStrides(shape);
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
  const out = new Rounds(e, op, source).pick(picks, e.hint(op.result));
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
  for (let round = 0; round < rounds; round++) {
    if (round > 0) e.barrier();
    for (let i = 0; i < size; i += e.threads) {
      const clear = `atomicStore(&${COUNTERS}[${plus('tid', i)}], 0u);`;
      e.writer.line(size < e.threads ? `if (tid < ${size}u) { ${clear} }` : clear);
    }
    e.barrier();
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
    e.barrier();
    out.forEach((register, r) => {
      const at = plus(base, registerCoordinate(layout, r, 0));
      const read = `i32(atomicLoad(&${COUNTERS}[(${at}) % ${size}u]))`;
      if (rounds === 1) out[r] = e.let(hint, read);
      else e.writer.line(`if ((${at}) / ${size}u == ${round}u) { ${register} = ${read}; }`);
    });
  }
  e.setRegisters(op.result, out);
}
