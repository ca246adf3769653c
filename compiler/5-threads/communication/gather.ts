/**
 * tt.gather and tt.histogram. A gather writes its source into the shared words, as much at a time
 * as its scratch holds, and every thread picks from it. A histogram counts with atomics in
 * workgroup memory.
 */
import type { Operation } from '../../ir/ir';
import { registerCount, threadBases } from '../../ir/layout';
import type { ThreadValue } from '../../ir/thread/ir';
import { rowMajorStrides, shapeOf } from '../../ir/types';
import { dtypeOfValue, layoutOf, numberAttribute } from '../context';
import type { Lowering } from '../context';
import { plus, registerCoordinate, threadCoordinate, threadSum } from '../layouts';
import { ownerCondition } from '../owners';
import { Chunks } from './chunks';

export function lowerGather(t: Lowering, op: Operation): void {
  const [source, indices] = [op.operand(0), op.operand(1)];
  const axis = numberAttribute(op, 'axis') ?? 0;
  const strides = rowMajorStrides(shapeOf(source.type));
  // Each register of the result looks at its own coordinates, with the index along the axis.
  const layout = layoutOf(op.result);
  const rest = (at: (d: number) => number): number =>
    strides.reduce((sum, stride, d) => sum + (d === axis ? 0 : stride * at(d)), 0);
  const base = threadSum(
    t,
    threadBases(layout).map((basis) => rest((d) => basis[d] ?? 0)),
  );
  const wide = dtypeOfValue(indices) === 'i64';
  const picks = t.registers(indices).map((index, r) => {
    const own = plus(
      t,
      base,
      rest((d) => registerCoordinate(layout, r, d)),
    );
    const word = wide ? t.x`${index}.x` : t.x`u32(${index})`;
    return t.let('pick', t.x`${own} + ${word} * ${strides[axis]!}u`);
  });
  t.setRegisters(op.result, new Chunks(t, op, source).pick(picks, t.hint(op.result)));
}

export function lowerHistogram(t: Lowering, op: Operation): void {
  const { b } = t;
  const x = op.operand(0);
  const bins = shapeOf(op.result.type)[0] ?? 1;
  const bytes = numberAttribute(op, 'scratchBytes') ?? bins * 4;
  const size = Math.min(bins, 2 ** Math.floor(Math.log2(bytes / 4)));
  const counters = t.shared.histogramCounters(size);
  const values = t.registers(x);
  const wide = dtypeOfValue(x) === 'i64';
  const masks = op.operands[1] && t.registers(op.operands[1]);
  const owner = ownerCondition(t, x);
  const layout = layoutOf(op.result);
  const base = threadCoordinate(t, layout, 0);
  const hint = t.hint(op.result);
  const chunks = bins / size;
  const out = Array.from({ length: registerCount(layout) }, () => b.i32(0));
  for (let chunk = 0; chunk < chunks; chunk++) {
    if (chunk > 0) t.shared.barrier();
    for (let i = 0; i < size; i += t.threads)
      t.when(size < t.threads ? t.x`tid < ${size}u` : undefined, () =>
        b.store(counters, plus(t, b.threadId(), i), b.u32(0)),
      );
    t.shared.barrier();
    values.forEach((value, r) => {
      const word = wide ? t.x`${value}.x` : t.x`u32(${value})`;
      const bin = t.let('bin', t.x`${word} - ${chunk * size}u`);
      const small = wide ? t.x`${value}.y == 0u` : undefined;
      t.when(t.every([owner, masks?.[r], t.x`${bin} < ${size}u`, small]), () =>
        b.create('thread.atomic_rmw', [counters, bin, b.u32(1)], { attributes: { kind: 'add' } }),
      );
    });
    t.shared.barrier();
    out.forEach((register, r) => {
      const at = plus(t, base, registerCoordinate(layout, r, 0));
      const read = (): ThreadValue => t.x`i32(${b.load(counters, t.x`${at} % ${size}u`)})`;
      out[r] =
        chunks === 1
          ? t.let(hint, read())
          : b.if(
              t.x`${at} / ${size}u == ${chunk}u`,
              () => [read()],
              () => [register],
              [hint],
            )[0]!;
    });
  }
  t.setRegisters(op.result, out);
}
