/** When two types, shapes or element types are the same, whatever their layouts. */
import { elementOf, shapeOf } from './types';
import type { ElementType, Type } from './types';

function formatScalarType(element: ElementType): string {
  return element.kind === 'pointer'
    ? `!tt.ptr<${formatScalarType(element.pointee)}>`
    : element.dtype;
}
export function sameElement(a: ElementType, b: ElementType): boolean {
  return formatScalarType(a) === formatScalarType(b);
}
export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i]);
}
/** Equal but for the layout. */
export function sameTypeIgnoringLayout(a: Type, b: Type): boolean {
  if (a.kind !== b.kind || !sameShape(shapeOf(a), shapeOf(b))) return false;
  if (!sameElement(elementOf(a), elementOf(b))) return false;
  if (a.kind === 'fragments' && b.kind === 'fragments')
    return sameShape(a.block, b.block) && sameShape(a.matrix, b.matrix) && a.across === b.across;
  if (a.kind !== 'memdesc' || b.kind !== 'memdesc') return true;
  if (!sameShape(a.slabs ?? [], b.slabs ?? [])) return false;
  return sameShape(a.order, b.order) && a.padding === b.padding;
}
