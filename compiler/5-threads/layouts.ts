/**
 * Places of a thread's registers in a tile. The part that depends on the thread is computed once,
 * in the prelude; the part that depends on the register is a constant. Arithmetic is `/ % * +`
 * rather than shifts and masks: Tint bounds those, and so leaves out its checks of workgroup
 * indices.
 */
import type { Layout } from '../ir/layout';
import { threadBases } from '../ir/layout';
import type { ThreadValue } from '../ir/thread/ir';
import type { Lowering } from './context';

/** Coordinate `dim` of register 0 of this thread: a u32, valid everywhere in the kernel. */
export function threadCoordinate(t: Lowering, layout: Layout, dim: number): ThreadValue {
  return threadSum(
    t,
    threadBases(layout).map((basis) => basis[dim] ?? 0),
  );
}

/** The sum of `weights[i]` over the bits i of the thread's number that are set. */
export function threadSum(t: Lowering, weights: readonly number[]): ThreadValue {
  if (weights.every((weight) => weight === 0)) return t.b.u32(0);
  return t.b.prelude(`sum ${weights.join(' ')}`, 'at', () => {
    const terms: ThreadValue[] = [];
    for (let i = 0; i < weights.length; i++) {
      const weight = weights[i]!;
      if (weight === 0) continue;
      let run = 1;
      while (i + run < weights.length && weights[i + run] === weight * 2 ** run) run++;
      const low = i === 0 ? t.x`tid` : t.x`tid / ${2 ** i}u`;
      // The builder drops the modulo of the highest bits: Tint bounds `tid` itself.
      const part = t.x`${low} % ${2 ** run}u`;
      terms.push(weight === 1 ? part : t.x`${part} * ${weight}u`);
      i += run - 1;
    }
    return terms.reduce((a, b) => t.x`${a} + ${b}`);
  });
}

/** Coordinate `dim` of what register `register` adds. */
export function registerCoordinate(layout: Layout, register: number, dim: number): number {
  let sum = 0;
  for (let i = 0; register >> i !== 0; i++)
    if ((register >> i) & 1) sum ^= layout.register[i]?.[dim] ?? 0;
  return sum;
}

/** `base + constant` as u32. */
export function plus(t: Lowering, base: ThreadValue, constant: number): ThreadValue {
  return constant === 0 ? base : t.x`${base} + ${constant}u`;
}
