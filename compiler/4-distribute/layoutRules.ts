/**
 * How layouts pass through operations (points 2, 3 and 5 of the backend contract): which pairs of
 * values of an operation are the same registers under other coordinates, and which operations are
 * cheap enough to be computed again in a second layout instead of being converted.
 */
import type { Block, Operation, Value } from '../ir/ir';
import type { Layout } from '../ir/layout';
import {
  concatenated,
  dropDim,
  insertDim,
  joined,
  reshaped,
  restrictTo,
  transposed,
  withoutRegister,
} from '../ir/layoutAlgebra';
import { hasTrait, type OpName } from '../ir/ops';
import { shapeOf } from '../ir/types';

export const isTile = (value: Value): boolean => value.type.kind === 'tensor';
export const layoutOf = (value: Value): Layout | undefined =>
  value.type.kind === 'tensor' ? value.type.layout : undefined;
export function setLayout(value: Value, layout: Layout): void {
  if (value.type.kind === 'tensor') value.type = { ...value.type, layout };
}

/** Whether a reduction's partial results go through workgroup memory: its axis runs over subgroups. */
export function crossesSubgroups(op: Operation): boolean {
  const axis = Number(op.attributes['axis'] ?? 0);
  return layoutOf(op.operand(0))?.subgroup.some((basis) => (basis[axis] ?? 0) !== 0) ?? false;
}

/** Operations that compute nothing: what a thread has of their results it has already, or knows. */
export const CHEAP_SHAPE_OPS: ReadonlySet<OpName> = new Set<OpName>([
  'arith.constant',
  'tt.make_range',
  'tt.splat',
  'tt.broadcast',
  'tt.expand_dims',
  'tt.reshape',
  'tt.trans',
]);
/** Elementwise operations that cost too much to do twice. */
const COSTLY = /^math\.|^arith\.(divf|remf)$|^tt\.precise/;

/** Values that are recomputed in any layout: functions of ranges, constants and scalars. */
export class CheapValues {
  readonly #known = new Map<Value, boolean>();
  has(value: Value): boolean {
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const op = value.definition;
    const cheap =
      op !== undefined &&
      op.results.length === 1 &&
      (CHEAP_SHAPE_OPS.has(op.name) ||
        (hasTrait(op.name, 'elementwise') && !COSTLY.test(op.name))) &&
      op.operands.every((operand) => !isTile(operand) || this.has(operand));
    this.#known.set(value, cheap);
    return cheap;
  }
  add(value: Value): void {
    this.#known.set(value, true);
  }
}

/** `order` undone: transposing by it takes a result's layout back to the operand's. */
export function inverseOrder(order: readonly number[]): number[] {
  const inverse: number[] = [];
  order.forEach((from, to) => (inverse[from] = to));
  return inverse;
}
/** The vector of the last dimension's only bit (join, split) or of an axis's highest bit (cat). */
export function lastBit(shape: readonly number[]): number[] {
  return shape.map((_, d) => (d === shape.length - 1 ? 1 : 0));
}
export function highBit(shape: readonly number[], axis: number): number[] {
  return shape.map((size, d) => (d === axis ? size / 2 : 0));
}

/**
 * The layout that tile operand `index` needs for the result to have `layout`; undefined where the
 * operation puts no condition on it, or cannot have it.
 */
export function operandLayout(op: Operation, index: number, layout: Layout): Layout | undefined {
  const operand = op.operand(index);
  const shape = shapeOf(operand.type);
  switch (op.name) {
    case 'tt.broadcast':
      return restrictTo(layout, shape);
    case 'tt.expand_dims':
      return dropDim(layout, Number(op.attributes['axis']));
    case 'tt.trans':
      return transposed(layout, inverseOrder(op.attributes['order'] as readonly number[]));
    case 'tt.reshape':
      return reshaped(layout, shapeOf(op.result.type), shape);
    case 'tt.join':
      return dropLast(withoutRegister(layout, lastBit(shapeOf(op.result.type))));
    case 'tt.cat': {
      const result = shapeOf(op.result.type);
      return withoutRegister(layout, highBit(result, Number(op.attributes['axis'])));
    }
    case 'tt.load':
    case 'tt.atomic_rmw':
    case 'tt.atomic_cas':
      return layout;
    case 'tt.scan':
    case 'tt.map_elementwise':
      return layout;
    case 'tt.split':
      return joined(layout);
    case 'tt.gather':
      return index === 1 ? layout : undefined;
    case 'tt.dot':
      return index === 2 ? layout : undefined;
    default:
      return hasTrait(op.name, 'elementwise') ? layout : undefined;
  }
}
/** The layout of the results when tile operand `index` has `layout`; undefined if it does not tell. */
export function resultLayout(op: Operation, index: number, layout: Layout): Layout | undefined {
  switch (op.name) {
    case 'tt.expand_dims':
      return insertDim(layout, Number(op.attributes['axis']));
    case 'tt.trans':
      return transposed(layout, op.attributes['order'] as readonly number[]);
    case 'tt.reshape':
      return reshaped(layout, shapeOf(op.operand(0).type), shapeOf(op.result.type));
    case 'tt.join':
      return joined(layout);
    case 'tt.split':
      return dropLast(withoutRegister(layout, lastBit(shapeOf(op.operand(0).type))));
    case 'tt.cat': {
      return concatenated(layout, shapeOf(op.operand(0).type), Number(op.attributes['axis']));
    }
    case 'tt.reduce':
      return dropDim(layout, Number(op.attributes['axis']));
    case 'tt.broadcast':
    case 'tt.histogram':
      return undefined;
    default:
      return operandLayout(op, index, layout);
  }
}
function dropLast(layout: Layout | undefined): Layout | undefined {
  const rank = (layout?.register[0] ?? layout?.lane[0] ?? layout?.subgroup[0])?.length;
  return layout && rank !== undefined ? dropDim(layout, rank - 1) : undefined;
}

/** Two values of which one's layout tells the other's. */
export interface Relation {
  readonly from: Value;
  readonly to: Value;
  readonly forward: (layout: Layout) => Layout | undefined;
  readonly backward: (layout: Layout) => Layout | undefined;
}

const same = (layout: Layout): Layout => layout;
function pair(from: Value | undefined, to: Value | undefined): Relation[] {
  return from && to && isTile(from) && isTile(to)
    ? [{ from, to, forward: same, backward: same }]
    : [];
}

/** All relations that an operation makes, control flow included. */
export function relationsOf(op: Operation): Relation[] {
  const yields = (block: Block): readonly Value[] => block.terminator.operands;
  switch (op.name) {
    case 'scf.for': {
      const body = op.region(0);
      return op.results.flatMap((result, i) => {
        const arg = body.args[i + 1];
        return [
          ...pair(op.operand(i + 3), arg),
          ...pair(arg, yields(body)[i]),
          ...pair(arg, result),
        ];
      });
    }
    case 'scf.while': {
      const [before, after] = [op.region(0), op.region(1)];
      const forwarded = yields(before).slice(1);
      return [
        ...before.args.flatMap((arg, i) => [
          ...pair(op.operand(i), arg),
          ...pair(yields(after)[i], arg),
        ]),
        ...forwarded.flatMap((value, i) => [
          ...pair(value, after.args[i]),
          ...pair(value, op.results[i]),
        ]),
      ];
    }
    case 'scf.if':
      return op.results.flatMap((result, i) =>
        op.regions.flatMap((region) => pair(yields(region)[i], result)),
      );
    case 'tt.store':
      return [...pair(op.operand(1), op.operand(0)), ...pair(op.operand(1), op.operands[2])];
    default: {
      const relations: Relation[] = [];
      op.operands.forEach((operand, index) => {
        if (!isTile(operand)) return;
        for (const result of op.results) {
          if (!isTile(result)) continue;
          relations.push({
            from: operand,
            to: result,
            forward: (layout) => resultLayout(op, index, layout),
            backward: (layout) =>
              op.name === 'tt.reduce' || op.name === 'tt.histogram'
                ? undefined
                : operandLayout(op, index, layout),
          });
        }
        // Operands of one reduction or map share a layout.
        const together = op.name === 'tt.reduce' || op.name === 'tt.map_elementwise';
        if (together && index > 0) relations.push(...pair(op.operand(0), operand));
      });
      return relations;
    }
  }
}
