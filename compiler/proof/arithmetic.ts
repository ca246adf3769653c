/**
 * Integer operations on polynomials. What is no polynomial becomes an atom with facts. A result is
 * undefined where the operation is not understood for these operands: a divisor that may be 0, say.
 */
import type { Operation } from '../ir/ir';
import { Poly } from './polynomial';
import { Prover } from './prover';
import type { Case, Terms } from './terms';

export class Arithmetic {
  #prover: Prover;
  #atoms = 0;

  constructor(readonly terms: Terms) {
    this.#prover = new Prover(terms);
  }

  /** Facts are of atoms that exist: a prover forgets nothing that new ones would change. */
  get prover(): Prover {
    if (this.#atoms !== this.terms.count) {
      this.#atoms = this.terms.count;
      this.#prover = new Prover(this.terms);
    }
    return this.#prover;
  }
  isNonNegative(poly: Poly): boolean {
    return this.prover.nonNegative(poly);
  }

  /** Rounded down; the divisor is positive. */
  floorDivide(dividend: Poly, divisor: Poly): { quotient: Poly; remainder: Poly } | undefined {
    const whole = dividend.asConstant;
    const by = divisor.asConstant;
    if (by !== undefined && by <= 0) return undefined;
    if (by === 1) return { quotient: dividend, remainder: Poly.ZERO };
    if (whole !== undefined && by !== undefined) {
      const quotient = Math.floor(whole / by);
      return {
        quotient: Poly.constant(quotient),
        remainder: Poly.constant(whole - quotient * by),
      };
    }
    if (by === undefined && !this.prover.positive(divisor)) return undefined;
    const parts = dividend.divide(divisor) ?? { quotient: Poly.ZERO, remainder: dividend };
    const least = divisor.plusConstant(-1);
    if (this.prover.within(parts.remainder, Poly.ZERO, least)) return parts;
    const { quotient, remainder } = this.#division(parts.remainder, divisor);
    return { quotient: parts.quotient.plus(quotient), remainder };
  }

  /** Two atoms, `dividend = divisor * quotient + remainder`. */
  #division(dividend: Poly, divisor: Poly): { quotient: Poly; remainder: Poly } {
    const { terms } = this;
    const options = {
      shared: terms.isShared(dividend) && terms.isShared(divisor),
      loops: terms.loopsOf(dividend, divisor),
    };
    const text = (sign: string): string =>
      `(${grouped(terms.format(dividend))} ${sign} ${grouped(terms.format(divisor))})`;
    const key = `${dividend.key} / ${divisor.key}`;
    const positive = this.isNonNegative(dividend);
    const { poly: quotient, made } = terms.make(`div ${key}`, text('//'), options);
    const { poly: remainder } = terms.make(`mod ${key}`, text('%'), options);
    if (!made) return { quotient, remainder };
    for (const [name, poly] of [
      ['div', quotient],
      ['mod', remainder],
    ] as const)
      terms.atom(poly.atoms[0]!).made = { key: name, of: [dividend, divisor] };
    const rest = dividend.minus(divisor.times(quotient));
    const most = divisor.plusConstant(-1);
    terms.know(quotient, rest, most.minus(rest));
    terms.know(remainder, remainder, most.minus(remainder), rest.minus(remainder));
    terms.know(remainder, remainder.minus(rest));
    if (positive) terms.know(quotient, quotient, dividend.minus(quotient));
    const by = divisor.asConstant;
    const [low, high] = [terms.bound(dividend, 'low'), terms.bound(dividend, 'high')];
    if (by !== undefined && low !== undefined)
      terms.know(quotient, quotient.plusConstant(-Math.floor(low / by)));
    if (by !== undefined && high !== undefined)
      terms.know(quotient, Poly.constant(Math.floor(high / by)).minus(quotient));
    if (positive) terms.know(remainder, dividend.minus(remainder));
    this.#boundQuotient(quotient, dividend, divisor);
    if (by !== undefined) this.#relateQuotients(quotient, dividend, by);
    terms.atom(quotient.atoms[0]!).division = {
      dividend,
      divisor,
      quotient: quotient.atoms[0]!,
      remainder: remainder.atoms[0]!,
    };
    return { quotient, remainder };
  }

  /** `x // d` is below `m` where `x` is an atom below `d * m`: a bound that loses no rounding. */
  #boundQuotient(quotient: Poly, dividend: Poly, divisor: Poly): void {
    const { terms } = this;
    const [id] = dividend.atoms;
    if (id === undefined || !dividend.equals(Poly.atom(id))) return;
    for (const fact of terms.atom(id).facts) {
      const { factor, rest } = fact.split(id);
      if (factor.asConstant !== -1) continue;
      const parts = rest.plusConstant(1).divide(divisor);
      if (parts?.remainder.isZero)
        terms.know(quotient, parts.quotient.plusConstant(-1).minus(quotient));
    }
  }

  /** Bounds between quotients of one dividend, exact: `x // 32` is `x // 2 // 16`. */
  #relateQuotients(quotient: Poly, dividend: Poly, by: number): void {
    const { terms } = this;
    for (const earlier of terms.quotientsOf(dividend)) {
      const of = earlier.divisor.asConstant!;
      const known = Poly.atom(earlier.quotient);
      const [coarse, fine, times] =
        of % by === 0 ? [known, quotient, of / by] : [quotient, known, by / of];
      if (!Number.isInteger(times)) continue;
      const rest = fine.minus(coarse.times(times));
      terms.know(quotient, rest, Poly.constant(times - 1).minus(rest));
    }
  }

  /** As C divides: truncated. */
  signedQuotient(a: Poly, b: Poly): Poly | undefined {
    if (!this.isNonNegative(a)) return undefined;
    return this.floorDivide(a, b)?.quotient;
  }
  signedRemainder(a: Poly, b: Poly): Poly | undefined {
    if (this.isNonNegative(a)) return this.floorDivide(a, b)?.remainder;
    if (!this.prover.positive(b)) return undefined;
    const { terms } = this;
    const { poly, made } = terms.make(
      `rem ${a.key} / ${b.key}`,
      `(${grouped(terms.format(a))} % ${grouped(terms.format(b))})`,
      { shared: terms.isShared(a) && terms.isShared(b), loops: terms.loopsOf(a, b) },
    );
    if (made) terms.know(poly, poly.plus(b).plusConstant(-1), b.plusConstant(-1).minus(poly));
    return poly;
  }

  minimum(a: Poly, b: Poly): Poly {
    if (this.isNonNegative(b.minus(a))) return a;
    if (this.isNonNegative(a.minus(b))) return b;
    return this.#extremum('min', a, b);
  }
  maximum(a: Poly, b: Poly): Poly {
    if (this.isNonNegative(b.minus(a))) return b;
    if (this.isNonNegative(a.minus(b))) return a;
    return this.#extremum('max', a, b);
  }
  #extremum(name: 'min' | 'max', x: Poly, y: Poly): Poly {
    const [a, b] = x.key < y.key ? [x, y] : [y, x];
    const { terms } = this;
    const text = `${name}(${terms.format(a)}, ${terms.format(b)})`;
    const difference = name === 'min' ? b.minus(a) : a.minus(b);
    const cases: Case[] = [
      { value: a, facts: [difference] },
      { value: b, facts: [difference.times(-1)] },
    ];
    const poly = this.choice(name, text, cases, null);
    terms.atom(poly.atoms[0]!).made = { key: name, of: [a, b] };
    if (terms.atom(poly.atoms[0]!).facts.length > 0) return poly;
    const sides = [a, b].map((side) => (name === 'min' ? side.minus(poly) : poly.minus(side)));
    terms.know(poly, ...sides);
    return poly;
  }

  /**
   * An atom that is one of some polynomials; `name` distinguishes it from others of them.
   * @param loops those in which the choice may change; null where the facts of the cases make it
   */
  choice(
    name: string,
    text: string,
    cases: readonly Case[],
    loops: Iterable<Operation> | null,
  ): Poly {
    const { terms } = this;
    const contents = cases.map(({ value, facts }) =>
      [value, ...facts].map((poly) => poly.key).join(' ; '),
    );
    const key = `choice ${name} of ${contents.join(' | ')}`;
    const polys = cases.flatMap(({ value, facts }) => [value, ...facts]);
    const { poly, made } = terms.make(key, text, {
      shared: loops === null && polys.every((each) => terms.isShared(each)),
      loops: [...(loops ?? []), ...terms.loopsOf(...polys)],
    });
    if (made) terms.atom(poly.atoms[0]!).cases = cases;
    return poly;
  }
}

/** In parentheses, unless it is one word. */
const grouped = (text: string): string => (/^[\w.]+$/.test(text) ? text : `(${text})`);
