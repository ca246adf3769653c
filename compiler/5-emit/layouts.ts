/**
 * Where a thread's registers lie in a tile, as WGSL. What depends on the thread is computed once, in
 * the kernel's prelude; what depends on the register is a constant. Arithmetic is `/ % * +` rather
 * than shifts and masks: Tint bounds those, and so leaves out its checks of workgroup indices.
 */
import type { Layout } from '../ir/layout';
import { threadBases } from '../ir/layout';
import type { Emission } from './emission';

/** Coordinate `dim` of register 0 of this thread: a u32 expression, valid everywhere in the kernel. */
export function threadCoordinate(e: Emission, layout: Layout, dim: number): string {
  return threadSum(
    e,
    threadBases(layout).map((basis) => basis[dim] ?? 0),
  );
}

/** The sum of `weights[i]` over the bits i of the thread's number that are set. */
export function threadSum(e: Emission, weights: readonly number[]): string {
  const key = `sum ${weights.join(' ')}`;
  return e.prelude(key, 'at', () => {
    const terms: string[] = [];
    for (let i = 0; i < weights.length; i++) {
      const weight = weights[i]!;
      if (weight === 0) continue;
      let run = 1;
      while (i + run < weights.length && weights[i + run] === weight * 2 ** run) run++;
      const low = i === 0 ? 'tid' : `tid / ${2 ** i}u`;
      // The highest bits need no modulo, but Tint needs it to know the bound.
      const part = `${low} % ${2 ** run}u`;
      terms.push(weight === 1 ? part : `${part} * ${weight}u`);
      i += run - 1;
    }
    return terms.length === 0 ? '0u' : terms.join(' + ');
  });
}

/** Coordinate `dim` of what register `register` adds. */
export function registerCoordinate(layout: Layout, register: number, dim: number): number {
  let sum = 0;
  layout.register.forEach((basis, i) => {
    if ((register >> i) & 1) sum ^= basis[dim] ?? 0;
  });
  return sum;
}

/** `base + constant` as u32, short where one is zero. */
export function plus(base: string, constant: number): string {
  if (constant === 0) return base;
  return base === '0u' ? `${constant}u` : `${base} + ${constant}u`;
}
