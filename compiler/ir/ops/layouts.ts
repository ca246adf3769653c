/**
 * How layouts pass through operations (points 2, 3 and 5 of the backend contract): the type of a
 * layout rule, and the rules that several families share.
 */
import type { Operation } from '../ir';
import type { Layout } from '../layout';

/** Which layout `propagate_layouts` gives an operation. */
export type Placement =
  /** The operands and results have the layout that its access runs in. */
  | 'access'
  /** The result has the layout that anchors gave it; operands follow by `operand`. */
  | 'result'
  /** Operands stay in the layout that they have; results follow by `result`. */
  | 'operands'
  /** The result's if the operands can follow it, else the operands'. */
  | 'either'
  /** Operands share a layout; the result's is its own. */
  | 'apart'
  /** Every operand stays in the layout that it has. */
  | 'each'
  /** Its axis must run through registers, then threads, in order. */
  | 'scan'
  /** Decided by the pass that made the operation, or by the program's author. */
  | 'given';

export interface LayoutRule<A = unknown> {
  readonly placement: Placement;
  /**
   * The layout that tile operand `index` needs for the result to have `layout`; undefined where the
   * operation puts no condition on it, or cannot have it.
   */
  operand(
    op: Operation & { readonly attributes: A },
    index: number,
    layout: Layout,
  ): Layout | undefined;
  /**
   * The layout of the results when tile operand `index` has `layout`; undefined if it does not
   * tell.
   */
  result(
    op: Operation & { readonly attributes: A },
    index: number,
    layout: Layout,
  ): Layout | undefined;
  /** The operand whose layout the other operands share, whatever the results' is. */
  readonly shared?: number;
}

const same = (_op: unknown, _index: number, layout: Layout): Layout => layout;
const none = (): undefined => undefined;

/** Operands and results in one layout. */
export const sameLayout = (placement: Placement): LayoutRule => ({
  placement,
  operand: same,
  result: same,
});
/** No layout determines another. */
export const unrelated = (placement: Placement): LayoutRule => ({
  placement,
  operand: none,
  result: none,
});
