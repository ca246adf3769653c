/** The inferences and checks that the type rules of several families share. */
import { sameShape, sameTypeIgnoringLayout as sameType } from '../sameType';
import { dtypeOf, elementOf, isFloat, isInteger, shapeOf } from '../types';
import type { DType, ElementType, Type } from '../types';
import type { Signature, TypeRule } from './definition';

/** For any attributes. */
type Infer = (signature: Signature<unknown>) => readonly Type[] | undefined;
export type Check = (signature: Signature<unknown>, results: readonly Type[]) => string | undefined;

export function withElementType(type: Type, element: ElementType): Type {
  return type.kind === 'tensor' ? { ...type, element } : element;
}

export const stated: Infer = () => undefined;
export const none: Infer = () => [];
export const first: Infer = ({ operands }) => [operands[0]!];

export const all = (types: readonly Type[], test: (dtype: DType) => boolean, what: string) =>
  types.every((type) => {
    const dtype = dtypeOf(type);
    return dtype !== undefined && test(dtype);
  })
    ? undefined
    : `operands must be ${what}`;
export const sameOperands: Check = ({ operands }) =>
  operands.every((type) => sameType(type, operands[0]!)) ? undefined : 'operand types differ';
export const integers: Check = (s, r) =>
  sameOperands(s, r) ?? all(s.operands, isInteger, 'integers');
export const floats: Check = (s, r) => sameOperands(s, r) ?? all(s.operands, isFloat, 'floats');

export const need = (ok: boolean, message: string) => (ok ? undefined : message);

export const maskCheck = (pointer: Type, mask: Type | undefined): string | undefined => {
  if (!mask) return undefined;
  if (dtypeOf(mask) !== 'i1') return 'the mask must be i1';
  return need(sameShape(shapeOf(mask), shapeOf(pointer)), 'mask and pointer differ in shape');
};
export const pointee = (pointer: Type): Type | undefined => {
  const element = elementOf(pointer);
  return element.kind === 'pointer' ? withElementType(pointer, element.pointee) : undefined;
};

export const valueCheck = (pointer: Type, value: Type): string | undefined => {
  const type = pointee(pointer);
  if (!type) return 'needs a pointer';
  return need(sameType(type, value), 'the value does not have the type pointed to');
};

/** All operands and the result are of one type. */
export const INTEGERS: TypeRule<unknown> = { infer: first, check: integers };
export const FLOATS: TypeRule<unknown> = { infer: first, check: floats };
