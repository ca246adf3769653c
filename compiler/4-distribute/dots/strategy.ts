/**
 * A strategy for `tt.dot`: `fma`, `matrices` or `direct`. It selects a plan, the plan gives the
 * layouts, and the module of the same name in `5-threads/dot/` lowers the dot. All other code reads
 * plans, types, and attributes that state a fact of a plan (`rematerializedOperands`).
 */
import type { Attribute, Func, Operation } from '../../ir/ir';
import type { Layout } from '../../ir/layout';
import type { ThreadBits } from '../../ir/layoutAlgebra';
import type { FragmentsType, ScalarType } from '../../ir/types';
import type { MachineFacts } from '../../machine';
import type { Target } from '../../target';
import type { AxisAnalysis } from '../axis_analysis';
import type { ChoiceReasons, Choices } from '../choices';

export interface DotStrategy {
  /** Choices for a kernel all of whose dots it computes; where it cannot, why. */
  defaults(
    dots: readonly Operation[],
    facts: DotFacts,
    wanted: Partial<Choices>,
  ): DotDefaults | Refusal;
  /** A plan for the dot on this target; where the strategy does not apply, why. */
  select(
    target: Target,
    dot: Operation,
    choices: Choices,
    reasons: ChoiceReasons,
  ): DotPlan | Refusal;
  /** The plan that `select_dot_path` wrote on a dot of this strategy. */
  read(dot: Operation): DotPlan;
}
/** The strategy that takes every dot. */
export interface GeneralStrategy extends DotStrategy {
  defaults(dots: readonly Operation[], facts: DotFacts, wanted: Partial<Choices>): DotDefaults;
  select(target: Target, dot: Operation, choices: Choices, reasons: ChoiceReasons): DotPlan;
}

/**
 * The least threads where barriers are costly: a CPU's vectors have four or eight numbers, and what
 * goes beyond costs a switch a barrier.
 */
export const VECTOR_LANES = 4;

/** Inputs of the default choices. */
export interface DotFacts {
  readonly func: Func;
  readonly target: Target;
  readonly machine: MachineFacts;
  /** Threads of a subgroup, and the fewest and most of a workgroup. */
  readonly subgroup: number;
  readonly least: number;
  readonly most: number;
  /** Something behind a dot is reduced. */
  readonly reducesDot: boolean;
  /** Results of dots are also read outside of fragments. */
  readonly alsoRead: boolean;
}
export type DotDefaults = Partial<Choices> &
  Pick<Choices, 'threads'> & {
    readonly reasons?: ChoiceReasons;
    /** The most threads that the strategy can use; absent: any number. */
    readonly mostThreads?: number | undefined;
    /** The fewest that have the registers for it, and a clause that says so; absent: any number. */
    readonly fewestThreads?: { readonly threads: number; readonly why: string } | undefined;
  };

/** Why a strategy does not take a dot: a sentence without an end. */
export interface Refusal {
  readonly refused: string;
}

export interface DotPlan {
  /** The fact that makes the strategy apply. */
  readonly why: string;
  /** Attributes that `select_dot_path` writes on the dot. */
  readonly attributes: Readonly<Record<string, Attribute>>;
  /** How operands lie in workgroup memory; undefined where the dot reads them itself. */
  readonly staging: Staging | undefined;
  /** The layout of the result. */
  resultLayout(context: LayoutContext): Layout;
  /** Layouts of loads whose registers the dot reads, given its result's. */
  loadLayouts(result: Layout, axes: AxisAnalysis): ReadonlyMap<Operation, Layout>;
}

export interface LayoutContext {
  readonly threads: ThreadBits;
  readonly choices: Choices;
  /** Thread bits along M of accumulators so far, by their rows: dots of a kernel share them. */
  readonly rowThreads: Map<number, number>;
}

/** The form of a dot's operands in workgroup memory, and of its sum. */
export interface Staging {
  readonly element: ScalarType;
  /** The dimension of each operand that lies in consecutive elements. */
  readonly fastest: readonly [number, number];
  /** The shortest K slice. */
  readonly leastK: number;
  /** Operands stay narrow: threads store whole words of several elements. */
  readonly packed: boolean;
  /** The sum, if it stays in subgroup matrices; else it is in registers. */
  readonly fragments: FragmentsType | undefined;
  /** How many subgroups' blocks lie side by side along M or N; 1 without blocks. */
  blocksAlong(side: 0 | 1): number;
}
