/**
 * The prover against brute force: random expressions over small ranges, some of them bounded by
 * another atom, with random conditions. Whatever is proved has to hold for every assignment.
 * `FUZZ_SEED=4 FUZZ_COUNT=5000` tries others.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Arithmetic } from './arithmetic';
import { Poly } from './polynomial';
import { Prover } from './prover';
import { Terms } from './terms';

const SEED = Number(process.env['FUZZ_SEED'] ?? 1);
const COUNT = Number(process.env['FUZZ_COUNT'] ?? 400);

type Expression =
  | { readonly kind: 'constant'; readonly value: number }
  | { readonly kind: 'atom'; readonly at: number }
  | {
      readonly kind: 'add' | 'sub' | 'mul' | 'div' | 'mod' | 'min' | 'max' | 'floor';
      readonly a: Expression;
      readonly b: Expression;
    };

/** `n` is at least 1, `i` below n, `j` below 4, `k` between -3 and 3, `m` at most n + i. */
const NAMES = ['n', 'i', 'j', 'k', 'm'] as const;
function* assignments(): Generator<readonly number[]> {
  for (let n = 1; n <= 4; n++)
    for (let i = 0; i < n; i++)
      for (let j = 0; j < 4; j++)
        for (let k = -3; k <= 3; k++) for (let m = 0; m <= n + i; m++) yield [n, i, j, k, m];
}

function atoms(terms: Terms): Poly[] {
  const of = (name: string, low: number, high?: number) =>
    terms.make(name, name, { low, ...(high === undefined ? {} : { high }) }).poly;
  const n = of('n', 1);
  const i = of('i', 0);
  terms.know(i, n.minus(i).plusConstant(-1));
  const [j, k, m] = [of('j', 0, 3), of('k', -3, 3), of('m', 0)];
  terms.know(m, n.plus(i).minus(m));
  return [n, i, j, k, m];
}

const expression: fc.Arbitrary<Expression> = fc.letrec<{ any: Expression }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'expression' },
    fc.nat(NAMES.length - 1).map((at): Expression => ({ kind: 'atom', at })),
    fc.integer({ min: -4, max: 9 }).map((value): Expression => ({ kind: 'constant', value })),
    fc
      .tuple(
        fc.constantFrom(
          ...(['add', 'add', 'sub', 'mul', 'div', 'mod', 'min', 'max', 'floor'] as const),
        ),
        tie('any'),
        tie('any'),
      )
      .map(([kind, a, b]): Expression => ({ kind, a, b })),
  ),
})).any;

/** Undefined where it divides by 0. */
function evaluate(e: Expression, values: readonly number[]): number | undefined {
  if (e.kind === 'constant') return e.value;
  if (e.kind === 'atom') return values[e.at]!;
  const [a, b] = [evaluate(e.a, values), evaluate(e.b, values)];
  if (a === undefined || b === undefined) return undefined;
  switch (e.kind) {
    case 'add':
      return a + b;
    case 'sub':
      return a - b;
    case 'mul':
      return a * b;
    case 'div':
      return b === 0 ? undefined : Math.trunc(a / b);
    case 'mod':
      return b === 0 ? undefined : a % b;
    case 'floor':
      return b === 0 ? undefined : Math.floor(a / b);
    case 'min':
      return Math.min(a, b);
    default:
      return Math.max(a, b);
  }
}

/** Undefined where the operation is not understood. */
function polyOf(e: Expression, given: readonly Poly[], arithmetic: Arithmetic): Poly | undefined {
  if (e.kind === 'constant') return Poly.constant(e.value);
  if (e.kind === 'atom') return given[e.at]!;
  const [a, b] = [polyOf(e.a, given, arithmetic), polyOf(e.b, given, arithmetic)];
  if (!a || !b) return undefined;
  switch (e.kind) {
    case 'add':
      return arithmetic.terms.recombined(a.plus(b));
    case 'sub':
      return a.minus(b);
    case 'mul':
      return a.times(b);
    case 'div':
      return arithmetic.signedQuotient(a, b);
    case 'mod':
      return arithmetic.signedRemainder(a, b);
    case 'floor':
      return arithmetic.prover.positive(b) ? arithmetic.floorDivide(a, b)?.quotient : undefined;
    case 'min':
      return arithmetic.minimum(a, b);
    default:
      return arithmetic.maximum(a, b);
  }
}

describe('the prover', () => {
  it('proves nothing that an assignment contradicts', () => {
    let proved = 0;
    fc.assert(
      fc.property(
        expression,
        fc.array(expression, { maxLength: 2 }),
        fc.integer({ min: -12, max: 2 }),
        (goal, conditions, slack) => {
          const terms = new Terms({ left: 20_000 });
          const arithmetic = new Arithmetic(terms);
          const given = atoms(terms);
          const poly = polyOf(goal, given, arithmetic);
          const facts = conditions.map((each) => polyOf(each, given, arithmetic));
          if (!poly || facts.includes(undefined)) return;
          const prover = new Prover(terms, facts as Poly[]);
          const holds = prover.nonNegative(poly.plusConstant(-slack));
          const { impossible } = prover;
          if (!holds && !impossible) return;
          proved++;
          for (const values of assignments()) {
            const met = conditions.every((each) => (evaluate(each, values) ?? -1) >= 0);
            if (!met) continue;
            expect(impossible).toBe(false);
            const value = evaluate(goal, values);
            if (value !== undefined) expect(value).toBeGreaterThanOrEqual(slack);
          }
        },
      ),
      { seed: SEED, numRuns: COUNT },
    );
    expect(proved).toBeGreaterThan(COUNT / 20);
  });

  it.each<readonly [string, (a: Arithmetic, p: readonly Poly[]) => readonly [Poly, Poly[]]]>([
    [
      'a row and a column within a matrix',
      ({ terms }, [n, i]) => {
        const k = terms.make('K', 'K', { low: 1 }).poly;
        const c = terms.make('c', 'c', { low: 0 }).poly;
        terms.know(c, k.minus(c).plusConstant(-1));
        return [n!.times(k).minus(i!.times(k).plus(c)).plusConstant(-1), []];
      },
    ],
    [
      'a block behind a mask',
      ({ terms }, [n]) => {
        const [pid, lane] = [terms.make('pid', 'pid', { low: 0 }).poly, Poly.ZERO];
        const i = terms.make('lane', 'lane', { low: 0, high: 63 }).poly;
        const offset = pid.times(64).plus(i).plus(lane);
        return [n!.minus(offset).plusConstant(-1), [n!.minus(offset).plusConstant(-1)]];
      },
    ],
    [
      'a swizzled program inside of the grid',
      (arithmetic) => {
        const { terms } = arithmetic;
        const up = (name: string): Poly => {
          const size = terms.make(name, name, { low: 1 }).poly;
          return arithmetic.floorDivide(size.plusConstant(31), Poly.constant(32))!.quotient;
        };
        const [rows, columns] = [up('M'), up('N')];
        const pid = terms.make('pid', 'pid', { low: 0 }).poly;
        terms.know(pid, rows.times(columns).minus(pid).plusConstant(-1));
        const group = arithmetic.floorDivide(pid, columns.times(4))!.quotient;
        return [rows.minus(group.times(4)).plusConstant(-1), []];
      },
    ],
  ])('proves %s', (_, make) => {
    const arithmetic = new Arithmetic(new Terms());
    const [goal, facts] = make(arithmetic, atoms(arithmetic.terms));
    expect(new Prover(arithmetic.terms, facts).nonNegative(goal)).toBe(true);
    expect(new Prover(arithmetic.terms, facts).nonNegative(goal.plusConstant(-1))).toBe(false);
  });
});
