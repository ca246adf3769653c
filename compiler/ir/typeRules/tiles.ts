/** Program ids, and what makes tiles and changes their shapes; products of tiles. */
import { sameElement } from '../sameType';
import { I32, elementOf, shapeOf, tensor } from '../types';
import { maskCheck, need, sameOperands, stated } from './rule';
import type { TypeRule } from './rule';

export const TILE_RULES = {
  'tt.get_program_id': { infer: () => [I32] },
  'tt.get_num_programs': { infer: () => [I32] },
  'tt.make_range': {
    infer: ({ attributes }) => [
      tensor([Number(attributes['end']) - Number(attributes['start'])], I32),
    ],
  },
  'tt.splat': {
    infer: stated,
    check: ({ operands: [x] }, [type]) =>
      need(
        shapeOf(x!).length === 0 &&
          type!.kind === 'tensor' &&
          sameElement(elementOf(x!), elementOf(type!)),
        'a scalar to a tile of it',
      ),
  },
  'tt.unsplat': {
    infer: ({ operands }) => [elementOf(operands[0]!)],
    check: ({ operands: [x] }) =>
      need(
        shapeOf(x!).every((size) => size === 1),
        'needs one element',
      ),
  },
  'tt.broadcast': {
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
  'tt.expand_dims': {
    infer: ({ operands, attributes }) => {
      const shape = [...shapeOf(operands[0]!)];
      shape.splice(Number(attributes['axis']), 0, 1);
      return [tensor(shape, elementOf(operands[0]!))];
    },
  },
  'tt.reshape': {
    infer: stated,
    check: ({ operands: [x] }, [type]) =>
      need(
        shapeOf(x!).reduce((a, b) => a * b, 1) === shapeOf(type!).reduce((a, b) => a * b, 1) &&
          sameElement(elementOf(x!), elementOf(type!)),
        'the number of elements changes',
      ),
  },
  'tt.trans': {
    infer: ({ operands, attributes }) => {
      const shape = shapeOf(operands[0]!);
      const order = attributes['order'] as readonly number[];
      return [
        tensor(
          order.map((i) => shape[i]!),
          elementOf(operands[0]!),
        ),
      ];
    },
    check: ({ operands, attributes }) => {
      const order = attributes['order'] as readonly number[];
      const rank = shapeOf(operands[0]!).length;
      return need(
        order.length === rank &&
          new Set(order).size === rank &&
          order.every((i) => i >= 0 && i < rank),
        'order is not a permutation',
      );
    },
  },
  'tt.join': {
    infer: ({ operands: [x] }) => [tensor([...shapeOf(x!), 2], elementOf(x!))],
    check: sameOperands,
  },
  'tt.split': {
    infer: ({ operands: [x] }) => {
      const half = tensor(shapeOf(x!).slice(0, -1), elementOf(x!));
      return [half, half];
    },
    check: ({ operands: [x] }) => need(shapeOf(x!).at(-1) === 2, 'the last dimension must be 2'),
  },
  'tt.cat': {
    infer: ({ operands: [x], attributes }) => {
      const shape = [...shapeOf(x!)];
      const axis = Number(attributes['axis']);
      shape[axis] = shape[axis]! * 2;
      return [tensor(shape, elementOf(x!))];
    },
    check: sameOperands,
  },
  'tt.gather': {
    infer: ({ operands: [source, indices] }) => [tensor(shapeOf(indices!), elementOf(source!))],
    check: ({ operands: [source, indices], attributes }) => {
      const axis = Number(attributes['axis']);
      const [a, b] = [shapeOf(source!), shapeOf(indices!)];
      return need(
        a.length === b.length && a.every((size, i) => i === axis || size === b[i]),
        'source and indices may differ along the axis only',
      );
    },
  },
  'tt.dot': {
    infer: ({ operands }) => [operands[2]!],
    check: ({ operands: [a, b, acc] }) => {
      const [x, y, z] = [shapeOf(a!), shapeOf(b!), shapeOf(acc!)];
      const rank = z.length;
      if ((rank !== 2 && rank !== 3) || x.length !== rank || y.length !== rank)
        return 'tiles must have two dimensions, or three';
      const m = rank - 2;
      return need(
        x[m + 1] === y[m] &&
          x[m] === z[m] &&
          y[m + 1] === z[m + 1] &&
          (m === 0 || (x[0] === y[0] && x[0] === z[0])),
        'shapes must be M×K, K×N, M×N',
      );
    },
  },
  'tt.histogram': {
    infer: stated,
    check: ({ operands: [x, mask] }) => {
      if (shapeOf(x!).length !== 1) return 'needs one dimension';
      return mask && maskCheck(x!, mask);
    },
  },
} satisfies Record<string, TypeRule>;
