/** Operations that change the shape of tiles, or the order of their elements. */
import type { Operation } from '../ir';
import type { Layout } from '../layout';
import {
  concatenated,
  dropDim,
  insertDim,
  joined,
  reshaped,
  restrictTo,
  transposed,
  withoutRegister,
} from '../layoutAlgebra';
import { sameElement } from '../sameType';
import { Tile, elementAt, fillTile, gatherTile, repeatTile, setElement } from '../tile';
import { broadcastIndices, broadcastRun, splitAxis, transposeIndices } from '../tileIndices';
import { elementCount, elementOf, shapeOf, tensor } from '../types';
import { divisibilityAt, nothingKnown, rankOf, spread, type AxisInfo } from './axis';
import { flag, integer, integers, optional } from './attributes';
import type { Definitions, NoAttributes, TileOp } from './definition';
import { unrelated } from './layouts';
import type { Step, TileMachine } from './machine';
import { eitherRange, sameRange } from './range';
import { need, sameOperands, stated } from './rules';

type Axis = { readonly axis: number };
export interface ShapeOps {
  'tt.splat': NoAttributes;
  'tt.unsplat': NoAttributes;
  'tt.broadcast': NoAttributes;
  'tt.expand_dims': Axis;
  'tt.reshape': { readonly allowReorder?: boolean };
  'tt.trans': { readonly order: readonly number[] };
  'tt.join': NoAttributes;
  'tt.split': NoAttributes;
  'tt.cat': Axis;
}

const SHAPE = {
  kind: 'tile',
  operands: ['x'],
  results: 1,
  attributes: {},
  cost: () => undefined,
} as const satisfies Partial<TileOp<unknown>>;
const JOINED = {
  ...SHAPE,
  operands: ['lhs', 'rhs'],
  axis: nothingKnown,
  range: eitherRange,
} as const;

/** `order` undone: transposing by it takes a result's layout back to the operand's. */
function inverseOrder(order: readonly number[]): number[] {
  const inverse: number[] = [];
  order.forEach((from, to) => (inverse[from] = to));
  return inverse;
}
/** The vector of the last dimension's only bit (join, split) or of an axis's highest bit (cat). */
function lastBit(shape: readonly number[]): number[] {
  return shape.map((_, d) => (d === shape.length - 1 ? 1 : 0));
}
function highBit(shape: readonly number[], axis: number): number[] {
  return shape.map((size, d) => (d === axis ? size / 2 : 0));
}
/**
 * The layout of the half of a tile of this shape; undefined where a thread bit holds the last
 * dimension.
 */
function halved(layout: Layout, shape: readonly number[]): Layout | undefined {
  const kept = withoutRegister(layout, lastBit(shape));
  return kept && dropDim(kept, shape.length - 1);
}

function gather(machine: TileMachine, op: Operation, indices: Int32Array): Step {
  const out = machine.define(op.result, true);
  const x = machine.tile(op.operand(0));
  return () => gatherTile(out, x, indices);
}
/** From a buffer with one operand after the other. */
function gatherTwo(machine: TileMachine, op: Operation, indices: Int32Array): Step {
  const [a, b] = [machine.tile(op.operand(0)), machine.tile(op.operand(1))];
  const out = machine.define(op.result, true);
  const both = new Tile(a.dtype, 2 * a.count);
  return () => {
    both.wide = a.wide || b.wide;
    if (both.wide) {
      for (let i = 0; i < a.count; i++) {
        setElement(both, i, elementAt(a, i));
        setElement(both, a.count + i, elementAt(b, i));
      }
    } else {
      both.data.set(a.data);
      both.data.set(b.data, a.count);
    }
    gatherTile(out, both, indices);
  };
}
/** The facts along each dimension, picked or moved. */
function along(x: AxisInfo, move: (list: readonly number[]) => number[]): AxisInfo {
  return {
    ...x,
    contiguity: move(x.contiguity),
    divisibility: move(x.divisibility),
    constancy: move(x.constancy),
  };
}
const everywhere = (x: AxisInfo): number =>
  Math.min(...x.divisibility.map((_, d) => divisibilityAt(x, d, 1)));

export const SHAPE_OPS: Definitions<ShapeOps> = {
  'tt.splat': {
    ...SHAPE,
    doc: 'A tile with the scalar {x} everywhere.',
    type: {
      infer: stated,
      check: ({ operands: [x] }, [type]) =>
        need(
          shapeOf(x!).length === 0 &&
            type!.kind === 'tensor' &&
            sameElement(elementOf(x!), elementOf(type!)),
          'a scalar to a tile of it',
        ),
    },
    rearranges: true,
    free: true,
    interpret: (machine, op) => {
      const out = machine.define(op.result, true);
      const x = machine.tile(op.operand(0));
      return () => fillTile(out, x, out.count);
    },
    layout: unrelated('result'),
    axis: (op, [x]) => {
      const shape = rankOf(op.result);
      return x && { ...spread(x, shape), constancy: shape };
    },
    range: sameRange,
  },
  'tt.unsplat': {
    ...SHAPE,
    doc: 'The only element of a tile of one element.',
    type: {
      infer: ({ operands }) => [elementOf(operands[0]!)],
      check: ({ operands: [x] }) =>
        need(
          shapeOf(x!).every((size) => size === 1),
          'needs one element',
        ),
    },
    rearranges: true,
    renames: () => true,
    interpret: () => undefined,
    layout: unrelated('each'),
    axis: (_, [x]) =>
      x && { ...x, contiguity: [1], divisibility: [x.divisibility[0]!], constancy: [1] },
    range: sameRange,
  },
  'tt.broadcast': {
    ...SHAPE,
    doc: 'Repeats {x} along its dimensions of size 1 to the shape of the result.',
    type: {
      infer: stated,
      check: ({ operands: [x] }, [type]) => {
        const [from, to] = [shapeOf(x!), shapeOf(type!)];
        return need(
          from.length === to.length &&
            from.every((size, i) => size === to[i] || size === 1) &&
            sameElement(elementOf(x!), elementOf(type!)),
          'only dimensions of size 1 grow',
        );
      },
    },
    rearranges: true,
    free: true,
    interpret: (machine, op) => {
      const [from, to] = [shapeOf(op.operand(0).type), shapeOf(op.result.type)];
      const run = broadcastRun(from, to);
      if (!run) return gather(machine, op, broadcastIndices(from, to));
      const x = machine.tile(op.operand(0));
      const out = machine.define(op.result, true);
      return () => repeatTile(out, x, run);
    },
    layout: {
      placement: 'result',
      operand: (op, _, layout) => restrictTo(layout, shapeOf(op.operand(0).type)),
      result: () => undefined,
    },
    axis: (op, [x]) => {
      if (!x) return undefined;
      const [from, shape] = [rankOf(op.operand(0)), rankOf(op.result)];
      return {
        ...x,
        contiguity: x.contiguity.map((c, d) => (from[d] === shape[d] ? c : 1)),
        constancy: x.constancy.map((c, d) => (from[d] === shape[d] ? c : shape[d]!)),
      };
    },
    range: sameRange,
  },
  'tt.expand_dims': {
    ...SHAPE,
    doc: 'Inserts a dimension of size 1 at {axis}.',
    attributes: { axis: integer },
    type: {
      infer: ({ operands, attributes }) => {
        const shape = [...shapeOf(operands[0]!)];
        shape.splice(attributes.axis, 0, 1);
        return [tensor(shape, elementOf(operands[0]!))];
      },
    },
    rearranges: true,
    renames: () => true,
    free: true,
    interpret: () => undefined,
    layout: {
      placement: 'operands',
      operand: (op, _, layout) => dropDim(layout, op.attributes.axis),
      result: (op, _, layout) => insertDim(layout, op.attributes.axis),
    },
    axis: (op, [x]) => {
      if (!x) return undefined;
      const { axis } = op.attributes;
      const insert = (list: readonly number[], value: number): number[] => [
        ...list.slice(0, axis),
        value,
        ...list.slice(axis),
      ];
      return {
        ...x,
        contiguity: insert(x.contiguity, 1),
        divisibility: insert(x.divisibility, everywhere(x)),
        constancy: insert(x.constancy, 1),
      };
    },
    range: sameRange,
  },
  'tt.reshape': {
    ...SHAPE,
    doc: 'The elements in row-major order under another shape.',
    attributes: { allowReorder: optional(flag) },
    type: {
      infer: stated,
      check: ({ operands: [x] }, [type]) =>
        need(
          elementCount(x!) === elementCount(type!) && sameElement(elementOf(x!), elementOf(type!)),
          'the number of elements changes',
        ),
    },
    rearranges: true,
    renames: () => true,
    free: true,
    interpret: () => undefined,
    layout: {
      placement: 'operands',
      operand: (op, _, layout) =>
        reshaped(layout, shapeOf(op.result.type), shapeOf(op.operand(0).type)),
      result: (op, _, layout) =>
        reshaped(layout, shapeOf(op.operand(0).type), shapeOf(op.result.type)),
    },
    axis: (op, [x]) => {
      if (!x) return undefined;
      const shape = rankOf(op.result);
      const from = x.contiguity.length - 1;
      const to = shape.length - 1;
      const run = Math.min(x.contiguity[from]!, shape[to]!);
      const last = (value: number, other: number): number[] =>
        shape.map((_, d) => (d === to ? value : other));
      return {
        ...x,
        contiguity: last(run, 1),
        divisibility: last(divisibilityAt(x, from, run), everywhere(x)),
        constancy: last(Math.min(x.constancy[from]!, shape[to]!), 1),
      };
    },
    range: sameRange,
  },
  'tt.trans': {
    ...SHAPE,
    doc: 'Permutes dimensions: dimension i of the result is dimension {order}[i] of {x}.',
    attributes: { order: integers },
    type: {
      infer: ({ operands, attributes }) => {
        const shape = shapeOf(operands[0]!);
        const permuted = attributes.order.map((i) => shape[i]!);
        return [tensor(permuted, elementOf(operands[0]!))];
      },
      check: ({ operands, attributes: { order } }) => {
        const rank = shapeOf(operands[0]!).length;
        return need(
          order.length === rank &&
            new Set(order).size === rank &&
            order.every((i) => i >= 0 && i < rank),
          'order is not a permutation',
        );
      },
    },
    rearranges: true,
    free: true,
    interpret: (machine, op) =>
      gather(machine, op, transposeIndices(shapeOf(op.operand(0).type), op.attributes.order)),
    layout: {
      placement: 'operands',
      operand: (op, _, layout) => transposed(layout, inverseOrder(op.attributes.order)),
      result: (op, _, layout) => transposed(layout, op.attributes.order),
    },
    axis: (op, [x]) => x && along(x, (list) => op.attributes.order.map((d) => list[d]!)),
    range: sameRange,
  },
  'tt.join': {
    ...JOINED,
    doc: 'Two tiles along a new last dimension of size 2.',
    type: {
      infer: ({ operands: [x] }) => [tensor([...shapeOf(x!), 2], elementOf(x!))],
      check: sameOperands,
    },
    interpret: (machine, op) => {
      const n = elementCount(op.operand(0).type);
      const indices = Int32Array.from({ length: 2 * n }, (_, i) => (i >> 1) + (i & 1) * n);
      return gatherTwo(machine, op, indices);
    },
    layout: {
      placement: 'either',
      operand: (op, _, layout) => halved(layout, shapeOf(op.result.type)),
      result: (op, _, layout) => joined(layout, shapeOf(op.operand(0).type).length),
    },
  },
  'tt.split': {
    ...SHAPE,
    results: 2,
    doc: 'The two halves of a last dimension of size 2.',
    type: {
      infer: ({ operands: [x] }) => {
        const half = tensor(shapeOf(x!).slice(0, -1), elementOf(x!));
        return [half, half];
      },
      check: ({ operands: [x] }) => need(shapeOf(x!).at(-1) === 2, 'the last dimension must be 2'),
    },
    interpret: (machine, op) => {
      const [low, high] = op.results.map((value) => machine.define(value, true)) as [Tile, Tile];
      const x = machine.tile(op.operand(0));
      const even = Int32Array.from({ length: low.count }, (_, i) => 2 * i);
      const odd = even.map((i) => i + 1);
      return () => {
        gatherTile(low, x, even);
        gatherTile(high, x, odd);
      };
    },
    layout: {
      placement: 'operands',
      operand: (op, _, layout) => joined(layout, shapeOf(op.operand(0).type).length - 1),
      result: (op, _, layout) => halved(layout, shapeOf(op.operand(0).type)),
    },
    axis: nothingKnown,
    range: sameRange,
  },
  'tt.cat': {
    ...JOINED,
    doc: 'Two tiles one after the other along {axis}.',
    attributes: { axis: integer },
    type: {
      infer: ({ operands: [x], attributes: { axis } }) => [
        tensor(
          shapeOf(x!).map((size, d) => (d === axis ? size * 2 : size)),
          elementOf(x!),
        ),
      ],
      check: sameOperands,
    },
    interpret: (machine, op) => {
      const [outer, axis, inner] = splitAxis(shapeOf(op.operand(0).type), op.attributes.axis);
      const half = axis * inner;
      const indices = Int32Array.from({ length: 2 * outer * half }, (_, i) => {
        const within = i % (2 * half);
        const second = within >= half;
        return Math.floor(i / (2 * half)) * half + (within % half) + (second ? outer * half : 0);
      });
      return gatherTwo(machine, op, indices);
    },
    layout: {
      placement: 'either',
      operand: (op, _, layout) =>
        withoutRegister(layout, highBit(shapeOf(op.result.type), op.attributes.axis)),
      result: (op, _, layout) =>
        concatenated(layout, shapeOf(op.operand(0).type), op.attributes.axis),
    },
  },
};
