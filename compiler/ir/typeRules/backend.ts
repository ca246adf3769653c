/** What distribution adds: layouts, workgroup memory, fragments, barriers. */
import { sameElement, sameShape, sameTypeIgnoringLayout as sameType } from '../sameType';
import { elementOf, shapeOf } from '../types';
import { need, none, stated } from './rule';
import type { TypeRule } from './rule';

export const BACKEND_RULES = {
  'ttg.convert_layout': {
    infer: stated,
    check: ({ operands: [x] }, [type]) => need(sameType(x!, type!), 'only the layout may change'),
  },
  'ttg.extract_slice': {
    infer: stated,
    check: ({ operands: [x], attributes }, [type]) => {
      const [from, to] = [shapeOf(x!), shapeOf(type!)];
      const origin = attributes['origin'];
      return need(
        Array.isArray(origin) &&
          from.length === to.length &&
          sameElement(elementOf(x!), elementOf(type!)) &&
          to.every(
            (size, d) => Number(origin[d]) % size === 0 && Number(origin[d]) + size <= from[d]!,
          ),
        'takes an aligned part of a tile of the same element type',
      );
    },
  },
  'ttg.local_alloc': {
    infer: stated,
    check: (_, [type]) => need(type!.kind === 'memdesc', 'allocates a memdesc'),
  },
  'ttg.local_store': {
    infer: none,
    check: ({ operands: [x, target] }) =>
      need(
        target!.kind === 'memdesc' && sameElement(elementOf(x!), target!.element),
        'stores a tile into a memdesc of its element type',
      ),
  },
  'ttg.local_load': {
    infer: stated,
    check: ({ operands: [source] }, [type]) =>
      need(
        source!.kind === 'memdesc' && sameShape(source!.shape, shapeOf(type!)),
        'loads a tile of the shape of the memdesc',
      ),
  },
  'ttg.read_fragments': {
    infer: stated,
    check: ({ operands: [x], attributes }, [type]) => {
      const [rows = 0, columns] = shapeOf(type!);
      const [from = 0] = (attributes['origin'] as readonly number[] | undefined) ?? [];
      return need(
        x!.kind === 'fragments' &&
          columns === x!.shape[1] &&
          (attributes['origin']
            ? rows % x!.matrix[0] === 0 && from % rows === 0 && from + rows <= x!.shape[0]!
            : rows === x!.shape[0]) &&
          sameElement(x!.element, elementOf(type!)),
        'gives a tile of the shape and element type of the fragments, or whole rows of matrices',
      );
    },
  },
  'gpu.barrier': { infer: none },
} satisfies Record<string, TypeRule>;
