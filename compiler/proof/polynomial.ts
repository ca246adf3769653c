/**
 * Polynomials with integer coefficients over numbered atoms (`terms.ts`): what addresses, masks and
 * sizes are made of. Values are immutable and exact: a coefficient that leaves ±2⁵³ throws
 * `TooLarge`, which ends the proof that met it, undecided.
 */

export class TooLarge extends Error {}

/** An atom's number and its power, ascending by number; `''` for the constant. */
type Monomial = string;

const atomsOf = (monomial: Monomial): number[] =>
  monomial === '' ? [] : monomial.split('*').map(Number);
const monomialOf = (atoms: readonly number[]): Monomial =>
  [...atoms].sort((a, b) => a - b).join('*');

function exact(x: number): number {
  if (!Number.isSafeInteger(x)) throw new TooLarge('a coefficient leaves 2^53');
  return x;
}

export class Poly {
  #key: string | undefined;
  #atoms: readonly number[] | undefined;

  private constructor(private readonly terms: ReadonlyMap<Monomial, number>) {}

  static constant(value: number): Poly {
    return new Poly(value === 0 ? new Map() : new Map([['', exact(value)]]));
  }
  static atom(id: number): Poly {
    return new Poly(new Map([[String(id), 1]]));
  }
  static readonly ZERO = Poly.constant(0);
  static readonly ONE = Poly.constant(1);

  /** Equal polynomials have one key. */
  get key(): string {
    return (this.#key ??= [...this.terms]
      .map(([monomial, c]) => `${c}:${monomial}`)
      .sort()
      .join(' '));
  }
  equals(other: Poly): boolean {
    return this.key === other.key;
  }
  /** The atoms that occur, ascending. */
  get atoms(): readonly number[] {
    return (this.#atoms ??= [...new Set([...this.terms.keys()].flatMap(atomsOf))].sort(
      (a, b) => a - b,
    ));
  }
  /** The value, where no atom occurs. */
  get asConstant(): number | undefined {
    if (this.terms.size === 0) return 0;
    return this.terms.size === 1 ? this.terms.get('') : undefined;
  }
  get constantTerm(): number {
    return this.terms.get('') ?? 0;
  }
  get isZero(): boolean {
    return this.terms.size === 0;
  }
  get size(): number {
    return this.terms.size;
  }
  /** Atoms (with repetition) and coefficient of each term. */
  get list(): readonly (readonly [atoms: readonly number[], coefficient: number])[] {
    return [...this.terms].map(([monomial, c]) => [atomsOf(monomial), c] as const);
  }

  plus(other: Poly): Poly {
    const sum = new Map(this.terms);
    for (const [monomial, c] of other.terms) {
      const next = exact((sum.get(monomial) ?? 0) + c);
      if (next === 0) sum.delete(monomial);
      else sum.set(monomial, next);
    }
    return new Poly(sum);
  }
  times(other: Poly | number): Poly {
    if (typeof other === 'number') {
      if (other === 0) return Poly.ZERO;
      return new Poly(
        new Map([...this.terms].map(([monomial, c]) => [monomial, exact(c * other)])),
      );
    }
    const single = other.asConstant;
    if (single !== undefined) return this.times(single);
    let product = Poly.ZERO;
    for (const [monomial, c] of other.terms) {
      const shift = atomsOf(monomial);
      const scaled = new Map(
        [...this.terms].map(([m, d]) => [monomialOf([...atomsOf(m), ...shift]), exact(c * d)]),
      );
      product = product.plus(new Poly(scaled));
    }
    return product;
  }
  minus(other: Poly): Poly {
    return this.plus(other.times(-1));
  }
  plusConstant(value: number): Poly {
    return this.plus(Poly.constant(value));
  }

  degreeIn(atom: number): number {
    let most = 0;
    for (const monomial of this.terms.keys()) {
      const degree = atomsOf(monomial).filter((id) => id === atom).length;
      if (degree > most) most = degree;
    }
    return most;
  }
  /** `factor * atom + rest`, with no atom in the rest; only where its degree is at most 1. */
  split(atom: number): { readonly factor: Poly; readonly rest: Poly } {
    const factor = new Map<Monomial, number>();
    const rest = new Map<Monomial, number>();
    for (const [monomial, c] of this.terms) {
      const ids = atomsOf(monomial);
      const at = ids.indexOf(atom);
      if (at < 0) rest.set(monomial, c);
      else factor.set(monomialOf(ids.filter((_, i) => i !== at)), c);
    }
    return { factor: new Poly(factor), rest: new Poly(rest) };
  }
  substitute(replacement: (atom: number) => Poly | undefined): Poly {
    if (!this.atoms.some((id) => replacement(id))) return this;
    let sum = Poly.ZERO;
    for (const [monomial, c] of this.terms) {
      let term = Poly.constant(c);
      for (const id of atomsOf(monomial)) term = term.times(replacement(id) ?? Poly.atom(id));
      sum = sum.plus(term);
    }
    return sum;
  }
  /** `quotient * by + remainder`, term by term; `by` is one term with a positive coefficient. */
  divide(by: Poly): { readonly quotient: Poly; readonly remainder: Poly } | undefined {
    const [only] = by.terms;
    if (by.terms.size !== 1 || !only || only[1] <= 0) return undefined;
    const needed = atomsOf(only[0]);
    const quotient = new Map<Monomial, number>();
    const remainder = new Map<Monomial, number>();
    for (const [monomial, c] of this.terms) {
      const left = without(atomsOf(monomial), needed);
      // A term that does not divide stays whole: half of it helps no proof.
      const divides = left !== undefined && (monomial === '' || c % only[1] === 0);
      const whole = divides ? Math.floor(c / only[1]) : 0;
      const rest = c - whole * only[1];
      if (left && whole !== 0) quotient.set(monomialOf(left), whole);
      if (rest !== 0) remainder.set(monomial, rest);
    }
    return { quotient: new Poly(quotient), remainder: new Poly(remainder) };
  }
  /**
   * A polynomial of smaller coefficients that is at least 0 for the same integers: divided by what
   * all terms but the constant one have in common, which rounds the constant down.
   */
  reduced(): Poly {
    let common = 0;
    for (const [monomial, c] of this.terms) if (monomial !== '') common = gcd(common, Math.abs(c));
    if (common <= 1) return this;
    const terms = [...this.terms].map(([m, c]) => [m, Math.floor(c / common)] as const);
    return new Poly(new Map(terms.filter(([, c]) => c !== 0)));
  }
  /** The terms that pass a test, and the others. */
  partition(test: (atoms: readonly number[]) => boolean): readonly [Poly, Poly] {
    const pass = new Map<Monomial, number>();
    const fail = new Map<Monomial, number>();
    for (const [monomial, c] of this.terms)
      (test(atomsOf(monomial)) ? pass : fail).set(monomial, c);
    return [new Poly(pass), new Poly(fail)];
  }
  /** The same equation with 0, divided by what its coefficients have in common. */
  reducedEquation(): Poly {
    let common = 0;
    for (const c of this.terms.values()) common = gcd(common, Math.abs(c));
    if (common <= 1) return this;
    return new Poly(new Map([...this.terms].map(([m, c]) => [m, c / common])));
  }
  /** An atom of every term, and the polynomial divided by it. */
  commonFactor(): { readonly atom: number; readonly rest: Poly } | undefined {
    const [first, ...others] = this.list;
    const atom = first?.[0].find((id) => others.every(([ids]) => ids.includes(id)));
    if (atom === undefined) return undefined;
    const terms = this.list.map(([ids, c]) => {
      const at = ids.indexOf(atom);
      return [monomialOf(ids.filter((_, i) => i !== at)), c] as const;
    });
    return { atom, rest: new Poly(new Map(terms)) };
  }
  evaluate(valueOf: (atom: number) => number): number {
    let sum = 0;
    for (const [monomial, c] of this.terms)
      sum += atomsOf(monomial).reduce((product, id) => product * valueOf(id), c);
    return sum;
  }
  /** In words, for reports: `M * N - 1`. */
  format(nameOf: (atom: number) => string): string {
    const text = [...this.terms]
      .sort(([a], [b]) => b.split('*').length - a.split('*').length || (a === '' ? 1 : -1))
      .map(([monomial, c], i) => {
        const names = atomsOf(monomial).map(nameOf);
        const size = Math.abs(c);
        const factors = size === 1 && names.length > 0 ? names : [String(size), ...names];
        const sign = c < 0 ? (i === 0 ? '-' : ' - ') : i === 0 ? '' : ' + ';
        return sign + factors.join(' * ');
      })
      .join('');
    return text === '' ? '0' : text;
  }
}

function gcd(a: number, b: number): number {
  while (b !== 0) [a, b] = [b, a % b];
  return a;
}

/** The list less the atoms of another one, once each; undefined where one is missing. */
function without(atoms: readonly number[], taken: readonly number[]): number[] | undefined {
  const left = [...atoms];
  for (const id of taken) {
    const at = left.indexOf(id);
    if (at < 0) return undefined;
    left.splice(at, 1);
  }
  return left;
}
