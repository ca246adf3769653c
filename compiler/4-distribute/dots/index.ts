/** The strategies for `tt.dot`, the first that applies first. */
import type { Operation } from '../../ir/ir';
import { type DotStrategyName, strategyOf } from '../../ir/ops/dot';
import type { Target } from '../../target';
import type { ChoiceReasons, Choices } from '../choices';
import { direct } from './direct';
import { fma } from './fma';
import { matrices } from './matrices';
import type { Reason } from '../../schedule';
import type { DotDefaults, DotFacts, DotPlan, DotStrategy } from './strategy';

export type { DotDefaults, DotFacts, DotPlan, LayoutContext, Staging } from './strategy';

const STRATEGIES: Readonly<Record<DotStrategyName, DotStrategy>> = { direct, matrices, fma };
/** Tried in this order; `fma` takes the rest. */
const SPECIAL = ['direct', 'matrices'] as const;
/** Direct dots are for kernels that matrices do not compute as a whole. */
const BY_DEFAULT = ['matrices', 'direct'] as const;
/** The reasons against the strategies that come behind one that takes a kernel. */
const OTHERS: Readonly<Record<(typeof BY_DEFAULT)[number], ChoiceReasons>> = {
  matrices: { direct: { why: 'matrices take every dot of the kernel', next: null } },
  direct: {},
};

/** Choices for a kernel with dots, before a tuner's. */
export function dotDefaults(
  dots: readonly Operation[],
  facts: DotFacts,
  wanted: Partial<Choices>,
): DotDefaults {
  const refused: ChoiceReasons = {};
  for (const name of BY_DEFAULT) {
    const defaults = STRATEGIES[name].defaults(dots, facts, wanted);
    if (!('refused' in defaults))
      return { ...defaults, reasons: { ...refused, ...OTHERS[name], ...defaults.reasons } };
    refused[name] = { why: defaults.refused, next: null };
  }
  const defaults = fma.defaults(dots, facts, wanted);
  return { ...defaults, reasons: { ...refused, ...defaults.reasons } };
}

/** A dot's plan, and how it was selected. */
export interface Selected {
  readonly plan: DotPlan;
  readonly strategy: DotStrategyName;
  readonly reason: Reason;
}

/** The plan for a dot, before anything is written on it. */
export function selectPlan(
  target: Target,
  dot: Operation,
  choices: Choices,
  reasons: ChoiceReasons = {},
): Selected {
  const refusals: string[] = [];
  const plans: { readonly name: DotStrategyName; readonly plan: DotPlan }[] = [];
  for (const name of SPECIAL) {
    const plan = STRATEGIES[name].select(target, dot, choices, reasons);
    if ('refused' in plan) refusals.push(`not ${name}, as ${plan.refused}`);
    else plans.push({ name, plan });
  }
  const general = { name: 'fma', plan: fma.select(target, dot, choices, reasons) } as const;
  const [first = general, second = first === general ? null : general] = plans;
  return {
    plan: first.plan,
    strategy: first.name,
    reason: {
      why: [first.plan.why, ...refusals].join('; '),
      next: second && `${second.name}: ${second.plan.why}`,
    },
  };
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
