/** PTX's `cvt`: between numbers, and from pairs of numbers into one register and back. */
import type { Value } from '../../ir/ir';
import type { OpName } from '../../ir/ops';
import {
  BF16,
  FP16,
  FP32,
  INT32,
  bits,
  dtypeNamed,
  intRange,
  irElement,
  isFloating,
  isInt,
  isSigned,
  type NumberDtype,
} from '../dtypes';
import { extremum, where } from '../semantics/arithmetic';
import { bitcast, cast } from '../semantics/convert';
import type { Tensor } from '../values';
import {
  PTX_TYPES,
  halves,
  joined,
  library,
  reinterpret,
  unsignedOf,
  type Machine,
} from './machine';
import { PtxError, PtxMistake, type Instruction } from './parse';

const WHOLE: Readonly<Record<string, OpName>> = {
  rni: 'math.roundeven',
  rzi: 'math.trunc',
  rmi: 'math.floor',
  rpi: 'math.ceil',
};
/** fp8, two in 16 bits, with the largest finite number. */
const FP8: Readonly<Record<string, { readonly dtype: string; readonly most: number }>> = {
  e4m3x2: { dtype: 'float8e4nv', most: 448 },
  e5m2x2: { dtype: 'float8e5', most: 57344 },
};

export function translateConversion(m: Machine, i: Instruction): void {
  const [from = '', to = ''] = [...i.modifiers].reverse();
  const how = new Set(i.modifiers.slice(0, -2));
  how.delete('ftz');
  const [target, first, second] = i.operands;
  if (!target || !first) throw new PtxMistake(`${i.text} with ${i.operands.length} operands`);
  const refuse = (): never => {
    throw new PtxError(`the instruction ${i.text}`);
  };

  if (to in FP8 || from in FP8 || to === 'e2m1x2' || from === 'e2m1x2') {
    m.write(target, smallPair(m, i, to, from, how, refuse), i);
    return;
  }
  const pair = /^(f16|bf16)x2$/.exec(to)?.[1];
  if (pair) {
    // The first source becomes the upper half.
    if (from !== 'f32' || !second) return refuse();
    const [high, low] = [first, second].map((operand) =>
      toFloat(m, m.read(operand, FP32), PTX_TYPES[pair]!, how, refuse),
    );
    m.write(target, joined(m, low!, high!), i);
    return;
  }
  if (to === 'tf32') {
    if (from !== 'f32' || !how.has('rna')) return refuse();
    // Ten bits of significand, halves away from zero: half a unit is added to the magnitude.
    const word = unsignedOf(32);
    const x = m.read(first, word);
    const up = m.emit('arith.addi', x, m.constant(0x1000n, word));
    const cut = m.emit('arith.andi', up, m.constant(0xffffe000n, word));
    m.write(target, bitcast(m.cx, where(m.cx, finite(m, x), cut, x), FP32), i);
    return;
  }
  const [source, result] = [PTX_TYPES[from], PTX_TYPES[to]];
  if (!source || !result) return refuse();
  m.write(target, convert(m, m.read(first, source), result, how, refuse), i);
}
function finite(m: Machine, x: Tensor): Tensor {
  return library(m, '_ld_finite', bitcast(m.cx, x, FP32));
}

type How = Set<string>;
type Refuse = () => never;

function convert(m: Machine, x: Tensor, to: NumberDtype, how: How, refuse: Refuse): Tensor {
  const from = x.dtype as NumberDtype;
  const { cx } = m;
  if (isFloating(from) && isInt(to)) {
    const rounding = [...how].map((name) => WHOLE[name]).find((name) => name);
    if (!rounding || [...how].some((name) => !(name in WHOLE) && name !== 'sat')) return refuse();
    const single = bits(from) < 32 ? cast(cx, x, FP32) : x;
    const whole = { ...single, handle: cx.builder.unary(rounding, single.handle) };
    const wide = bits(to) < 32 ? PTX_TYPES[isSigned(to) ? 's32' : 'u32']! : to;
    return limited(m, cast(cx, whole, wide), to);
  }
  if (isInt(from) && isInt(to)) {
    if ([...how].some((name) => name !== 'sat')) return refuse();
    return how.has('sat') ? limited(m, x, to) : cast(cx, x, to);
  }
  if (isInt(from)) {
    if (how.size === 1 && how.has('rn')) return cast(cx, x, to);
    return refuse();
  }
  return toFloat(m, x, to, how, refuse);
}
/** To the range of an integer type, by the nearest number that it has. */
function limited(m: Machine, x: Tensor, to: NumberDtype): Tensor {
  const from = x.dtype as NumberDtype;
  const [have, want] = [intRange(from), intRange(to)];
  let result = x;
  if (want.max < have.max)
    result = extremum(m.cx, 'min', result, m.constant(want.max, from), 'none');
  if (want.min > have.min)
    result = extremum(m.cx, 'max', result, m.constant(want.min, from), 'none');
  return cast(m.cx, result, to);
}

/** Between floats. */
function toFloat(m: Machine, x: Tensor, to: NumberDtype, how: How, refuse: Refuse): Tensor {
  const from = x.dtype as NumberDtype;
  const { cx } = m;
  let result = x;
  let rounding: 'rtz' | undefined;
  for (const name of how) {
    const whole = WHOLE[name];
    if (whole) result = { ...result, handle: cx.builder.unary(whole, result.handle) };
    else if (name === 'rz') rounding = 'rtz';
    else if (!['rn', 'sat', 'relu', 'satfinite'].includes(name)) return refuse();
  }
  const narrows = bits(to) < bits(from);
  if (from !== to) result = cast(cx, result, to, narrows ? rounding : undefined);
  if (how.has('satfinite')) return refuse();
  if (how.has('relu')) result = extremum(cx, 'max', result, m.constant(0, to), 'all');
  if (how.has('sat')) {
    result = extremum(cx, 'max', result, m.constant(0, to), 'none');
    result = extremum(cx, 'min', result, m.constant(1, to), 'none');
  }
  return result;
}

/** Conversions to and from two fp8 (or fp4) numbers in one register. */
function smallPair(
  m: Machine,
  i: Instruction,
  to: string,
  from: string,
  how: How,
  refuse: Refuse,
): Tensor {
  const { cx } = m;
  const [, first, second] = i.operands;
  const half = unsignedOf(16);
  const byte = unsignedOf(8);
  if (to === 'f16x2') {
    // Up: the lower number is the lower byte.
    if (from === 'e2m1x2') {
      const packed = m.read(first!, byte);
      const high = m.emit('arith.shrui', packed, m.constant(4n, byte));
      return joined(m, fromE2m1(m, packed), fromE2m1(m, high));
    }
    const dtype = dtypeNamed(FP8[from]!.dtype)!;
    const packed = m.read(first!, half);
    const high = m.emit('arith.shrui', packed, m.constant(8n, half));
    const [a, b] = [packed, high].map((x) =>
      relu(m, cast(cx, bitcast(cx, cast(cx, x, byte), dtype), FP16), how),
    );
    return joined(m, a!, b!);
  }
  if (!how.has('rn') || !how.has('satfinite')) return refuse();
  let values: Tensor[];
  if (from === 'f32' && second) values = [m.read(second, FP32), m.read(first!, FP32)];
  else if (from === 'f16x2') values = halves(m, m.read(first!, unsignedOf(32)), FP16);
  else if (from === 'bf16x2') values = halves(m, m.read(first!, unsignedOf(32)), BF16);
  else return refuse();
  const singles = values.map((x) => relu(m, x.dtype === FP32 ? x : cast(cx, x, FP32), how));
  if (to === 'e2m1x2') {
    const [low, high] = singles.map((x) => toE2m1(m, x)) as [Tensor, Tensor];
    return m.emit('arith.ori', low, m.emit('arith.shli', high, m.constant(4n, byte)));
  }
  const { dtype, most } = FP8[to]!;
  const small = dtypeNamed(dtype)!;
  const [low, high] = singles.map((x) => {
    const upper = extremum(cx, 'min', x, m.constant(most, FP32), 'all');
    const inside = extremum(cx, 'max', upper, m.constant(-most, FP32), 'all');
    return cast(cx, bitcast(cx, cast(cx, inside, small), byte), half);
  }) as [Tensor, Tensor];
  return m.emit('arith.ori', low, m.emit('arith.shli', high, m.constant(8n, half)));
}
function relu(m: Machine, x: Tensor, how: How): Tensor {
  if (!how.has('relu')) return x;
  return extremum(m.cx, 'max', x, m.constant(0, x.dtype as NumberDtype), 'all');
}

/** fp4: 0 ½ 1 1½ 2 3 4 6, and a sign. Ties go to the even one; NaN becomes the largest. */
function toE2m1(m: Machine, x: Tensor): Tensor {
  const { cx } = m;
  const byte = unsignedOf(8);
  const word = unsignedOf(32);
  const plain = bitcast(cx, x, word);
  const sign = m.emit('arith.shrui', plain, m.constant(31n, word));
  const size = m.emit('arith.andi', plain, m.constant(0x7fffffffn, word));
  // Between neighbours lies a limit; where the lower one is even, it belongs to that one. Positive
  // floats compare as their bits do, and NaN lies above all.
  const limits = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5];
  let code = m.emit('arith.shli', sign, m.constant(3n, word));
  limits.forEach((limit, index) => {
    const view = new DataView(new ArrayBuffer(4));
    view.setFloat32(0, limit);
    const edge = m.constant(BigInt(view.getUint32(0)), word);
    const predicate = index % 2 === 0 ? 'ugt' : 'uge';
    const above = cx.builder.cmp(predicate, size.handle, edge.handle);
    const one = cx.builder.cast('arith.extui', above, irElement(INT32));
    code = m.emit('arith.addi', code, { ...code, handle: one });
  });
  return cast(cx, code, byte);
}
function fromE2m1(m: Machine, x: Tensor): Tensor {
  const { cx } = m;
  const word = unsignedOf(32);
  const code = cast(cx, x, word);
  const sign = m.emit('arith.andi', code, m.constant(8n, word));
  const size = m.emit('arith.andi', code, m.constant(7n, word));
  // As bits of f16: exponent and significand shift into place; a half is the only odd one.
  const normal = m.emit(
    'arith.addi',
    m.emit('arith.shli', size, m.constant(9n, word)),
    m.constant(0x3800n, word),
  );
  const is = (value: bigint): Value =>
    cx.builder.cmp('eq', size.handle, m.constant(value, word).handle);
  const pick = (condition: Value, yes: bigint, no: Tensor): Tensor => ({
    ...no,
    handle: cx.builder.select(condition, m.constant(yes, word).handle, no.handle),
  });
  const magnitude = pick(is(0n), 0n, pick(is(1n), 0x3800n, normal));
  const whole = m.emit('arith.ori', magnitude, m.emit('arith.shli', sign, m.constant(12n, word)));
  return reinterpret(cx, whole, FP16);
}
