/**
 * Rules of `fp_sanitizer`: the integer operations in place of each operation on floats. The
 * operands are payloads already, and the types of all values are integers; `dtypes` has the floats
 * that they stand for.
 */
import { MESSAGES } from '../codes';
import { DiagnosticError } from '../diagnostics';
import type { Builder, FloatPredicate } from '../ir/builder';
import type { Operation, Value } from '../ir/ir';
import type { OpName } from '../ir/ops';
import { symbolTag, TAGGED } from '../ir/payloads';
import { bitWidth, dtypeOf, scalar, withElement } from '../ir/types';
import type { FloatType } from '../ir/types';
import type { Payloads } from './payloadOps';

export interface Rewriting {
  readonly op: Operation;
  /** Inserts before the operation. */
  readonly builder: Builder;
  readonly to: Payloads;
  /** The float type of each operand; undefined for other operands. */
  readonly dtypes: readonly (FloatType | undefined)[];
  /** The float type of the first result. */
  readonly result: FloatType | undefined;
}

/** @returns the values in place of the results; undefined where the operation itself stays. */
export type Rewrite = (context: Rewriting) => readonly Value[] | undefined;

const binary =
  (name: OpName): Rewrite =>
  ({ op, builder }) => [builder.binary(name, op.operand(0), op.operand(1))];
const function1 =
  (compute: (to: Payloads, x: Value) => Value): Rewrite =>
  ({ op, to }) => [compute(to, op.operand(0))];
const tagged = (id: number): Rewrite => function1((to, x) => to.tagged(x, id));
/** A function that is libdevice's in Triton; `f` ends its name for f32 and narrower floats. */
const symbol =
  (name: string): Rewrite =>
  ({ op, to, result }) => {
    const width = bitWidth(result!);
    return [to.symbol(op.operands, symbolTag(`__nv_${name}${width === 64 ? '' : 'f'}`, width))];
  };

const division: Rewrite = ({ op, to }) => [to.do('mul', op.operand(0), to.inverse(op.operand(1)))];
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
const conversion: Rewrite = ({ op, builder }) => [resized(builder, op.operand(0), op.result)];

/** In the sum's width, of at least 32 bits: what is cut afterwards does not change the rest. */
const dot: Rewrite = ({ op, builder }) => {
  const [a, b, acc] = [op.operand(0), op.operand(1), op.operand(2)];
  const element = scalar(dtypeOf(acc.type) === 'i64' ? 'i64' : 'i32');
  const wide = (x: Value): Value =>
    dtypeOf(x.type) === element.dtype ? x : builder.cast('arith.extsi', x, element);
  const sum = builder.dot(wide(a), wide(b), wide(acc));
  return [resized(builder, sum, acc)];
};

const comparison: Rewrite = ({ op, builder, to, dtypes }) => {
  const { predicate } = op.attributes as { readonly predicate: FloatPredicate };
  const bits = [0, 1].map((i) => to.unembed(dtypes[i]!, op.operand(i)));
  return [compared(builder, to, dtypes[0]!, predicate, bits[0]!, bits[1]!)];
};

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
  const kind = ({ oeq: 'eq', une: 'ne' } as const)[predicate as 'oeq' | 'une'];
  const signed = { ogt: 'sgt', oge: 'sge', olt: 'slt', ole: 'sle' } as const;
  const ordered = to.is(kind ?? signed[predicate as keyof typeof signed], u, v);
  const [nanX, nanY] = [to.isNan(dtype, x), to.isNan(dtype, y)];
  if (!nanX || !nanY) return ordered;
  const nan = builder.binary('arith.ori', nanX, nanY);
  if (predicate === 'une') return builder.binary('arith.ori', ordered, nan);
  const none = builder.binary('arith.xori', nan, builder.constant(nan.type, true));
  return builder.binary('arith.andi', ordered, none);
}

/** min(max(x, low), high) of floats, by their bits. */
const clamp: Rewrite = ({ op, builder, to, dtypes }) => {
  const dtype = dtypes[0]!;
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

/** Clears the sign bit. */
const absolute: Rewrite = ({ op, to, result }) => {
  const bits = to.unembed(result!, op.operand(0));
  const mask = (1n << BigInt(bitWidth(result!) - 1)) - 1n;
  return [to.embed(result!, to.do('and', bits, mask))];
};

/** By the float that a payload stands for, as the GPU converts it. */
const toInteger: Rewrite = ({ op, builder, to, dtypes }) => {
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

/** @throws DiagnosticError: it has no meaning in the algebra. */
export function refuse(op: Operation, operation: string): never {
  const message = MESSAGES.HC0511.operation({ operation });
  const { location } = op;
  throw new DiagnosticError({ code: 'HC0511', severity: 'error', message, location, notes: [] });
}

/** `same`: right as it stands, once its types are integers. Absent: without a rule. */
export const REWRITES: Partial<Record<OpName, Rewrite | 'same'>> = {
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
  'arith.maximumf': binary('arith.maxsi'),
  'arith.maxnumf': binary('arith.maxsi'),
  'arith.minimumf': binary('arith.minsi'),
  'arith.minnumf': binary('arith.minsi'),
  'tt.dot': dot,
  'arith.extf': conversion,
  'arith.truncf': conversion,
  'tt.fp_to_fp': conversion,
  'math.exp': function1((to, x) => to.exp(x)),
  'math.exp2': function1((to, x) => to.exp2(x)),
  'math.cos': COSINE,
  'math.sin': SINE,
  'math.log': tagged(TAGGED.log),
  'math.log2': tagged(TAGGED.log2),
  'math.sqrt': tagged(TAGGED.sqrt),
  'math.rsqrt': tagged(TAGGED.rsqrt),
  'math.erf': tagged(TAGGED.erf),
  'math.floor': tagged(TAGGED.floor),
  'math.ceil': tagged(TAGGED.ceil),
  'tt.precise_sqrt': tagged(TAGGED.precise_sqrt),
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
  ...moved(),
};

/** Operations that move values and carry them, or whose regions compute. */
function moved(): Partial<Record<OpName, 'same'>> {
  const names: readonly OpName[] = [
    'arith.select',
    'scf.for',
    'scf.if',
    'scf.while',
    'scf.yield',
    'scf.condition',
    'tt.broadcast',
    'tt.cat',
    'tt.expand_dims',
    'tt.gather',
    'tt.join',
    'tt.map_elementwise',
    'tt.map_elementwise.return',
    'tt.reduce',
    'tt.reduce.return',
    'tt.reshape',
    'tt.scan',
    'tt.scan.return',
    'tt.sort',
    'tt.sort.return',
    'tt.splat',
    'tt.split',
    'tt.trans',
    'tt.unsplat',
  ];
  return Object.fromEntries(names.map((name) => [name, 'same']));
}
