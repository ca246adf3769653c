/**
 * Functions of f32, computed in f64 by polynomials and rounded once.
 *
 * Guarantee: the result is the f32 nearest to what the reference (`Math.exp` …) gives. A result
 * whose f64 lies so near to the middle of two f32 that the error of the polynomial could decide,
 * and every special value, is computed by the reference itself (the import `f`). The error is below
 * 2^-38 of the result; about one element in 2^13 is that near: of 4 M elements, 500.
 *
 * The reductions are those of fdlibm (e_exp.c, e_log.c, k_sin.c); the series are cut at 2^-40.
 */
import { V128, call, f64, f64x2, i32, i64x2, s, v } from './code';
import type { Body, Code } from './code';
import { assemble, element, hold, toDoubles, toSingles } from './elements';
import type { Four } from './elements';

const add = (a: Code, b: Code): Code => v('f64x2.add', a, b);
const sub = (a: Code, b: Code): Code => v('f64x2.sub', a, b);
const mul = (a: Code, b: Code): Code => v('f64x2.mul', a, b);
const div = (a: Code, b: Code): Code => v('f64x2.div', a, b);

/** Horner's rule; the coefficients from the constant on. */
function polynomial(x: Code, coefficients: readonly number[]): Code {
  return coefficients
    .slice(0, -1)
    .reduceRight((sum, c) => add(mul(sum, x), f64x2(c)), f64x2(coefficients.at(-1)!));
}

/** Adding it rounds to the nearest integer, which is then in the low bits. */
const MAGIC = 1.5 * 2 ** 52;
const FACTORIALS = [1, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800];

/** 2^k and 2^k · (e^r − 1), whose sum is e^x; −708 < x < 708. */
function exponential(body: Body, x: Code): { scale: Code; rest: Code } {
  const shifted = body.let(V128, add(mul(x, f64x2(Math.LOG2E)), f64x2(MAGIC)));
  const k = body.let(V128, sub(shifted, f64x2(MAGIC)));
  const high = sub(x, mul(k, f64x2(6.9314718036912381649e-1)));
  const r = body.let(V128, sub(high, mul(k, f64x2(1.90821492927058770002e-10))));
  const series = FACTORIALS.slice(1, 11).map((n) => 1 / n);
  const powers = v('i64x2.shl', shifted, i32(52));
  const scale = body.let(V128, v('i64x2.add', powers, f64x2(1)));
  return { scale, rest: body.let(V128, mul(scale, mul(r, polynomial(r, series)))) };
}

/** Brings x into what `exponential` takes; f32 is 0 or infinite long before. */
const clamped = (x: Code): Code => v('f64x2.pmin', v('f64x2.pmax', x, f64x2(-700)), f64x2(700));

function exp(body: Body, x: Code): Code {
  const { scale, rest } = exponential(body, body.let(V128, clamped(x)));
  return add(scale, rest);
}

function log(body: Body, x: Code): Code {
  const bits = body.let(V128, v('i64x2.add', x, i64x2(0x95f6400000000n)));
  // The exponent, as a double: its bits behind those of 2^52.
  const exponent = v('or', v('i64x2.shr_u', bits, i32(52)), i64x2(0x4330000000000000n));
  const k = body.let(V128, sub(exponent, f64x2(2 ** 52 + 1023)));
  const fraction = v('and', bits, i64x2(0xfffffffffffffn));
  const m = v('i64x2.add', fraction, i64x2(0x3fe6a09c00000000n));
  const f = body.let(V128, sub(m, f64x2(1)));
  const t = body.let(V128, div(f, add(f, f64x2(2))));
  const z = body.let(V128, mul(t, t));
  const series = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((n) => 2 / (2 * n + 1));
  return add(
    mul(k, f64x2(6.9314718036912381649e-1)),
    add(mul(k, f64x2(1.90821492927058770002e-10)), mul(t, polynomial(z, series))),
  );
}

function tanh(body: Body, x: Code): Code {
  const size = body.let(V128, v('f64x2.pmin', v('f64x2.abs', x), f64x2(30)));
  const { scale, rest } = exponential(body, body.let(V128, add(size, size)));
  const minus = body.let(V128, add(sub(scale, f64x2(1)), rest));
  const positive = div(minus, add(minus, f64x2(2)));
  return v('or', positive, v('and', x, i64x2(-(2n ** 63n))));
}

function sigmoid(body: Body, x: Code): Code {
  return div(f64x2(1), add(f64x2(1), exp(body, body.let(V128, v('f64x2.neg', x)))));
}

/** sin(x + turns · π/2), |x| < 10^5. */
function sine(turns: bigint) {
  return (body: Body, x: Code): Code => {
    const shifted = body.let(V128, add(mul(x, f64x2(2 / Math.PI)), f64x2(MAGIC)));
    const n = body.let(V128, sub(shifted, f64x2(MAGIC)));
    const high = sub(x, mul(n, f64x2(1.57079632673412561417)));
    const r = body.let(V128, sub(high, mul(n, f64x2(6.07710050650619224932e-11))));
    const z = body.let(V128, mul(r, r));
    const odd = [1, -6, 120, -5040, 362880, -39916800, 6227020800].map((d) => 1 / d);
    const even = [1, -2, 24, -720, 40320, -3628800, 479001600].map((d) => 1 / d);
    const quadrant = body.let(V128, v('i64x2.add', shifted, i64x2(turns)));
    const cosine = v('i64x2.ne', v('and', quadrant, i64x2(1n)), i64x2(0n));
    const value = v('bitselect', polynomial(z, even), mul(r, polynomial(z, odd)), cosine);
    return v('xor', value, v('i64x2.shl', v('i64x2.shr_u', quadrant, i32(1)), i32(63)));
  };
}

/** Lanes where the polynomial holds; elsewhere the reference is called. */
type Domain = (x: Code) => Code;
const below =
  (limit: number): Domain =>
  (x) =>
    v('f64x2.lt', v('f64x2.abs', x), f64x2(limit));
const positive: Domain = (x) =>
  v('and', v('f64x2.gt', x, f64x2(0)), v('f64x2.lt', x, f64x2(Infinity)));
const ordered: Domain = (x) => v('f64x2.eq', x, x);

/** Half of the middle's neighbourhood, in units of the last place of f64: 2^-38 of the result. */
const NEAR = 2n ** 15n;

/**
 * Lanes that are an f32 for sure: not near a middle, and either 0, infinite, or normal.
 */
function certain(y: Code): Code {
  const rest = v('and', y, i64x2(0x1fffffffn));
  const away = v('i64x2.gt', v('i64x2.abs', v('i64x2.sub', rest, i64x2(0x10000000n))), i64x2(NEAR));
  const normal = v('f64x2.ge', v('f64x2.abs', y), f64x2(2 ** -126));
  return v('and', away, v('or', normal, v('f64x2.lt', v('f64x2.abs', y), f64x2(2 ** -160))));
}

function guarded(f: (body: Body, x: Code) => Code, domain: Domain) {
  return (body: Body, four: Four): Four => {
    const x = toDoubles(body, four);
    const y = x.map((each) => body.let(V128, f(body, each)));
    const good = hold(
      body,
      x.map((each, i) => v('and', domain(each), certain(y[i]!))),
    );
    const result = body.let(V128, toSingles(body, y)[0]!);
    const local = body.local(V128);
    body.set(local, result);
    body.when(v('any_true', v('not', v('and', good[0]!, good[1]!))), () => {
      const exact = assemble(
        'f64',
        [0, 1, 2, 3].map((i) => call(0, element('f64', x, i), f64(0))),
      );
      body.set(local, toSingles(body, hold(body, exact))[0]!);
    });
    return [body.get(local)];
  };
}

export const TRANSCENDENTAL: Readonly<Record<string, (body: Body, four: Four) => Four>> = {
  exp: guarded(exp, ordered),
  exp2: guarded((body, x) => exp(body, body.let(V128, mul(x, f64x2(Math.LN2)))), below(1000)),
  log: guarded(log, positive),
  log2: guarded((body, x) => mul(log(body, x), f64x2(Math.LOG2E)), positive),
  log10: guarded((body, x) => mul(log(body, x), f64x2(Math.LOG10E)), positive),
  sin: guarded(sine(0n), below(1e5)),
  cos: guarded(sine(1n), below(1e5)),
  tanh: guarded(tanh, ordered),
  sigmoid: guarded(sigmoid, ordered),
  silu: guarded((body, x) => mul(x, sigmoid(body, x)), below(1e4)),
};
export { s };
