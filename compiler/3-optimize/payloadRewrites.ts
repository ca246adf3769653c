/**
 * Rules of `fp_sanitizer`: the integer operations in place of each operation on floats. The
 * operands are payloads already, and the types of all values are integers; `dtypes` has the floats
 * that they stand for.
 */
import { MESSAGES } from '../codes';
import { DiagnosticError } from '../diagnostics';
import type { Builder, FloatPredicate, IntPredicate } from '../ir/builder';
import type { Operation, Value } from '../ir/ir';
import { OPS, type OpName } from '../ir/ops';
import { payloadOf, symbolTag, TAGGED } from '../ir/payloads';
import { bitWidth, dtypeOf, scalar, withElement } from '../ir/types';
import type { FloatType } from '../ir/types';
import { LOG2E, type Payloads } from './payloadOps';

export interface Rewriting {
  readonly op: Operation;
  /** Inserts before the operation. */
  readonly builder: Builder;
  readonly to: Payloads;
  /** The float type of each operand; undefined for other operands. */
  readonly dtypes: readonly (FloatType | undefined)[];
  /** The float type of the first result. */
  readonly result: FloatType | undefined;
  /** Floats are ordered by their payloads, and infinities absorb. */
  readonly proves: boolean;
  /** Whether each operand may be an infinity that absorbs; never where it does not prove. */
  readonly infinite: readonly boolean[];
}

/** @returns the values in place of the results; undefined where the operation itself stays. */
export type Rewrite = (context: Rewriting) => readonly Value[] | undefined;

const binary =
  (name: OpName): Rewrite =>
  (context) => {
    const { op, builder } = context;
    return [absorbed(context, builder.binary(name, op.operand(0), op.operand(1)))];
  };
/** The result, or the first operand that is an infinity. */
function absorbed({ op, builder, to, dtypes, infinite }: Rewriting, result: Value): Value {
  let value = result;
  for (const i of [1, 0]) {
    if (!infinite[i]) continue;
    const x = op.operand(i);
    // A finite number less an infinity is the other one.
    const negated = i === 1 && op.name === 'arith.subf';
    const y = negated ? builder.binary('arith.subi', to.constant(x, 0n), x) : x;
    value = builder.select(to.isInfinite(dtypes[i]!, x), y, value);
  }
  return value;
}
const extremum =
  (name: 'arith.maxsi' | 'arith.minsi'): Rewrite =>
  (context) => {
    const { op, builder, to, dtypes, infinite } = context;
    const [x, y] = [op.operand(0), op.operand(1)];
    if (!infinite.some(Boolean)) return [builder.binary(name, x, y)];
    const keys = [x, y].map((each) => to.orderWithInfinities(dtypes[0]!, each));
    const first = to.is(name === 'arith.maxsi' ? 'sge' : 'sle', keys[0]!, keys[1]!);
    return [builder.select(first, x, y)];
  };
const function1 =
  (compute: (to: Payloads, x: Value) => Value): Rewrite =>
  ({ op, to }) => [compute(to, op.operand(0))];
/** An exponential is 0 of -inf. */
const exponential =
  (name: 'exp' | 'exp2'): Rewrite =>
  ({ op, builder, to, dtypes, infinite }) => {
    const x = op.operand(0);
    const power = to[name](x);
    if (!infinite[0]) return [power];
    const [below, above] = to.infinities(dtypes[0]!, x);
    return [to.choose(below, 0n, builder.select(above, x, power))];
  };
const tagged = (id: number): Rewrite => function1((to, x) => to.tagged(x, id));
/** A function that is libdevice's in Triton; `f` ends its name for f32 and narrower floats. */
const symbol =
  (name: string): Rewrite =>
  ({ op, to, result }) => {
    const width = bitWidth(result!);
    return [to.symbol(op.operands, symbolTag(`__nv_${name}${width === 64 ? '' : 'f'}`, width))];
  };

const division: Rewrite = (context) => {
  const { op, to, infinite } = context;
  const [x, y] = [op.operand(0), op.operand(1)];
  const inverse = context.proves ? to.multiplicativeInverse(y) : to.inverse(y);
  const quotient = to.do('mul', x, inverse);
  return [absorbed({ ...context, infinite: [infinite[0]!, false] }, quotient)];
};
const remainder: Rewrite = ({ op, builder, to }) => [
  builder.binary('arith.remsi', op.operand(0), to.do('or', op.operand(1), 1n)),
];

/** A payload in another width: sign-extended, or cut. */
function resized(builder: Builder, x: Value, like: Value): Value {
  const [from, element] = [dtypeOf(x.type)!, dtypeOf(like.type)!];
  if (from === element) return x;
  const name = bitWidth(from) < bitWidth(element) ? 'arith.extsi' : 'arith.trunci';
  return builder.cast(name, x, scalar(element));
}
const conversion: Rewrite = ({ op, builder, to, dtypes, result, infinite }) => {
  const x = op.operand(0);
  const value = resized(builder, x, op.result);
  if (!infinite[0]) return [value];
  const [below, above] = to.infinities(dtypes[0]!, x);
  const [low, high] = [-Infinity, Infinity].map((each) =>
    builder.constant(op.result.type, payloadOf(result!, each)),
  );
  return [builder.select(below, low!, builder.select(above, high!, value))];
};

/** In the sum's width, of at least 32 bits: what is cut afterwards does not change the rest. */
const dot: Rewrite = ({ op, builder }) => {
  const [a, b, acc] = [op.operand(0), op.operand(1), op.operand(2)];
  const element = scalar(dtypeOf(acc.type) === 'i64' ? 'i64' : 'i32');
  const wide = (x: Value): Value =>
    dtypeOf(x.type) === element.dtype ? x : builder.cast('arith.extsi', x, element);
  const sum = builder.dot(wide(a), wide(b), wide(acc));
  return [resized(builder, sum, acc)];
};

const comparison: Rewrite = ({ op, builder, to, dtypes, proves, infinite }) => {
  const { predicate } = op.attributes as { readonly predicate: FloatPredicate };
  if (proves) {
    const keys = [0, 1].map((i) =>
      infinite.some(Boolean) ? to.orderWithInfinities(dtypes[0]!, op.operand(i)) : op.operand(i),
    );
    return [to.is(INTEGER_PREDICATES[predicate], keys[0]!, keys[1]!)];
  }
  const bits = [0, 1].map((i) => to.unembed(dtypes[i]!, op.operand(i)));
  return [compared(builder, to, dtypes[0]!, predicate, bits[0]!, bits[1]!)];
};

const INTEGER_PREDICATES = {
  oeq: 'eq',
  une: 'ne',
  ogt: 'sgt',
  oge: 'sge',
  olt: 'slt',
  ole: 'sle',
} as const satisfies Record<FloatPredicate, IntPredicate>;

/** IEEE's comparison of two floats by their bits. */
function compared(
  builder: Builder,
  to: Payloads,
  dtype: FloatType,
  predicate: FloatPredicate,
  x: Value,
  y: Value,
): Value {
  const [u, v] = [to.order(dtype, x), to.order(dtype, y)];
  const ordered = to.is(INTEGER_PREDICATES[predicate], u, v);
  const [nanX, nanY] = [to.isNan(dtype, x), to.isNan(dtype, y)];
  if (!nanX || !nanY) return ordered;
  const nan = builder.binary('arith.ori', nanX, nanY);
  if (predicate === 'une') return builder.binary('arith.ori', ordered, nan);
  const none = builder.binary('arith.xori', nan, builder.constant(nan.type, true));
  return builder.binary('arith.andi', ordered, none);
}

/** min(max(x, low), high) of floats, by their bits. */
const clamp: Rewrite = ({ op, builder, to, dtypes, proves }) => {
  const dtype = dtypes[0]!;
  if (proves) {
    const above = builder.binary('arith.maxsi', op.operand(0), op.operand(1));
    return [builder.binary('arith.minsi', above, op.operand(2))];
  }
  const [x, low, high] = op.operands.map((each) => to.unembed(dtype, each));
  const { propagateNan } = op.attributes as { readonly propagateNan: string };
  const is = (predicate: FloatPredicate, a: Value, b: Value): Value =>
    compared(builder, to, dtype, predicate, a, b);
  const raised = builder.select(is('olt', x!, low!), low!, x!);
  const nan = to.isNan(dtype, x!);
  const number = nan && propagateNan === 'none' ? builder.select(nan, low!, raised) : raised;
  const limited = builder.select(is('ogt', number, high!), high!, number);
  return [to.embed(dtype, limited)];
};

/** Clears the sign bit; of a proof's payload, the sign. */
const absolute: Rewrite = ({ op, builder, to, result, proves }) => {
  if (proves) {
    const x = op.operand(0);
    const negative = builder.binary('arith.subi', to.constant(x, 0n), x);
    return [builder.select(to.is('slt', x, 0n), negative, x)];
  }
  const bits = to.unembed(result!, op.operand(0));
  const mask = (1n << BigInt(bitWidth(result!) - 1)) - 1n;
  return [to.embed(result!, to.do('and', bits, mask))];
};

/** By the float that a payload stands for, as the GPU converts it. */
const toInteger: Rewrite = ({ op, builder, to, dtypes, proves }) => {
  if (proves) return refuse(op, 'conversion to an integer');
  const bits = to.unembed(dtypes[0]!, op.operand(0));
  const float = builder.cast('arith.bitcast', bits, scalar(dtypes[0]!));
  return [builder.value(op.name, [float], op.result.type)];
};
const fromInteger: Rewrite = ({ op, builder, to, result }) => {
  const type = withElement(op.result.type, scalar(result!));
  const float = builder.value(op.name, [op.operand(0)], type);
  const bits = builder.value('arith.bitcast', [float], op.result.type);
  return [to.embed(result!, bits)];
};
/** Between a float and an integer, or two formats of one width: the bits are the same. */
const bitcast: Rewrite = ({ op, to, dtypes, result }) => {
  const [from] = dtypes;
  const bits = from ? to.unembed(from, op.operand(0)) : op.operand(0);
  return [result ? to.embed(result, bits) : bits];
};

const load: Rewrite = ({ op, builder, to, dtypes, result }) => {
  const [pointer, mask, other] = op.operands;
  const bits = other && to.unembed(dtypes[2]!, other);
  const loaded = builder.load(pointer!, mask, bits, { ...op.attributes });
  return [to.embed(result!, loaded)];
};
const store: Rewrite = ({ op, to, dtypes }) => {
  op.setOperand(1, to.unembed(dtypes[1]!, op.operand(1)));
  return undefined;
};
const print: Rewrite = ({ op, builder, to, dtypes }) => {
  op.operands = op.operands.map((value, i) => {
    const dtype = dtypes[i];
    return dtype ? builder.cast('arith.bitcast', to.unembed(dtype, value), scalar(dtype)) : value;
  });
  return undefined;
};
const exchange: Rewrite = ({ op, builder, to, dtypes, result }) => {
  const values = op.operands.map((value, i) => {
    const dtype = dtypes[i];
    return dtype ? to.unembed(dtype, value) : value;
  });
  const old = builder.value(op.name, values, op.result.type, { ...op.attributes });
  return [to.embed(result!, old)];
};

const COSINE: Rewrite = ({ op, to }) => [to.cosineAndSine(op.operand(0))[0]];
const SINE: Rewrite = ({ op, to }) => [to.cosineAndSine(op.operand(0))[1]];
const FMA: Rewrite = ({ op, to }) => [
  to.do('add', to.do('mul', op.operand(0), op.operand(1)), op.operand(2)),
];
const atomic: Rewrite = (context) => {
  const kind = String(context.op.attributes['kind']);
  return kind === 'exch' ? exchange(context) : refuse(context.op, `atomic ${kind}`);
};

/** @throws DiagnosticError: it has no meaning in the ring. */
export function refuse(op: Operation, operation: string): never {
  const message = MESSAGES.HC0511.operation({ operation });
  const { location } = op;
  throw new DiagnosticError({ code: 'HC0511', severity: 'error', message, location, notes: [] });
}

/**
 * The rule of an operation; `same` where it is right as it stands, once its types are integers: it
 * moves values, carries them, or has regions that compute. Undefined: it has no meaning.
 */
export function rewriteOf(name: OpName): Rewrite | 'same' | undefined {
  const { kind } = OPS[name];
  const moves = kind === 'tile' || kind === 'control' || kind === 'terminator';
  return REWRITES[name] ?? (moves ? 'same' : undefined);
}

const REWRITES: Partial<Record<OpName, Rewrite | 'same'>> = {
  'arith.addf': binary('arith.addi'),
  'arith.subf': binary('arith.subi'),
  'arith.mulf': binary('arith.muli'),
  'arith.negf': ({ op, builder, to }) => [
    builder.binary('arith.subi', to.constant(op.operand(0), 0n), op.operand(0)),
  ],
  'arith.divf': division,
  'tt.precise_divf': division,
  'arith.remf': remainder,
  'math.fma': FMA,
  'arith.maximumf': extremum('arith.maxsi'),
  'arith.maxnumf': extremum('arith.maxsi'),
  'arith.minimumf': extremum('arith.minsi'),
  'arith.minnumf': extremum('arith.minsi'),
  'tt.dot': dot,
  'arith.extf': conversion,
  'arith.truncf': conversion,
  'tt.fp_to_fp': conversion,
  'math.exp': exponential('exp'),
  'math.exp2': exponential('exp2'),
  'math.cos': COSINE,
  'math.sin': SINE,
  'math.log': tagged(TAGGED.log),
  'math.log2': (context) =>
    context.proves
      ? [context.to.times(context.to.tagged(context.op.operand(0), TAGGED.log), LOG2E)]
      : tagged(TAGGED.log2)(context),
  'math.sqrt': tagged(TAGGED.sqrt),
  'math.rsqrt': (context) =>
    context.proves
      ? [context.to.multiplicativeInverse(context.to.tagged(context.op.operand(0), TAGGED.sqrt))]
      : tagged(TAGGED.rsqrt)(context),
  'math.erf': tagged(TAGGED.erf),
  'math.floor': tagged(TAGGED.floor),
  'math.ceil': tagged(TAGGED.ceil),
  'tt.precise_sqrt': (context) =>
    tagged(context.proves ? TAGGED.sqrt : TAGGED.precise_sqrt)(context),
  'math.expm1': symbol('expm1'),
  'math.log1p': symbol('log1p'),
  'math.tan': symbol('tan'),
  'math.asin': symbol('asin'),
  'math.acos': symbol('acos'),
  'math.atan': symbol('atan'),
  'math.atan2': symbol('atan2'),
  'math.sinh': symbol('sinh'),
  'math.cosh': symbol('cosh'),
  'math.tanh': symbol('tanh'),
  'math.powf': symbol('pow'),
  'math.round': symbol('round'),
  'math.roundeven': symbol('rint'),
  'math.trunc': symbol('trunc'),
  'arith.select': 'same',
  'arith.cmpf': comparison,
  'tt.clampf': clamp,
  'math.absf': absolute,
  'arith.fptosi': toInteger,
  'arith.fptoui': toInteger,
  'arith.sitofp': fromInteger,
  'arith.uitofp': fromInteger,
  'arith.bitcast': bitcast,
  'tt.load': load,
  'tt.store': store,
  'tt.print': print,
  'tt.atomic_cas': exchange,
  'tt.atomic_rmw': atomic,
};
