/**
 * The atoms of the polynomials: scalars, sizes of the grid, program ids, positions in a tile,
 * counters of loops, values that are not known, and quotients, remainders, minima and maxima of
 * polynomials. Each has facts: polynomials that are at least 0 for every value it can take, in
 * which it is the atom of the highest number and occurs linearly. A fact so bounds an atom by
 * earlier ones, and eliminating atoms from the highest down ends (`prover.ts`).
 */
import type { Operation } from '../ir/ir';
import { Poly } from './polynomial';

/** The atom is `value` where all of `facts` are at least 0; the cases of an atom cover all. */
export interface Case {
  readonly value: Poly;
  readonly facts: readonly Poly[];
}

/** `dividend` is `divisor * quotient + remainder`, 0 ≤ `remainder` < `divisor`. */
export interface Division {
  readonly dividend: Poly;
  readonly divisor: Poly;
  readonly quotient: number;
  readonly remainder: number;
}

export interface Atom {
  readonly id: number;
  readonly key: string;
  readonly name: string;
  /** Whether programs agree on it: made of scalars and the grid alone. */
  readonly shared: boolean;
  readonly facts: Poly[];
  cases?: readonly Case[];
  /** The division that a quotient is of. */
  division?: Division;
  /** Atoms of one key, made of the same polynomials, are equal. */
  made?: { readonly key: string; readonly of: readonly Poly[] };
  /** The same of another program. */
  twin?: number;
  /** Loops in whose iterations it may change. */
  readonly loops: ReadonlySet<Operation>;
}

export interface AtomOptions {
  readonly shared?: boolean;
  readonly loops?: Iterable<Operation>;
  readonly low?: number;
  readonly high?: number;
}

const NO_LOOPS: ReadonlySet<Operation> = new Set();

export class Terms {
  readonly #atoms: Atom[] = [];
  readonly #byKey = new Map<string, number>();
  /** Steps of one question, where they are fewer than a prover takes. */
  mostSteps = Infinity;

  /** @param effort steps of proofs that are left, for all of them together. */
  constructor(private readonly effort: { left: number } = { left: Infinity }) {}

  atom(id: number): Atom {
    return this.#atoms[id]!;
  }
  get count(): number {
    return this.#atoms.length;
  }

  /** The atom of a key, made where there is none yet. */
  make(key: string, name: string, options: AtomOptions = {}): { poly: Poly; made: boolean } {
    const known = this.#byKey.get(key);
    if (known !== undefined) return { poly: Poly.atom(known), made: false };
    const id = this.#atoms.length;
    const { shared = false, loops, low, high } = options;
    const facts: Poly[] = [];
    this.#atoms.push({ id, key, name, shared, facts, loops: loops ? new Set(loops) : NO_LOOPS });
    this.#byKey.set(key, id);
    const poly = Poly.atom(id);
    if (low !== undefined) facts.push(poly.plusConstant(-low));
    if (high !== undefined) facts.push(Poly.constant(high).minus(poly));
    return { poly, made: true };
  }
  /** Adds facts of the atom that `poly` is. */
  know(poly: Poly, ...facts: Poly[]): void {
    this.atom(poly.atoms[0]!).facts.push(...facts.map((fact) => fact.reduced()));
  }

  /** Counts a step of a proof; false where the effort is spent. */
  spend(): boolean {
    return this.effort.left-- > 0;
  }

  /** The least or the greatest value, as far as facts of single atoms give one. */
  bound(poly: Poly, side: 'low' | 'high'): number | undefined {
    let sum = 0;
    for (const [atoms, coefficient] of poly.list) {
      if (atoms.length === 0) sum += coefficient;
      else if (atoms.length > 1) return undefined;
      else {
        const own = coefficient > 0 === (side === 'high') ? 'high' : 'low';
        const value = this.#atomBound(atoms[0]!, own);
        if (value === undefined) return undefined;
        sum += coefficient * value;
      }
    }
    return Number.isSafeInteger(sum) ? sum : undefined;
  }
  #atomBound(id: number, side: 'low' | 'high'): number | undefined {
    let best: number | undefined;
    for (const fact of this.atom(id).facts) {
      const { factor, rest } = fact.split(id);
      const [size, constant] = [factor.asConstant, rest.asConstant];
      if (size === undefined || constant === undefined || size > 0 !== (side === 'low')) continue;
      const value = size > 0 ? Math.ceil(-constant / size) : Math.floor(constant / -size);
      if (best === undefined || (side === 'low' ? value > best : value < best)) best = value;
    }
    return best;
  }

  /**
   * `divisor * quotient + remainder` as the dividend, where a sum of both is in the polynomial.
   */
  recombined(poly: Poly): Poly {
    let found = poly;
    for (const id of poly.atoms) {
      const { division } = this.atom(id);
      if (!division || division.quotient !== id || !found.atoms.includes(division.remainder))
        continue;
      if (found.degreeIn(division.remainder) !== 1) continue;
      const { factor } = found.split(division.remainder);
      const { dividend, divisor, quotient, remainder } = division;
      const parts = divisor.times(Poly.atom(quotient)).plus(Poly.atom(remainder));
      const next = found.plus(factor.times(dividend.minus(parts)));
      if (next.size < found.size) found = next;
    }
    return found;
  }

  /** The atoms that polynomials are made of, also within quotients and minima. */
  within(polys: readonly Poly[]): Set<number> {
    const found = new Set<number>();
    const open = polys.flatMap((poly) => [...poly.atoms]);
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (found.has(id)) continue;
      found.add(id);
      open.push(...(this.atom(id).made?.of ?? []).flatMap((poly) => [...poly.atoms]));
    }
    return found;
  }
  /** Divisions of a polynomial by constants, so far. */
  quotientsOf(dividend: Poly): Division[] {
    return this.#atoms.flatMap(({ id, division }) =>
      division?.quotient === id &&
      division.divisor.asConstant !== undefined &&
      division.dividend.equals(dividend)
        ? [division]
        : [],
    );
  }
  /** The facts of iterations of loops. */
  loopBounds(): Poly[] {
    return this.#atoms.flatMap(({ key, facts }) => (key.startsWith('loop ') ? facts : []));
  }

  isShared(poly: Poly): boolean {
    return poly.atoms.every((id) => this.atom(id).shared);
  }
  loopsOf(...polys: readonly Poly[]): Set<Operation> {
    return new Set(polys.flatMap((poly) => poly.atoms.flatMap((id) => [...this.atom(id).loops])));
  }
  format(poly: Poly): string {
    return poly.format((id) => this.atom(id).name);
  }

  /**
   * The polynomial in the values of another program: each atom on which programs need not agree is
   * replaced by a second one, with the same facts about second atoms.
   */
  other(poly: Poly): Poly {
    return poly.substitute((id) => this.#otherAtom(id));
  }
  #otherAtom(id: number): Poly | undefined {
    const atom = this.atom(id);
    if (atom.shared) return undefined;
    // The atoms of its facts come first, so that it stays the highest in them.
    const polys = [
      ...atom.facts,
      ...(atom.cases ?? []).flatMap(({ value, facts }) => [value, ...facts]),
    ];
    const earlier = new Set(polys.flatMap((each) => each.atoms.filter((other) => other < id)));
    for (const each of [...earlier].sort((a, b) => a - b)) this.#otherAtom(each);
    const { poly, made } = this.make(`other ${id}`, `${atom.name}'`, { loops: atom.loops });
    if (!made) return poly;
    const twin = this.atom(poly.atoms[0]!);
    [atom.twin, twin.twin] = [twin.id, atom.id];
    if (atom.made)
      twin.made = { key: atom.made.key, of: atom.made.of.map((each) => this.other(each)) };
    twin.facts.push(...atom.facts.map((fact) => this.other(fact)));
    if (atom.cases)
      twin.cases = atom.cases.map(({ value, facts }) => ({
        value: this.other(value),
        facts: facts.map((fact) => this.other(fact)),
      }));
    if (atom.division) {
      const { dividend, divisor, quotient, remainder } = atom.division;
      const idOf = (each: number) => this.other(Poly.atom(each)).atoms[0]!;
      twin.division = {
        dividend: this.other(dividend),
        divisor: this.other(divisor),
        quotient: idOf(quotient),
        remainder: idOf(remainder),
      };
    }
    return poly;
  }
}
