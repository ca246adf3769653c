/** Whether an access stays inside of its tensor, for all values of what it is made of. */
import type { Access } from './accesses';
import type { Arithmetic } from './arithmetic';
import { alternatives } from './formula';
import type { Poly } from './polynomial';
import { Prover } from './prover';

/** Bytes that an access may touch, from where its argument points to: `low` up to, not, `high`. */
export interface Room {
  readonly low: Poly;
  readonly high: Poly;
}

/** @param facts what else holds: relations between sizes. */
export function staysInside(
  access: Access,
  { low, high }: Room,
  { terms }: Arithmetic,
  facts: readonly Poly[] = [],
): boolean {
  const { pointer, size, when } = access;
  if (!pointer) return false;
  return alternatives(when).every((list) => {
    const prover = new Prover(terms, [...list, ...facts]);
    return prover.within(pointer.bytes, low, high.plusConstant(-size)) || prover.impossible;
  });
}
