/**
 * Decides whether a polynomial over integers is at least 0, by eliminating atoms from the highest
 * number down: an atom with a coefficient of known sign is replaced by one of its bounds, which
 * mention earlier atoms alone. It follows the elimination of Fourier and Motzkin, with coefficients
 * that are polynomials and rounding for integers.
 *
 * Guarantee: `true` is a proof, from the facts that it was given. `false` means nothing: the
 * elimination is not complete, and its steps are bounded.
 */
import { Poly, TooLarge } from './polynomial';
import type { Case, Terms } from './terms';

/** Polynomials looked at for one question. */
const STEPS = 1200;
const NARROW_STEPS = 600;
/** Atoms of one question that are replaced by their cases, one inside another. */
const MOST_CASES = 4;
/** Facts that follow from others, for one set of assumptions. */
const MOST_DERIVED = 120;

/** A fact, solved for its highest atom: `factor * atom + rest` is at least 0. */
interface Bound {
  readonly factor: Poly;
  readonly rest: Poly;
}

export class Prover {
  /** By atom. */
  readonly #assumed = new Map<number, Bound[]>();
  /** Consequences of the assumptions, by atom. */
  readonly #derived = new Map<number, Bound[]>();
  readonly #knownNarrow = new Map<string, boolean>();
  readonly #knownWide = new Map<string, boolean>();
  readonly #narrowBounds = new Map<number, readonly Bound[]>();
  readonly #wideBounds = new Map<number, readonly Bound[]>();
  /** Whether only those of an atom's own bounds are tried that are numbers, if it has two. */
  #narrow = true;
  readonly #assumptions: readonly Poly[];

  /** @param assumptions polynomials that are at least 0, beside the facts of the atoms. */
  constructor(
    private readonly terms: Terms,
    assumptions: readonly Poly[] = [],
    private readonly depth = 0,
    private readonly steps = { left: 0 },
  ) {
    this.#assumptions = assumptions;
    const seen = new Set<string>();
    const open = [...assumptions];
    for (let i = 0; open.length > 0 && seen.size < MOST_DERIVED; i++) {
      const fact = open.shift()!.reduced();
      const map = i < assumptions.length ? this.#assumed : this.#derived;
      const atom = fact.atoms.at(-1);
      if (atom === undefined || seen.has(fact.key) || this.#isTrivial(fact)) continue;
      seen.add(fact.key);
      if (fact.degreeIn(atom) !== 1) continue;
      const { factor, rest } = fact.split(atom);
      const list = map.get(atom);
      if (list) list.push({ factor, rest });
      else map.set(atom, [{ factor, rest }]);
      open.push(...this.#without(atom, factor, rest));
    }
  }

  /** Whether constant bounds of atoms say it already. */
  #isTrivial(fact: Poly): boolean {
    const low = this.terms.bound(fact, 'low');
    return low !== undefined && low >= 0;
  }

  /** The fact about the other atoms, with the highest one at the bound that allows most. */
  #without(atom: number, factor: Poly, rest: Poly): Poly[] {
    const size = factor.asConstant;
    if (size === undefined) return [];
    return this.terms.atom(atom).facts.flatMap((fact) => {
      const bound = fact.split(atom);
      const other = bound.factor.asConstant;
      if (other === undefined || Math.sign(other) === Math.sign(size)) return [];
      return [rest.times(Math.abs(other)).plus(bound.rest.times(Math.abs(size)))];
    });
  }

  /** Whether it is at least 0 for all values of its atoms. */
  nonNegative(poly: Poly): boolean {
    try {
      return [true, false].some((narrow) => {
        if (this.depth === 0)
          this.steps.left = Math.min(narrow ? NARROW_STEPS : STEPS, this.terms.mostSteps);
        this.#narrow = narrow;
        return this.#holds(poly);
      });
    } catch (error) {
      if (error instanceof TooLarge) return false;
      throw error;
    }
  }
  positive(poly: Poly): boolean {
    return this.nonNegative(poly.plusConstant(-1));
  }
  /** Whether `low ≤ poly ≤ high`. */
  within(poly: Poly, low: Poly, high: Poly): boolean {
    return this.nonNegative(poly.minus(low)) && this.nonNegative(high.minus(poly));
  }
  /** Whether no values meet the assumptions: one of them is provably negative. */
  get impossible(): boolean {
    return this.#assumptions.some((fact) => this.nonNegative(fact.times(-1).plusConstant(-1)));
  }

  #holds(whole: Poly): boolean {
    const constant = whole.asConstant;
    if (constant !== undefined) return constant >= 0;
    const poly = whole.reduced();
    const memo = this.#narrow ? this.#knownNarrow : this.#knownWide;
    const known = memo.get(poly.key);
    if (known !== undefined) return known;
    if (this.steps.left-- <= 0 || !this.terms.spend()) return false;
    memo.set(poly.key, false);
    const found =
      this.#termsAreNonNegative(poly) || this.#factorHolds(poly) || this.#eliminate(poly);
    // A question that ran out of steps may be answered another time.
    if (found || this.steps.left > 0) memo.set(poly.key, found);
    else memo.delete(poly.key);
    return found;
  }

  /** Whether it is a natural atom times something that is at least 0. */
  #factorHolds(poly: Poly): boolean {
    const common = poly.commonFactor();
    if (!common || (this.#lowest(common.atom) ?? -1) < 0) return false;
    return this.#holds(common.rest);
  }

  /** Whether every term is, each atom counted from its constant lower bound. */
  #termsAreNonNegative(poly: Poly): boolean {
    let shifted = false;
    for (const id of poly.atoms) {
      const low = this.#lowest(id);
      if (low === undefined) return false;
      if (low !== 0) shifted = true;
    }
    const moved = shifted
      ? poly.substitute((id) => Poly.atom(id).plusConstant(this.#lowest(id)!))
      : poly;
    return moved.list.every(([, coefficient]) => coefficient >= 0);
  }
  #lowest(id: number): number | undefined {
    let low: number | undefined;
    for (const { factor, rest } of this.#boundsOf(id)) {
      const [size, constant] = [factor.asConstant, rest.asConstant];
      if (size === undefined || size <= 0 || constant === undefined) continue;
      const bound = Math.ceil(-constant / size);
      if (low === undefined || bound > low) low = bound;
    }
    return low;
  }
  /** The bounds of an atom: those assumed first, then its own, the simplest first, then derived. */
  #boundsOf(id: number): readonly Bound[] {
    const cache = this.#narrow ? this.#narrowBounds : this.#wideBounds;
    let bounds = cache.get(id);
    if (!bounds) {
      const own = this.terms.atom(id).facts.map((fact) => fact.split(id));
      const assumed = this.#assumed.get(id) ?? [];
      const numbers = own.filter(({ rest }) => rest.asConstant !== undefined);
      const sides = new Set(numbers.map(({ factor }) => Math.sign(factor.asConstant ?? 0)));
      const enough = this.#narrow && sides.size === 2;
      const others = (enough ? numbers : own).sort((a, b) => this.#detour(a) - this.#detour(b));
      const derived = this.#derived.get(id) ?? [];
      cache.set(id, (bounds = strongest([...assumed, ...others, ...derived])));
    }
    return bounds;
  }

  /** How far a bound leads: one by sizes alone that loses no rounding comes first. */
  #detour({ factor, rest }: Bound): number {
    const isFinal = Math.abs(factor.asConstant ?? 0) === 1 && this.terms.isShared(rest);
    return rest.size + (isFinal ? 0 : 100);
  }

  #eliminate(poly: Poly): boolean {
    const id = poly.atoms.at(-1)!;
    if (poly.degreeIn(id) === 1) {
      const { factor, rest } = poly.split(id);
      const sign = this.#signOf(factor);
      if (sign !== 0)
        for (const bound of this.#boundsOf(id))
          if (this.#holdsBy(bound, sign > 0 ? factor : factor.times(-1), rest, sign)) return true;
    }
    const { cases } = this.terms.atom(id);
    if (cases === undefined || this.depth >= MOST_CASES) return false;
    return cases.every((each) => this.#inCase(poly, id, each));
  }
  /** By one bound of its highest atom; what leaves the coefficients' range is no proof. */
  #holdsBy(bound: Bound, size: Poly, rest: Poly, sign: 1 | -1): boolean {
    try {
      const next = this.#bounded(size, rest, bound, sign);
      return next !== undefined && this.#holds(next);
    } catch (error) {
      if (error instanceof TooLarge) return false;
      throw error;
    }
  }
  #inCase(poly: Poly, id: number, { value, facts }: Case): boolean {
    const replace = (p: Poly): Poly => p.substitute((atom) => (atom === id ? value : undefined));
    const assumptions = [...this.#assumptions.map(replace), ...facts];
    const inner = new Prover(this.terms, assumptions, this.depth + 1, this.steps);
    return inner.nonNegative(replace(poly));
  }

  #signOf(factor: Poly): -1 | 0 | 1 {
    const constant = factor.asConstant;
    if (constant !== undefined) return constant > 0 ? 1 : -1;
    if (this.#holds(factor)) return 1;
    return this.#holds(factor.times(-1)) ? -1 : 0;
  }

  /**
   * A polynomial in earlier atoms that is at least 0 only if `sign * size * atom + rest` is, by one
   * bound of the atom; undefined where the bound is on the other side.
   */
  #bounded(size: Poly, rest: Poly, bound: Bound, sign: 1 | -1): Poly | undefined {
    // The bound as `by * atom ≥ limit` (sign 1) or `by * atom ≤ limit` (sign -1), by > 0.
    const by = sign > 0 ? bound.factor : bound.factor.times(-1);
    const constant = by.asConstant;
    if (constant === undefined ? !this.#holds(by.plusConstant(-1)) : constant <= 0)
      return undefined;
    const limit = sign > 0 ? bound.rest.times(-1) : bound.rest;
    const signed = limit.times(sign);
    const exact = exactly(size, by);
    if (exact) return rest.plus(exact.times(signed));
    // p ≥ 0 exactly if m * p + (m - 1) ≥ 0, for integers and m > 0.
    const scale = exactly(by, size);
    if (scale && this.#isPositive(scale))
      return rest.times(scale).plus(signed).plus(scale).plusConstant(-1);
    return rest.times(by).plus(size.times(signed)).plus(by).plusConstant(-1);
  }
  #isPositive(poly: Poly): boolean {
    const constant = poly.asConstant;
    return constant === undefined ? this.#holds(poly.plusConstant(-1)) : constant > 0;
  }
}

/** Without those that another one implies by its constant alone. */
function strongest(bounds: readonly Bound[]): Bound[] {
  const best = new Map<string, Bound>();
  for (const bound of bounds) {
    const { factor, rest } = bound;
    const key = `${factor.key} ; ${rest.plusConstant(-rest.constantTerm).key}`;
    const known = best.get(key);
    if (!known || rest.constantTerm < known.rest.constantTerm) best.set(key, bound);
  }
  return [...best.values()];
}

/** `poly / by`, where it divides exactly. */
function exactly(poly: Poly, by: Poly): Poly | undefined {
  if (poly.equals(by)) return Poly.ONE;
  const parts = poly.divide(by);
  return parts?.remainder.isZero ? parts.quotient : undefined;
}
