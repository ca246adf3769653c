/** Which element of its operand an operation on shapes takes for an element of its result. */
import type { Operation, Value } from '../ir/ir';
import { rowMajorStrides, shapeOf } from '../ir/types';
import type { Arithmetic } from './arithmetic';
import { Poly } from './polynomial';

export type Indices = readonly Poly[];

export interface Place {
  readonly value: Value;
  readonly indices: Indices;
}

/**
 * The element that an operation hands on; several where one of its operands is chosen by the
 * position. Undefined for other operations.
 */
export function sourceOf(
  result: Value,
  op: Operation,
  indices: Indices,
  arithmetic: Arithmetic,
): Place | readonly Place[] | undefined {
  const x = op.operands[0];
  switch (op.name) {
    case 'tt.splat':
      return { value: x!, indices: [] };
    case 'tt.unsplat':
      return { value: x!, indices: shapeOf(x!.type).map(() => Poly.ZERO) };
    case 'tt.broadcast':
      return {
        value: x!,
        indices: shapeOf(x!.type).map((size, d) => (size === 1 ? Poly.ZERO : indices[d]!)),
      };
    case 'tt.expand_dims':
      return { value: x!, indices: indices.filter((_, d) => d !== op.attributes['axis']) };
    case 'tt.trans': {
      const order = op.attributes['order'] as readonly number[];
      return { value: x!, indices: order.map((_, d) => indices[order.indexOf(d)]!) };
    }
    case 'tt.reshape': {
      if (op.attributes['allowReorder'] === true) return undefined;
      const found = reshaped(shapeOf(op.result.type), shapeOf(x!.type), indices, arithmetic);
      return found && { value: x!, indices: found };
    }
    case 'tt.join': {
      const half = indices.at(-1)!.asConstant;
      const places = op.operands.map((value) => ({ value, indices: indices.slice(0, -1) }));
      return half === undefined ? places : places[half];
    }
    case 'tt.split': {
      const half = Poly.constant(op.results.indexOf(result));
      return { value: x!, indices: [...indices, half] };
    }
    default:
      return undefined;
  }
}

/** The indices of the same element, in row-major order, under another shape. */
function reshaped(
  from: readonly number[],
  to: readonly number[],
  indices: Indices,
  arithmetic: Arithmetic,
): Indices | undefined {
  const strides = rowMajorStrides(from);
  let rest = indices.reduce((sum, index, d) => sum.plus(index.times(strides[d]!)), Poly.ZERO);
  const found: Poly[] = [];
  for (const stride of rowMajorStrides(to)) {
    const parts = arithmetic.floorDivide(rest, Poly.constant(stride));
    if (!parts) return undefined;
    found.push(parts.quotient);
    rest = parts.remainder;
  }
  return found;
}
