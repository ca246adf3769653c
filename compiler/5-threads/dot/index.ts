/** The lowering of `tt.dot`: each strategy's own, by the name that `select_dot_path` wrote. */
import type { Operation } from '../../ir/ir';
import { type DotStrategyName, strategyOf } from '../../ir/ops/dot';
import type { Lowering } from '../context';
import { direct } from './direct';
import { fma } from './fma';
import type { CarriedFragments, DotLowering } from './lowering';
import { matrices } from './matrices';

const LOWERINGS: Readonly<Record<DotStrategyName, DotLowering>> = { fma, matrices, direct };
const loweringOf = (dot: Operation): DotLowering => LOWERINGS[strategyOf(dot)];

export function lowerDot(t: Lowering, dot: Operation): void {
  loweringOf(dot).lower(t, dot);
}

/** Lowers what stands in front of a loop for the dots in it, in their order. */
export function enterLoop(t: Lowering, loop: Operation): CarriedFragments[] {
  const dots = loop.region(0).ops.filter(({ name }) => name === 'tt.dot');
  return dots.flatMap((dot) => loweringOf(dot).enterLoop?.(t, dot) ?? []);
}
