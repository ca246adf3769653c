/**
 * Whether two accesses of different programs can meet: the addresses are set equal, and what
 * follows is that the programs are one, or a contradiction.
 *
 * The steps: an equation `S * x + y = 0` with |y| < S says x = 0 and y = 0, which takes apart what
 * strides put together; equal quotients and remainders have equal dividends; what is made of equal
 * values is equal.
 */
import type { Access } from './accesses';
import type { Arithmetic } from './arithmetic';
import { alternatives } from './formula';
import { Poly, TooLarge } from './polynomial';
import { Prover } from './prover';

/** Equations that are looked at for one pair. */
const MOST_EQUATIONS = 120;

/**
 * True if no two programs touch one byte, `a` in one and `b` in the other.
 * @param programs the ids of a program, by axis
 * @param shift bytes from where the first pointer's argument points to to the second one's
 */
export function neverMeet(
  a: Access,
  b: Access,
  arithmetic: Arithmetic,
  programs: readonly Poly[],
  facts: readonly Poly[],
  shift = 0,
): boolean {
  const { terms } = arithmetic;
  if (!a.pointer || !b.pointer) return false;
  try {
    const difference = a.pointer.bytes.minus(terms.other(b.pointer.bytes)).plusConstant(-shift);
    const otherFacts = facts.map((fact) => terms.other(fact));
    return alternatives(a.when).every((mine) =>
      alternatives(b.when).every((theirs) => {
        const all = [...mine, ...theirs.map((fact) => terms.other(fact)), ...facts, ...otherFacts];
        return new Equations(arithmetic, all, programs, [a.size, b.size]).contradict(difference);
      }),
    );
  } catch (error) {
    if (error instanceof TooLarge) return false;
    throw error;
  }
}

class Equations {
  readonly #is = new Map<number, Poly>();
  #left = MOST_EQUATIONS;
  #prover: Prover;

  constructor(
    private readonly arithmetic: Arithmetic,
    private readonly facts: readonly Poly[],
    private readonly programs: readonly Poly[],
    private readonly sizes: readonly [number, number],
  ) {
    this.#prover = new Prover(arithmetic.terms, facts);
  }

  /** Whether programs for which the addresses overlap are one, or do not exist. */
  contradict(difference: Poly): boolean {
    if (this.#isOneProgram() || this.#prover.impossible) return true;
    const [mine, theirs] = this.sizes;
    if (
      this.#prover.nonNegative(difference.plusConstant(-theirs)) ||
      this.#prover.nonNegative(difference.times(-1).plusConstant(-mine))
    )
      return true;
    // Elements of one size at multiples of it overlap only where they are the same.
    const elements = difference.divide(Poly.constant(mine));
    if (mine !== theirs || !elements?.remainder.isZero) return false;
    if (this.#solve([elements.quotient])) return true;
    return this.#pin(elements.quotient) && this.#solve([elements.quotient]);
  }

  /** Replaces atoms that have one value here, as the counter of a loop of one iteration. */
  #pin(equation: Poly): boolean {
    const { terms } = this.arithmetic;
    let found = false;
    for (const id of this.#now(equation).atoms) {
      const low = terms.bound(Poly.atom(id), 'low');
      if (low === undefined || terms.atom(id).shared) continue;
      const value = Poly.constant(low);
      if (!this.#prover.nonNegative(value.minus(Poly.atom(id)))) continue;
      this.#learn(id, value);
      found = true;
    }
    if (found) this.#left = MOST_EQUATIONS;
    return found;
  }

  #solve(equations: Poly[]): boolean {
    const stuck: Poly[] = [];
    while (equations.length > 0) {
      if (this.#left-- <= 0) return false;
      const equation = this.#now(equations.shift()!).reducedEquation();
      const constant = equation.asConstant;
      if (constant === 0) continue;
      if (constant !== undefined) return true;
      const parts = this.#equal(equation) ? [] : this.#separate(equation);
      if (parts === undefined) {
        stuck.push(equation);
        continue;
      }
      if (parts.length === 0) equations.push(...stuck.splice(0), ...this.#consequences());
      else equations.push(...parts);
      if (this.#isOneProgram()) return true;
    }
    return stuck.some(
      (each) => this.#prover.positive(each) || this.#prover.positive(each.times(-1)),
    );
  }

  #now(poly: Poly): Poly {
    let now = poly;
    for (let again = true; again;) {
      const next = now.substitute((atom) => this.#is.get(atom));
      again = !next.equals(now);
      now = next;
    }
    return now;
  }

  #isOneProgram(): boolean {
    const { terms } = this.arithmetic;
    return this.programs.every((program) => {
      const difference = this.#now(program.minus(terms.other(program)));
      return difference.isZero || this.#prover.within(difference, Poly.ZERO, Poly.ZERO);
    });
  }

  /** Replaces an atom by its equal, where the equation is `x - y = 0`. */
  #equal(equation: Poly): boolean {
    const [first, second, ...others] = equation.list;
    if (!first || others.length > 0) return false;
    if (!second) {
      const [atoms, coefficient] = first;
      if (atoms.length !== 1 || coefficient === 0) return false;
      this.#learn(atoms[0]!, Poly.ZERO);
      return true;
    }
    const single = [first, second].every(([atoms]) => atoms.length === 1);
    if (!single || first[1] + second[1] !== 0 || Math.abs(first[1]) !== 1) return false;
    const [low, high] = [first[0][0]!, second[0][0]!].sort((a, b) => a - b) as [number, number];
    this.#learn(high, Poly.atom(low));
    return true;
  }
  #learn(atom: number, value: Poly): void {
    this.#is.set(atom, value);
    const { terms } = this.arithmetic;
    this.#prover = new Prover(terms, [
      ...this.facts.map((fact) => this.#now(fact)),
      ...terms.atom(atom).facts.map((fact) => this.#now(fact)),
    ]);
  }

  /** Two equations that one says, by the stride that keeps their parts apart. */
  #separate(equation: Poly): Poly[] | undefined {
    const { terms } = this.arithmetic;
    for (const stride of stridesIn(equation, (atom) => terms.atom(atom).shared)) {
      const parts = equation.divide(stride);
      if (!parts || parts.quotient.isZero || parts.remainder.isZero) continue;
      const most = stride.plusConstant(-1);
      if (!this.#prover.nonNegative(most)) continue;
      if (this.#isBelow(parts.remainder, most)) return [parts.quotient, parts.remainder];
    }
    return undefined;
  }

  /** Whether it is between `-most` and `most`: as the difference of two programs' values, or so. */
  #isBelow(poly: Poly, most: Poly): boolean {
    const { terms } = this.arithmetic;
    const theirs = (atom: number): boolean => (terms.atom(atom).twin ?? Infinity) < atom;
    const [mine, other] = poly.partition((atoms) => !atoms.some(theirs));
    const inRange = (side: Poly): boolean =>
      this.arithmetic.prover.within(side, Poly.ZERO, most) ||
      this.#prover.within(side, Poly.ZERO, most);
    if (inRange(mine) && inRange(other.times(-1))) return true;
    return this.#prover.within(poly, most.times(-1), most);
  }

  /** Equations of atoms that are made of equal values, and of dividends. */
  #consequences(): Poly[] {
    const { terms } = this.arithmetic;
    const found: Poly[] = [];
    for (let id = 0; id < terms.count; id++) {
      const atom = terms.atom(id);
      if (atom.twin === undefined || atom.twin < id) continue;
      const twin = terms.atom(atom.twin);
      const [one, other] = [this.#now(Poly.atom(id)), this.#now(Poly.atom(twin.id))];
      if (
        !one.equals(other) &&
        atom.made?.of.every((each, i) => this.#now(each).equals(this.#now(twin.made!.of[i]!)))
      )
        found.push(one.minus(other));
      if (!atom.division || !twin.division) continue;
      const sides = [atom.division, twin.division].map(
        ({ dividend, divisor, quotient, remainder }) => ({
          dividend: this.#now(dividend),
          parts: this.#now(divisor.times(Poly.atom(quotient)).plus(Poly.atom(remainder))),
        }),
      );
      const [mine, theirs] = sides as [(typeof sides)[0], (typeof sides)[0]];
      if (mine.parts.equals(theirs.parts) && !mine.dividend.equals(theirs.dividend))
        found.push(mine.dividend.minus(theirs.dividend));
    }
    return found;
  }
}

/** The strides that an equation may be taken apart by: factors on which programs agree. */
function stridesIn(equation: Poly, isShared: (atom: number) => boolean): Poly[] {
  const found = new Map<string, { readonly poly: Poly; readonly degree: number }>();
  for (const [atoms, coefficient] of equation.list) {
    const shared = atoms.filter(isShared);
    if (shared.length === atoms.length) continue;
    const poly = shared.reduce(
      (product, id) => product.times(Poly.atom(id)),
      Poly.constant(Math.abs(coefficient)),
    );
    if (poly.equals(Poly.ONE)) continue;
    found.set(poly.key, { poly, degree: shared.length * 1e6 + Math.abs(coefficient) });
  }
  return [...found.values()].sort((a, b) => b.degree - a.degree).map(({ poly }) => poly);
}
