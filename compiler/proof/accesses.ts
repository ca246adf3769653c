/** The loads, stores and atomics of a function, with where they go and when they happen. */
import { accessKind, maskOf, type AccessKind } from '../ir/access';
import type { Func, Operation } from '../ir/ir';
import { walk } from '../ir/ir';
import { byteSize, elementOf, shapeOf } from '../ir/types';
import type { Evaluator, Pointer } from './evaluator';
import { both, TRUE, type Formula } from './formula';
import type { Indices } from './indices';
import { pathTo } from './surroundings';
import { Poly } from './polynomial';

export interface Access {
  readonly op: Operation;
  readonly kind: AccessKind;
  /** Null where it is not known where the pointer comes from. */
  readonly pointer: Pointer | null;
  /** Bytes of an element. */
  readonly size: number;
  /** A condition that holds where an element is accessed. */
  readonly when: Formula;
  /** Positions in the tile, one atom a dimension. */
  readonly lanes: Indices;
}

export function accessesOf(func: Func): Operation[] {
  const found: Operation[] = [];
  walk(func.body, (op) => {
    if (accessKind(op) !== null) found.push(op);
  });
  return found;
}

export function evaluateAccess(cx: Evaluator, op: Operation): Access {
  const pointer = op.operand(0);
  const element = elementOf(pointer.type);
  const lanes = shapeOf(pointer.type).map((size, d) => {
    if (size === 1) return Poly.ZERO;
    const options = { low: 0, high: size - 1 };
    return cx.arithmetic.terms.make(`lane ${d} of ${size}`, `lane ${d}`, options).poly;
  });
  const mask = maskOf(op);
  const scalar = mask && shapeOf(mask.type).length === 0;
  const masked = mask ? cx.truth(mask, scalar ? [] : lanes) : TRUE;
  return {
    op,
    kind: accessKind(op)!,
    pointer: cx.pointer(pointer, lanes),
    size: element.kind === 'pointer' ? byteSize(element.pointee) : 1,
    when: both(masked, pathTo(cx, op)),
    lanes,
  };
}
