/**
 * Operands of dots in the lowering: the tiles that are rematerialized for dots, facts about their
 * addresses, and fragments that were loaded before their dot, which only `dot/` sets.
 */
import { AxisAnalysis } from '../../4-distribute/axis_analysis';
import type { Func, Operation, Value } from '../../ir/ir';
import type { OverlappedSteps } from './lowering';
import { operandsOfDots } from './rematerialized';

export class DotOperands {
  /** Tiles of any size: operands of dots, and their addresses. */
  readonly #rematerialized: ReadonlySet<Value>;
  readonly #overlapped = new Map<Operation, OverlappedSteps>();
  #axes: AxisAnalysis | undefined;

  constructor(private readonly func: Func) {
    this.#rematerialized = operandsOfDots(func);
  }

  /** Whether the operation is evaluated in the loops of dots, once in each step. */
  isRematerialized(op: Operation): boolean {
    return op.results.some((result) => this.#rematerialized.has(result));
  }
  /** Facts about addresses, computed at the first use. */
  get axes(): AxisAnalysis {
    return (this.#axes ??= new AxisAnalysis(this.func));
  }

  /** The first and last step of a dot with `overlapColumns`. */
  overlapped(dot: Operation): OverlappedSteps {
    const steps = this.#overlapped.get(dot);
    if (!steps) throw new Error('no fragments of the dot are loaded');
    return steps;
  }
  setOverlapped(dot: Operation, steps: OverlappedSteps): void {
    this.#overlapped.set(dot, steps);
  }
}
