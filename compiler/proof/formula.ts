/**
 * Conditions: what masks, branches and loops say of the values of an access. `unknown` may hold or
 * not, also negated: a condition that is not understood restricts nothing.
 */
import type { Poly } from './polynomial';

export type Formula =
  | { readonly kind: 'true' | 'false' | 'unknown' }
  /** The polynomial is at least 0. */
  | { readonly kind: 'fact'; readonly poly: Poly }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Formula[] };

export const TRUE: Formula = { kind: 'true' };
export const FALSE: Formula = { kind: 'false' };
export const UNKNOWN: Formula = { kind: 'unknown' };

export const atLeastZero = (poly: Poly): Formula => {
  const constant = poly.asConstant;
  if (constant !== undefined) return constant >= 0 ? TRUE : FALSE;
  return { kind: 'fact', poly };
};
export const both = (...parts: readonly Formula[]): Formula => ({ kind: 'and', parts });
export const either = (...parts: readonly Formula[]): Formula => ({ kind: 'or', parts });

export function negate(formula: Formula): Formula {
  switch (formula.kind) {
    case 'true':
      return FALSE;
    case 'false':
      return TRUE;
    case 'unknown':
      return UNKNOWN;
    case 'fact':
      return atLeastZero(formula.poly.times(-1).plusConstant(-1));
    case 'and':
      return either(...formula.parts.map(negate));
    default:
      return both(...formula.parts.map(negate));
  }
}

/** Lists of facts; more are not worth their proofs. */
const MOST_LISTS = 12;

/**
 * Lists of polynomials, of which at least one list is all at least 0 where the formula holds; none
 * where it cannot hold.
 */
export function alternatives(formula: Formula): readonly (readonly Poly[])[] {
  switch (formula.kind) {
    case 'true':
    case 'unknown':
      return [[]];
    case 'false':
      return [];
    case 'fact':
      return [[formula.poly]];
    case 'or': {
      const lists = formula.parts.flatMap(alternatives);
      return lists.length > MOST_LISTS ? [[]] : lists;
    }
    default: {
      let lists: readonly (readonly Poly[])[] = [[]];
      for (const part of formula.parts) {
        const more = alternatives(part);
        // Without a part of it, a conjunction still holds.
        if (lists.length * more.length > MOST_LISTS) continue;
        lists = lists.flatMap((list) => more.map((other) => [...list, ...other]));
      }
      return lists;
    }
  }
}
