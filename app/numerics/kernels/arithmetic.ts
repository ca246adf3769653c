/**
 * Elementwise operations on four elements. The results are bit for bit those of `../elementwise`,
 * which is the reference of their test: what f32 arithmetic rounds otherwise than f64 does is
 * computed in f64. An operation that is absent here has no kernel.
 */
import type { Dtype } from '../dtypes';
import {
  I32, I64, V128, call, f64, f64x2, i32, i32x4, i64, i64x2, s, v,
} from './code'; // prettier-ignore
import type { Body, Code, Vector } from './code';
import {
  assemble, element, hold, isWide, lowWords, maskFor, toDoubles, toSingles, truth,
} from './elements'; // prettier-ignore
import type { Four, Kind } from './elements';
import { TRANSCENDENTAL } from './transcendental';

/** The surroundings of an operation, whose operands are in the compute dtype's kind. */
export interface Context {
  readonly body: Body;
  readonly kind: Kind;
  readonly dtype: Dtype;
  /** A local, i32, that is set where an integer is divided by zero. */
  readonly trouble: number;
}
type Operation = (context: Context, a: Four, b: Four) => Four | null;

const LANES = { f32: 'f32x4', f64: 'f64x2', i32: 'i32x4', i64: 'i64x2' } as const;

const isFloat = (kind: Kind): boolean => kind === 'f32' || kind === 'f64';

/** The same vector instruction on every part. */
function plain({ kind }: Context, name: string, a: Four, b?: Four): Four {
  const full = `${LANES[kind]}.${name}` as Vector;
  return a.map((x, i) => (b ? v(full, x, b[i]!) : v(full, x)));
}
const instruction =
  (name: string, kinds = 'f32 f64 i32 i64'): Operation =>
  (context, a, b) =>
    kinds.includes(context.kind) ? plain(context, name, a, b.length ? b : undefined) : null;

const bits =
  (name: 'and' | 'or' | 'xor'): Operation =>
  ({ kind }, a, b) =>
    isFloat(kind) ? null : a.map((x, i) => v(name, x, b[i]!));

/** 0 or 1 in words, from a comparison of floats or integers. */
const comparison =
  (name: string): Operation =>
  (context, a, b) => {
    const masks = plain(context, name, a, b);
    return [v('and', masks.length === 1 ? masks[0]! : lowWords(masks), i32x4(1))];
  };

/** `a` where it wins or is NaN, else `b`: with equal operands, `b`. */
const best =
  (greater: boolean): Operation =>
  (context, a, b) => {
    if (!isFloat(context.kind)) {
      const wins = plain(context, greater ? 'gt' : 'lt', a, b);
      return a.map((x, i) => v('bitselect', x, b[i]!, wins[i]!));
    }
    // pmax(b, a) is b < a ? a : b; pmin(b, a) is a < b ? a : b.
    const chosen = plain(context, greater ? 'pmax' : 'pmin', b, a);
    const nan = plain(context, 'ne', a, a);
    return a.map((x, i) => v('bitselect', x, chosen[i]!, nan[i]!));
  };

/** Element by element, on scalars of an integer kind. */
function scalars(
  { body, kind }: Context,
  a: Four,
  b: Four,
  f: (x: Code, y: Code, word: 'i32' | 'i64') => Code,
): Four {
  const word = kind as 'i32' | 'i64';
  const type = word === 'i32' ? I32 : I64;
  return assemble(
    kind,
    [0, 1, 2, 3].map((i) => {
      const x = body.let(type, element(kind, a, i));
      const y = body.let(type, element(kind, b, i));
      return body.let(type, f(x, y, word));
    }),
  );
}

const number = (word: 'i32' | 'i64', value: number): Code =>
  word === 'i32' ? i32(value) : i64(BigInt(value));
/** Instructions of both words. */
type Shared = 'eqz' | 'eq' | 'lt' | 'ge_u' | 'add' | 'sub' | 'div' | 'rem' | 'xor' | 'shl' | 'shr';
const on = (word: 'i32' | 'i64', name: Shared, ...operands: readonly Code[]): Code =>
  s(`${word}.${name}`, ...operands);

/**
 * Quotient or remainder. A divisor of −1 is taken out: the machine's quotient of the smallest
 * number by it traps. `floor`: the remainder has the divisor's sign.
 */
const divided =
  (what: 'quotient' | 'remainder', floor: boolean): Operation =>
  (context, a, b) => {
    const { body, kind, trouble } = context;
    if (isFloat(kind)) return what === 'remainder' ? floatRemainder(context, a, b, floor) : null;
    const type = kind === 'i32' ? I32 : I64;
    return scalars(context, a, b, (x, y, word) => {
      const zero = on(word, 'eqz', y);
      body.do([...body.get(trouble), ...zero, 0x72, 0x21, trouble]);
      const minus = body.let(I32, on(word, 'eq', y, number(word, -1)));
      const special = body.let(I32, s('i32.or', minus, on(word, 'eqz', y)));
      const divisor = body.let(type, s('select', number(word, 1), y, special));
      const rest = body.let(type, on(word, 'rem', x, divisor));
      // The remainder's sign is the dividend's: floors differ where it is not the divisor's.
      const off = body.let(
        I32,
        s(
          'i32.and',
          s('i32.eqz', on(word, 'eqz', rest)),
          on(word, 'lt', on(word, 'xor', x, y), number(word, 0)),
        ),
      );
      if (what === 'remainder')
        return floor ? on(word, 'add', rest, s('select', y, number(word, 0), off)) : rest;
      const quotient = on(word, 'div', x, divisor);
      const exact = body.let(
        type,
        s('select', on(word, 'sub', number(word, 0), x), quotient, minus),
      );
      return floor
        ? on(word, 'sub', exact, s('select', number(word, 1), number(word, 0), off))
        : exact;
    });
  };

/**
 * In f64, of f32 operands: the product of the quotient and the divisor is exact where the quotient
 * is below 2^26, so what is left is the remainder; elsewhere the reference is called.
 */
function floatRemainder(context: Context, a: Four, b: Four, floor: boolean): Four | null {
  const { body, kind } = context;
  if (kind !== 'f32') return null;
  const x = toDoubles(body, a);
  const y = toDoubles(body, b);
  const quotient = hold(
    body,
    x.map((each, i) => v('f64x2.trunc', v('f64x2.div', each, y[i]!))),
  );
  const out = x.map(() => body.local(V128));
  const below = (value: Code, limit: number): Code =>
    v('f64x2.lt', v('f64x2.abs', value), f64x2(limit));
  // By an infinite divisor the quotient is 0, and its product with the divisor is NaN.
  const small = quotient.map((q, i) => v('and', below(q, 2 ** 26), below(y[i]!, Infinity)));
  body.when(
    s('i32.eqz', v('any_true', v('not', v('and', small[0]!, small[1]!)))),
    () =>
      x.forEach((each, i) => {
        const rest = body.let(V128, v('f64x2.sub', each, v('f64x2.mul', quotient[i]!, y[i]!)));
        // A remainder of zero has the dividend's sign.
        const zero = body.let(V128, v('f64x2.eq', rest, f64x2(0)));
        const sign = v('and', each, i64x2(-(2n ** 63n)));
        const signed = body.let(V128, v('bitselect', sign, rest, zero));
        if (!floor) return body.set(out[i]!, signed);
        const other = v('i64x2.lt', v('xor', rest, y[i]!), i64x2(0n));
        const add = v('and', y[i]!, v('andnot', other, zero));
        const moved = v('f64x2.add', signed, add);
        body.set(out[i]!, v('bitselect', signed, moved, zero));
      }),
    () => {
      const whole = assemble(
        'f64',
        [0, 1, 2, 3].map((i) => call(0, element('f64', x, i), element('f64', y, i))),
      );
      whole.forEach((part, i) => body.set(out[i]!, part));
    },
  );
  return toSingles(
    body,
    out.map((local) => body.get(local)),
  );
}

const shift =
  (left: boolean): Operation =>
  (context, a, b) => {
    const { body, kind } = context;
    if (isFloat(kind)) return null;
    const width = kind === 'i32' ? 32 : 64;
    return scalars(context, a, b, (x, y, word) => {
      const beyond = body.let(I32, on(word, 'ge_u', y, number(word, width)));
      if (left) return s('select', number(word, 0), on(word, 'shl', x, y), beyond);
      return on(word, 'shr', x, s('select', number(word, width - 1), y, beyond));
    });
  };

const logical =
  (name: 'and' | 'or' | 'xor'): Operation =>
  ({ body, kind }, a, b) => [v(name, truth(body, kind, a)[0]!, truth(body, kind, b)[0]!)];

/** Computed in f64 where the kind is f32. */
const inDoubles =
  (f: (x: Code) => Code): Operation =>
  ({ body, kind }, a) => {
    if (kind === 'f64') return a.map(f);
    return kind === 'f32' ? toSingles(body, toDoubles(body, a).map(f)) : null;
  };

/** Integers are what they are. */
const rounding =
  (name: string): Operation =>
  (context, a) =>
    isFloat(context.kind) ? plain(context, name, a) : a;

const relu: Operation = (context, a) => {
  const zero = a.map(() => i32x4(0));
  return best(true)(context, a, zero);
};

const isnan: Operation = (context, a) =>
  isFloat(context.kind) ? comparison('ne')(context, a, a) : null;

const opposite: Operation = ({ body, kind }, a) => [v('xor', truth(body, kind, a)[0]!, i32x4(1))];

const finite =
  (name: 'lt' | 'eq'): Operation =>
  (context, a, b) => {
    if (!isFloat(context.kind)) return null;
    void b;
    const infinity = a.map(() => (context.kind === 'f32' ? i32x4(0x7f800000) : f64x2(Infinity)));
    return comparison(name)(context, hold(context.body, plain(context, 'abs', a)), infinity);
  };

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  add: instruction('add'),
  sub: instruction('sub'),
  mul: instruction('mul'),
  div: instruction('div', 'f32 f64'),
  floor_divide: divided('quotient', true),
  trunc_divide: divided('quotient', false),
  remainder: divided('remainder', true),
  fmod: divided('remainder', false),
  maximum: best(true),
  minimum: best(false),
  eq: comparison('eq'),
  ne: comparison('ne'),
  lt: comparison('lt'),
  le: comparison('le'),
  gt: comparison('gt'),
  ge: comparison('ge'),
  logical_and: logical('and'),
  logical_or: logical('or'),
  logical_xor: logical('xor'),
  bitwise_and: bits('and'),
  bitwise_or: bits('or'),
  bitwise_xor: bits('xor'),
  shift_left: shift(true),
  shift_right: shift(false),
  neg: instruction('neg'),
  abs: instruction('abs'),
  square: (context, a) => plain(context, 'mul', a, a),
  sqrt: instruction('sqrt', 'f32 f64'),
  rsqrt: inDoubles((x) => v('f64x2.div', f64x2(1), v('f64x2.sqrt', x))),
  reciprocal: inDoubles((x) => v('f64x2.div', f64x2(1), x)),
  floor: rounding('floor'),
  ceil: rounding('ceil'),
  trunc: rounding('trunc'),
  round: rounding('nearest'),
  relu,
  isnan,
  isinf: finite('eq'),
  isfinite: finite('lt'),
  logical_not: opposite,
  bitwise_not: ({ kind }, a) => (isFloat(kind) ? null : a.map((x) => v('not', x))),
  ...Object.fromEntries(
    Object.entries(TRANSCENDENTAL).map(([name, f]): [string, Operation] => [
      name,
      ({ body, kind }, a) => (kind === 'f32' ? f(body, a) : null),
    ]),
  ),
};

/** `condition ? a : b`; the condition is words of 0 or 1. */
export function chosen({ body, kind }: Context, [condition]: Four, a: Four, b: Four): Four {
  const mask = maskFor(body, kind, body.let(V128, v('i32x4.ne', condition!, i32x4(0))));
  return a.map((x, i) => v('bitselect', x, b[i]!, mask[i]!));
}
export { f64, isWide };
