/**
 * The interface behind which each strategy for `tt.dot` (`4-distribute/dots/`) has its lowering:
 * the module of its name in this folder. `index.ts` has the table.
 */
import type { Operation } from '../../ir/ir';
import type { ThreadValue } from '../../ir/thread/ir';
import type { Lowering } from '../context';

export interface DotLowering {
  /** Lowers the dot and sets the registers of its result. */
  lower(t: Lowering, dot: Operation): void;
  /**
   * Lowers what stands in front of the loop for a dot in its body; undefined where nothing does, or
   * where no fragment is carried from one iteration to the next.
   */
  enterLoop?(t: Lowering, dot: Operation): CarriedFragments | undefined;
}

/** Fragments of a dot's operands that its loop carries. */
export interface CarriedFragments {
  values(): ThreadValue[];
  /** Sets what an iteration, or the code behind the loop, starts with; in the order of `values`. */
  set(values: readonly ThreadValue[]): void;
  /** Lowers what stands at the end of an iteration. */
  endIteration(): void;
}

/** The fragments of a step along K, of the left operand and of the right one. */
export interface Step {
  readonly left: readonly ThreadValue[];
  readonly right: readonly ThreadValue[];
}
/**
 * The fragments of a dot's first step, and of its last; they are one where there is but one step.
 */
export interface OverlappedSteps {
  readonly first: Step | undefined;
  readonly last: Step;
}
