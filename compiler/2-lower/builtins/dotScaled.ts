/**
 * `tl.dot_scaled`: products of microscaled operands (OCP Microscaling Formats 1.0): elements in
 * e2m1, e4m3, e5m2, bf16 or fp16, and for every 32 of them along K a power of two (e8m0). Written
 * out in tile operations: unpack, widen to fp32, scale, multiply. fp32 holds every scaled element
 * exactly, so this is never less precise than hardware that widens to bf16 or fp16. A scale of 0xff
 * is NaN (unless `fast_math`, then infinity), and one of 0 is 0, as in Triton.
 */
import { MESSAGES } from '../codes';
import type { Context } from '../context';
import { BF16, FP16, FP32, INT32, bits, num, showDtype, type NumberDtype } from '../dtypes';
import { TL } from '../paths';
import { define, type Arguments } from '../registry';
import { emitBinary } from '../semantics/arithmetic';
import {
  bitcast,
  broadcastTo,
  cast,
  castInteger,
  constant,
  expandDims,
  showShape,
  tensorOf,
} from '../semantics/convert';
import { join, permute, reshape } from '../semantics/shape';
import { dtypeArgument, staticBool, staticString, tensorArgument } from '../shapes';
import { describe, type Tensor } from '../values';
import { checkAccumulator, product, productShape } from './dot';

const [UINT8, UINT16, FP8E4NV] = [num('uint8'), num('uint16'), num('fp8e4nv')];
/** Element dtypes by format; e2m1 has none of its own, two of them are packed in a uint8. */
const FORMATS: Readonly<Record<string, NumberDtype>> = {
  e2m1: UINT8,
  e4m3: FP8E4NV,
  e5m2: num('fp8e5'),
  bf16: BF16,
  fp16: FP16,
};

/** An operand, and how its elements lie. */
interface Operand {
  readonly name: 'lhs' | 'rhs';
  readonly x: Tensor;
  readonly format: string;
  /** Whether two elements of e2m1 in a byte follow each other along K. */
  readonly kPack: boolean;
  readonly scale: Tensor | undefined;
}

function operand(cx: Context, args: Arguments, name: 'lhs' | 'rhs'): Operand {
  const x = tensorArgument(cx, args.get(name), `${name} of tl.dot_scaled`);
  const format = staticString(cx, args.get(`${name}_format`), `${name}_format`);
  const dtype = FORMATS[format];
  if (!dtype)
    cx.fail(
      'HC0215',
      MESSAGES.HC0215.formatOneGot({ name, list: Object.keys(FORMATS).join(', '), format }),
    );
  const raw = bits(dtype) === 8 ? UINT8 : UINT16;
  if (x.dtype !== dtype && x.dtype !== raw)
    cx.fail(
      'HC0204',
      format === 'e2m1'
        ? `e2m1 format must be packed as uint8, got ${describe(x)}`
        : `unexpected dtype for ${format}: expected ${showDtype(dtype)} or ${showDtype(raw)}, ` +
            `got ${describe(x)}`,
    );
  const kPack = staticBool(cx, args.get(`${name}_k_pack`), `${name}_k_pack`);
  if (!kPack && format !== 'e2m1') cx.fail('HC0215', MESSAGES.HC0215.onlyMxfpInputs());
  const given = args.optional(`${name}_scale`);
  const scale = given && tensorArgument(cx, given, `${name}_scale of tl.dot_scaled`);
  if (scale && bits(scale.dtype) !== 8)
    cx.fail('HC0204', MESSAGES.HC0204.scaleScalesAs({ name, scale: describe(scale) }));
  return { name, x, format, kPack, scale };
}

/** Bits as i32 constants of a tile's shape. */
const mask = (cx: Context, value: number, x: Tensor): Tensor => constant(cx, value, INT32, x.shape);

/** The number of a four-bit e2m1 code, in fp32: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their opposites. */
function fromE2m1(cx: Context, code: Tensor): Tensor {
  const magnitude = emitBinary(cx, 'arith.andi', code, mask(cx, 7, code));
  const sign = emitBinary(
    cx,
    'arith.shli',
    emitBinary(cx, 'arith.andi', code, mask(cx, 8, code)),
    mask(cx, 28, code),
  );
  // From 1 on, exponent and mantissa lie as in fp32; below are 0 and 0.5.
  const shifted = emitBinary(cx, 'arith.shli', magnitude, mask(cx, 22, code));
  const normal = emitBinary(cx, 'arith.addi', shifted, mask(cx, 0x3f000000, code));
  const half = emitBinary(cx, 'arith.muli', magnitude, mask(cx, 0x3f000000, code));
  const small = cx.builder.cmp('ult', magnitude.handle, mask(cx, 2, code).handle);
  const chosen = tensorOf(cx.builder.select(small, half.handle, normal.handle), INT32, code.shape);
  return bitcast(cx, emitBinary(cx, 'arith.ori', chosen, sign), FP32);
}

/** Two elements a byte along `axis`, the first in the low bits. */
function unpack(cx: Context, x: Tensor, axis: number): Tensor {
  const wide = castInteger(cx, x, INT32, false);
  const low = fromE2m1(cx, wide);
  const high = fromE2m1(cx, emitBinary(cx, 'arith.shrui', wide, mask(cx, 4, wide)));
  const rank = x.shape.length;
  const order = [...Array(rank).keys()];
  order.splice(axis + 1, 0, rank);
  const shape = x.shape.map((size, d) => (d === axis ? 2 * size : size));
  return reshape(cx, permute(cx, join(cx, low, high), order), shape, false);
}

/** The factor of each element along K, in fp32: rows × K. */
function factors(cx: Context, scale: Tensor, k: number, fastMath: boolean): Tensor {
  let factor: Tensor;
  if (scale.dtype === FP8E4NV) factor = cast(cx, scale, FP32);
  else {
    const code = castInteger(cx, scale, INT32, false);
    const shifted = emitBinary(cx, 'arith.shli', code, mask(cx, 23, code));
    const nan = cx.builder.cmp('eq', code.handle, mask(cx, 0xff, code).handle);
    const chosen = cx.builder.select(nan, mask(cx, 0x7fc00000, code).handle, shifted.handle);
    const whole = fastMath ? shifted : tensorOf(chosen, INT32, code.shape);
    factor = bitcast(cx, whole, FP32);
  }
  const each = k / scale.shape.at(-1)!;
  const column = expandDims(cx, factor, scale.shape.length);
  const spread = broadcastTo(cx, column, [...scale.shape, each]);
  return reshape(cx, spread, [...scale.shape.slice(0, -1), k], false);
}

/** The operand in fp32, unpacked and scaled. */
function widen(cx: Context, { name, x, format, kPack, scale }: Operand, fast: boolean): Tensor {
  const rank = x.shape.length;
  const alongK = name === 'lhs' ? rank - 1 : rank - 2;
  const other = name === 'lhs' ? rank - 2 : rank - 1;
  const values =
    format === 'e2m1'
      ? unpack(cx, x, kPack ? alongK : other)
      : cast(cx, bitcast(cx, x, FORMATS[format]!), FP32);
  if (!scale) return values;
  const k = values.shape[alongK]!;
  const [rows, groups] = [scale.shape.at(-2), scale.shape.at(-1)!];
  const size = k / groups;
  if (scale.shape.length !== rank || rows !== values.shape[other] || (size !== 32 && size !== 16))
    cx.fail(
      'HC0202',
      MESSAGES.HC0202.scaleTensorShape({
        name,
        value: showShape([...x.shape.slice(0, -2), values.shape[other]!, k / 32]),
        scale: describe(scale),
      }),
    );
  let factor = factors(cx, scale, k, fast);
  if (name === 'rhs') {
    const order = [...Array(rank - 2).keys(), rank - 1, rank - 2];
    factor = permute(cx, factor, order);
  }
  return emitBinary(cx, 'arith.mulf', values, broadcastTo(cx, factor, values.shape));
}

/** As many elements share a scale on both sides. */
function checkGroups(cx: Context, operands: readonly Operand[]): void {
  const [lhs, rhs] = operands.map(({ name, x, format, kPack, scale }) => {
    const k = x.shape.at(name === 'lhs' ? -1 : -2)! * (format === 'e2m1' && kPack ? 2 : 1);
    return scale && k / scale.shape.at(-1)!;
  });
  if (lhs !== undefined && rhs !== undefined && lhs !== rhs)
    cx.fail('HC0202', MESSAGES.HC0202.dotScaledOperands({ lhs, rhs }));
}

define(
  TL,
  'dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, ' +
    'lhs_k_pack=True, rhs_k_pack=True, out_dtype=None)',
  (cx, args) => {
    const what = 'tl.dot_scaled';
    const wanted = args.optional('out_dtype');
    if (wanted && dtypeArgument(cx, wanted, 'out_dtype') !== FP32)
      cx.fail('HC0215', MESSAGES.HC0215.onlyFloatSupported({ what }));
    const fast = staticBool(cx, args.get('fast_math'), 'fast_math');
    const operands = [operand(cx, args, 'lhs'), operand(cx, args, 'rhs')] as const;
    const rank = operands[0].x.shape.length;
    if (operands.some(({ x }) => x.shape.length !== rank) || (rank !== 2 && rank !== 3))
      cx.fail(
        'HC0202',
        `${what} takes two tiles of rank 2 or 3, got ` +
          operands.map(({ x }) => describe(x)).join(' and '),
      );
    checkGroups(cx, operands);
    const [a, b] = operands.map((each) => widen(cx, each, fast)) as [Tensor, Tensor];
    productShape(cx, what, a, b, [a.shape.at(-1)!, b.shape.at(-2)!]);
    const given = args.optional('acc');
    const acc = given && tensorArgument(cx, given, `acc of ${what}`);
    if (acc) checkAccumulator(cx, what, acc, [...a.shape.slice(0, -1), b.shape.at(-1)!], FP32);
    return product(cx, a, b, acc, FP32, 'ieee');
  },
);
