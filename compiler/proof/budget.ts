/**
 * Limits of what a check runs on the interpreter: operations, and elements of accesses and dots,
 * which cost more than their number.
 */
import { EnoughSeen } from '../inspect/trace';
import { FuncCompiler, type LaunchState, type Step } from '../interpret/compile';
import { accessKind } from '../ir/access';
import type { Operation } from '../ir/ir';
import { shapeOf } from '../ir/types';

/** Operations of the interpreter that one run may take, and elements of its accesses and dots. */
export const MOST_OPERATIONS = 20_000_000;
const MOST_ELEMENTS = 20_000_000;
/** Products of a dot that cost as much as an element of an access. */
const PRODUCTS = 16;

/** Ends a run by `EnoughSeen` where it goes through too many elements. */
export class BudgetedCompiler extends FuncCompiler {
  #left = MOST_ELEMENTS;

  constructor(state: LaunchState) {
    super(state);
  }

  override operation(op: Operation): Step | undefined {
    const step = this.observed(op);
    const elements = step ? elementsOf(op) : 0;
    if (!step || elements === 0) return step;
    return () => {
      this.#left -= elements;
      if (this.#left < 0) throw new EnoughSeen();
      step();
    };
  }

  /** The operation's step, for a subclass to extend. */
  protected observed(op: Operation): Step | undefined {
    return super.operation(op);
  }
}

/** Work of an operation, as far as it is counted. */
function elementsOf(op: Operation): number {
  const count = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);
  if (accessKind(op) !== null) return count(shapeOf(op.operand(0).type));
  if (op.name !== 'tt.dot') return 0;
  const inner = shapeOf(op.operand(0).type).at(-1) ?? 1;
  return (count(shapeOf(op.result.type)) * inner) / PRODUCTS;
}
