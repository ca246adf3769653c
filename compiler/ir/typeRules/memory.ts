/** What goes through pointers. */
import { sameShape } from '../sameType';
import { elementOf, isInteger, shapeOf } from '../types';
import { all, first, maskCheck, none, pointee, valueCheck } from './rule';
import type { Infer, TypeRule } from './rule';

const loaded: Infer = ({ operands }) => {
  const type = pointee(operands[0]!);
  return type && [type];
};

export const MEMORY_RULES = {
  'tt.addptr': {
    infer: first,
    check: ({ operands: [pointer, offset] }) => {
      if (elementOf(pointer!).kind !== 'pointer') return 'needs a pointer';
      if (!all([offset!], isInteger, '') && sameShape(shapeOf(pointer!), shapeOf(offset!)))
        return undefined;
      return 'the offset must be an integer of the shape of the pointer';
    },
  },
  'tt.load': {
    infer: loaded,
    check: ({ operands: [pointer, mask, other] }) =>
      pointee(pointer!)
        ? (maskCheck(pointer!, mask) ?? (other && valueCheck(pointer!, other)))
        : 'needs a pointer',
  },
  'tt.store': {
    infer: none,
    check: ({ operands: [pointer, value, mask] }) =>
      valueCheck(pointer!, value!) ?? maskCheck(pointer!, mask),
  },
  'tt.atomic_rmw': {
    infer: loaded,
    check: ({ operands: [pointer, value, mask] }) =>
      valueCheck(pointer!, value!) ?? maskCheck(pointer!, mask),
  },
  'tt.atomic_cas': {
    infer: loaded,
    check: ({ operands: [pointer, compare, value] }) =>
      valueCheck(pointer!, compare!) ?? valueCheck(pointer!, value!),
  },
} satisfies Record<string, TypeRule>;
