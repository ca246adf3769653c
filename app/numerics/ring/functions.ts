/** PyTorch's elementwise functions and folds, by the names that `app/numerics` has, in a ring. */
import type { Algebra } from './algebra';

type Number = number | bigint;
/** A function in either ring. `constant` is the payload of a float in the ring's own format. */
export interface Context<T extends Number> {
  readonly a: Algebra<T>;
  constant(value: number): T;
}
type Unary = <T extends Number>(c: Context<T>, x: T) => T;
type Binary = <T extends Number>(c: Context<T>, x: T, y: T) => T;
type Test = <T extends Number>(a: Algebra<T>, x: T, y: T) => boolean;

const sigmoid: Unary = ({ a }, x) => a.inverse(a.add(a.one, a.exp(a.neg(x))));

/** The functions that no tag stands for. */
export const UNARY: Readonly<Record<string, Unary>> = {
  neg: ({ a }, x) => a.neg(x),
  positive: (_, x) => x,
  abs: ({ a }, x) => a.abs(x),
  exp: ({ a }, x) => a.exp(x),
  exp2: ({ a }, x) => a.exp2(x),
  sin: ({ a }, x) => a.cosineAndSine(x)[1],
  cos: ({ a }, x) => a.cosineAndSine(x)[0],
  reciprocal: ({ a }, x) => a.inverse(x),
  square: ({ a }, x) => a.mul(x, x),
  relu: ({ a }, x) => a.max(x, a.zero),
  sigmoid,
  silu: (c, x) => c.a.mul(x, sigmoid(c, x)),
  gelu: (c, x) => {
    const { a } = c;
    const erf = a.tagged('erf')!(a.mul(x, c.constant(Math.SQRT1_2)));
    return a.mul(a.mul(x, c.constant(0.5)), a.add(a.one, erf));
  },
  gelu_tanh: (c, x) => {
    const { a } = c;
    const cube = a.mul(c.constant(0.044715), a.mul(a.mul(x, x), x));
    const inner = a.mul(c.constant(Math.sqrt(2 / Math.PI)), a.add(x, cube));
    return a.mul(a.mul(c.constant(0.5), x), a.add(a.one, a.tagged('tanh')!(inner)));
  },
};

export const BINARY: Readonly<Record<string, Binary>> = {
  add: ({ a }, x, y) => a.add(x, y),
  sub: ({ a }, x, y) => a.sub(x, y),
  mul: ({ a }, x, y) => a.mul(x, y),
  div: ({ a }, x, y) => a.div(x, y),
  maximum: ({ a }, x, y) => a.max(x, y),
  minimum: ({ a }, x, y) => a.min(x, y),
  fmax: ({ a }, x, y) => a.max(x, y),
  fmin: ({ a }, x, y) => a.min(x, y),
};

/** Comparisons, by the order of payloads. */
export const TESTS: Readonly<Record<string, Test>> = {
  eq: (_, x, y) => x === y,
  ne: (_, x, y) => x !== y,
  lt: (a, x, y) => a.less(x, y),
  gt: (a, x, y) => a.less(y, x),
  le: (a, x, y) => !a.less(y, x),
  ge: (a, x, y) => !a.less(x, y),
  logical_and: (a, x, y) => x !== a.zero && y !== a.zero,
  logical_or: (a, x, y) => x !== a.zero || y !== a.zero,
  logical_xor: (a, x, y) => (x !== a.zero) !== (y !== a.zero),
};
export const UNARY_TESTS: Readonly<
  Record<string, <T extends Number>(a: Algebra<T>, x: T) => boolean>
> = {
  logical_not: (a, x) => x === a.zero,
  isnan: () => false,
  isinf: (a, x) => a.isInfinite(x),
  isfinite: (a, x) => !a.isInfinite(x),
  signbit: (a, x) => x < a.zero,
};

type Row<T> = { readonly length: number; [index: number]: T };
type Fold = <T extends Number>(c: Context<T>, row: Row<T>, extra: number) => T;

function total<T extends Number>({ a }: Context<T>, row: Row<T>): T {
  let sum = a.zero;
  for (let i = 0; i < row.length; i++) sum = a.add(sum, row[i]!);
  return sum;
}
function extremum<T extends Number>(row: Row<T>, better: (x: T, y: T) => boolean): T {
  let best = row[0]!;
  for (let i = 1; i < row.length; i++) if (better(row[i]!, best)) best = row[i]!;
  return best;
}
const mean: Fold = (c, row) => c.a.div(total(c, row), c.constant(row.length));
const variance: Fold = (c, row, correction) => {
  const { a } = c;
  const middle = mean(c, row, 0);
  let sum = a.zero;
  for (let i = 0; i < row.length; i++) {
    const distance = a.sub(row[i]!, middle);
    sum = a.add(sum, a.mul(distance, distance));
  }
  return a.div(sum, c.constant(Math.max(0, row.length - correction)));
};

/** Reductions of a row. */
export const FOLDS: Readonly<Record<string, Fold>> = {
  sum: (c, row) => total(c, row),
  mean,
  prod: ({ a }, row) => {
    let product = a.one;
    for (let i = 0; i < row.length; i++) product = a.mul(product, row[i]!);
    return product;
  },
  amax: ({ a }, row) => extremum(row, (x, y) => a.less(y, x)),
  amin: ({ a }, row) => extremum(row, (x, y) => a.less(x, y)),
  var: variance,
  std: (c, row, correction) => c.a.tagged('sqrt')!(variance(c, row, correction)),
  logsumexp: (c, row) => {
    const [max, sum] = exponentials(c, row);
    return c.a.add(max, c.a.tagged('log')!(sum));
  },
};

/** The maximum of a row, and the sum of what exp makes of the distances from it. */
export function exponentials<T extends Number>(c: Context<T>, row: Row<T>): readonly [T, T] {
  const { a } = c;
  const max = extremum(row, (x, y) => a.less(y, x));
  let sum = a.zero;
  for (let i = 0; i < row.length; i++) sum = a.add(sum, a.exp(a.sub(row[i]!, max)));
  return [max, sum];
}

/**
 * Names that keep no identity of their own: a difference in the ring may be one of these functions,
 * written in another way.
 */
export const WITHOUT_IDENTITIES: ReadonlySet<string> = new Set(
  (
    'abs reciprocal relu sigmoid silu gelu gelu_tanh div maximum minimum fmax fmin lt gt le ge eq ne ' +
    'mean amax amin var std logsumexp softmax log_softmax argmax argmin sort topk cummax cummin norm'
  ).split(' '),
);
