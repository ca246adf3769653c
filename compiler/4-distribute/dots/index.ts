/** The strategies for `tt.dot`, the first that applies first. */
import type { Operation } from '../../ir/ir';
import { type DotStrategyName, strategyOf } from '../../ir/ops/dot';
import type { Target } from '../../target';
import type { Choices } from '../choices';
import { direct } from './direct';
import { fma } from './fma';
import { matrices } from './matrices';
import type { DotDefaults, DotFacts, DotPlan, DotStrategy } from './strategy';

export type { DotFacts, DotPlan, LayoutContext, Staging } from './strategy';

const STRATEGIES: Readonly<Record<DotStrategyName, DotStrategy>> = { direct, matrices, fma };
/** Tried in this order; `fma` takes the rest. */
const SPECIAL = [direct, matrices] as const;
/** Direct dots are for kernels that matrices do not compute as a whole. */
const BY_DEFAULT = [matrices, direct] as const;

/** Choices for a kernel with dots, before a tuner's. */
export function dotDefaults(
  dots: readonly Operation[],
  facts: DotFacts,
  wanted: Partial<Choices>,
): DotDefaults {
  for (const strategy of BY_DEFAULT) {
    const defaults = strategy.defaults(dots, facts, wanted);
    if (defaults) return defaults;
  }
  return fma.defaults(dots, facts, wanted);
}

/** The plan for a dot, before anything is written on it. */
export function selectPlan(target: Target, dot: Operation, choices: Choices): DotPlan {
  for (const strategy of SPECIAL) {
    const plan = strategy.select(target, dot, choices);
    if (plan) return plan;
  }
  return fma.select(target, dot, choices);
}

/** The plan that `select_dot_path` wrote on the dot. */
export function planOf(dot: Operation): DotPlan {
  return STRATEGIES[strategyOf(dot)].read(dot);
}

/** Takes the plan off a dot whose sum workgroup memory does not hold: it runs on multiply-adds. */
export function withoutPlan(dot: Operation): DotPlan {
  const written = new Set(Object.keys(planOf(dot).attributes));
  dot.attributes = Object.fromEntries(
    Object.entries(dot.attributes).filter(([name]) => !written.has(name)),
  ) as typeof dot.attributes;
  return fma.read(dot);
}
