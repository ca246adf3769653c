/** Subgroup matrices. All lanes of a subgroup take part; nobody can look into a fragment. */
import { U32 } from '../types';
import type { ThreadType } from '../types';
import { type ThreadOpSpec } from './spec';

const isFragment = (type: ThreadType | undefined): boolean => type?.kind === 'fragment';

export const MATRICES = {
  'thread.matrix_zero': {
    traits: ['pure'],
    operands: [],
    types: (_, __, [type]) => (isFragment(type) ? [type!] : 'makes a fragment'),
    doc: 'A fragment of zeros.',
  },
  'thread.matrix_load': {
    traits: ['reads', 'convergent'],
    operands: ['memory', 'indices*'],
    attributes: ['stride', 'transposed'],
    types: ([memory, ...indices], _, [type]) =>
      memory?.kind === 'memory' && indices.every((index) => index === U32) && isFragment(type)
        ? [type!]
        : 'reads a fragment from an array',
    doc:
      'The matrix that begins at {indices}, rows {stride} elements of the array apart; columns, where ' +
      '{transposed}.',
  },
  'thread.matrix_store': {
    traits: ['writes', 'convergent'],
    operands: ['memory', 'indicesAndFragment*'],
    attributes: ['stride'],
    types: (operands) => (isFragment(operands.at(-1)) ? [] : 'stores a fragment'),
    doc: 'Writes a fragment row by row, rows {stride} elements of the array apart.',
  },
  'thread.matrix_multiply_accumulate': {
    traits: ['pure', 'convergent'],
    operands: ['left', 'right', 'sum'],
    types: ([left, right, sum]) =>
      isFragment(left) && isFragment(right) && isFragment(sum) ? [sum!] : 'takes three fragments',
    doc: '{sum} + {left} · {right}.',
  },
} satisfies Record<string, ThreadOpSpec>;
