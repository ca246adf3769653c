/**
 * fp8: the code of an f32, rounded to nearest even or toward zero, and the f32 of a code. The
 * formats of one scheme are made from their numbers; `rounding.ts` states why none branches.
 */
import { roundFloat } from '../../numbers';
import { BOOL, U32 } from '../types';
import { libraryFunction, routine, wgsl } from './define';
import type { LibraryFunction } from './define';
import { bitsOf, f32 } from './representations';
import { f16_bits_rtz } from './rounding';

/** fp8 formats of one scheme: 1 sign bit, the exponent, `mantissa` bits. */
interface Float8 {
  readonly mantissa: number;
  readonly bias: number;
  /** The code of the largest number: what is larger, and infinity, becomes this. */
  readonly max: number;
  /** The code of NaN; of those without a sign of their own, whole. */
  readonly nan: number;
  /** Codes from here on are infinity and NaNs, as in IEEE's formats. */
  readonly special?: number;
  /** No negative zero: its code is the only NaN. */
  readonly unsignedZero?: true;
}
const FLOAT8 = {
  f8E4M3FN: { mantissa: 3, bias: 7, max: 0x7e, nan: 0x7f },
  f8E5M2: { mantissa: 2, bias: 15, max: 0x7b, nan: 0x7f, special: 0x7c },
  f8E4M3FNUZ: { mantissa: 3, bias: 8, max: 0x7f, nan: 0x80, unsignedZero: true },
  f8E5M2FNUZ: { mantissa: 2, bias: 16, max: 0x7f, nan: 0x80, unsignedZero: true },
} as const satisfies Record<string, Float8>;
type Float8Name = keyof typeof FLOAT8;

const f8_magnitude = routine({
  name: 'f8_magnitude',
  parameters: { a: U32, m: U32, bias: U32, nearest: BOOL },
  result: U32,
  wgsl: wgsl`{
  let exponent = a >> 23u;
  let smallest = 128u - bias;
  let subnormal = exponent < smallest;
  let drop = min(23u - m + select(0u, smallest - exponent, subnormal), 25u);
  let mantissa = (a & 0x7fffffu) | 0x800000u;
  let up = select(0u, (1u << (drop - 1u)) - 1u + ((mantissa >> drop) & 1u), nearest);
  return ((mantissa + up) >> drop) + select((exponent - smallest) << m, 0u, subnormal);
}`,
});

const f8_value = routine({
  name: 'f8_value',
  parameters: { bits: U32, m: U32, bias: U32 },
  result: U32,
  wgsl: wgsl`{
  let sign = (bits & 0x80u) << 24u;
  let a = bits & 0x7fu;
  let code = a >> m;
  let mantissa = a & ((1u << m) - 1u);
  let small = bitcast<u32>(f32(mantissa) * bitcast<f32>((128u - bias - m) << 23u));
  let normal = ((code + 127u - bias) << 23u) | (mantissa << (23u - m));
  return sign | select(normal, small, code == 0u);
}`,
});

/** f32 to the format's bits, to nearest even or toward zero. */
function encode(name: Float8Name, format: Float8, truncate: boolean): LibraryFunction {
  const { mantissa, bias, max, nan, unsignedZero } = format;
  const zero = unsignedZero ? 'select(sign, 0u, code == 0u)' : 'sign';
  return libraryFunction({
    name: `${name}_bits${truncate ? '_rtz' : ''}`,
    parameters: { x: f32 },
    result: bitsOf(name),
    computes: ({ x }) => roundFloat(name, x, truncate ? 'rtz' : 'rtne'),
    wgsl: wgsl`{
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let sign = (b >> 24u) & 0x80u;
  let code = min(${f8_magnitude}(min(a, 0x47800000u), ${mantissa}u, ${bias}u, ${!truncate}), ${max}u);
  return select(${zero} | code, ${unsignedZero ? '' : 'sign | '}${nan}u, a > 0x7f800000u);
}`,
  });
}
/** The format's bits to f32. */
function decode(name: Float8Name, format: Float8): LibraryFunction {
  const { mantissa, bias, nan, special, unsignedZero } = format;
  const payload = special ? `((a & ${2 ** mantissa - 1}u) << ${23 - mantissa}u)` : '0x400000u';
  const test = unsignedZero ? `bits == ${nan}u` : `a >= ${special ?? nan}u`;
  return libraryFunction({
    name: `${name}_value`,
    parameters: { bits: bitsOf(name) },
    result: f32,
    computes: ({ bits }) => bits,
    wgsl: wgsl`{
  let a = bits & 0x7fu;
  let special = ((bits & 0x80u) << 24u) | 0x7f800000u | ${payload};
  return bitcast<f32>(select(${f8_value}(bits, ${mantissa}u, ${bias}u), special, ${test}));
}`,
  });
}
const NAMES = Object.keys(FLOAT8) as Float8Name[];
const ofScheme = NAMES.flatMap((name) => [
  encode(name, FLOAT8[name], false),
  encode(name, FLOAT8[name], true),
  decode(name, FLOAT8[name]),
]);

const f8E5M2_bits_rtz = libraryFunction({
  name: 'f8E5M2_bits_rtz',
  parameters: { x: f32 },
  result: bitsOf('f8E5M2'),
  computes: ({ x }) => roundFloat('f8E5M2', x, 'rtz'),
  wgsl: wgsl`{ return ${f16_bits_rtz}(x) >> 8u; }`,
});

const f8E4M3B11FNUZ_bits = libraryFunction({
  name: 'f8E4M3B11FNUZ_bits',
  parameters: { x: f32 },
  result: bitsOf('f8E4M3B11FNUZ'),
  computes: ({ x }) => roundFloat('f8E4M3B11FNUZ', x),
  wgsl: wgsl`{
  let half = ${f16_bits_rtz}(x);
  return ((half >> 8u) & 0x80u) | ((min(half & 0x7fffu, 0x3f00u) * 2u + 0x80u) >> 8u);
}`,
});

const f8E4M3B11FNUZ_bits_rtz = libraryFunction({
  name: 'f8E4M3B11FNUZ_bits_rtz',
  parameters: { x: f32 },
  result: bitsOf('f8E4M3B11FNUZ'),
  computes: ({ x }) => roundFloat('f8E4M3B11FNUZ', x),
  wgsl: wgsl`{ return ${f8E4M3B11FNUZ_bits}(x); }`,
});

const f8E4M3B11FNUZ_value = libraryFunction({
  name: 'f8E4M3B11FNUZ_value',
  parameters: { bits: bitsOf('f8E4M3B11FNUZ') },
  result: f32,
  computes: ({ bits }) => bits,
  wgsl: wgsl`{ return bitcast<f32>(${f8_value}(bits, 3u, 15u)); }`,
});

type Names = `${Float8Name | 'f8E4M3B11FNUZ'}_${'bits' | 'bits_rtz' | 'value'}`;
const own = [f8E5M2_bits_rtz, f8E4M3B11FNUZ_bits, f8E4M3B11FNUZ_bits_rtz, f8E4M3B11FNUZ_value];
export const FLOAT8_FUNCTIONS = Object.fromEntries(
  [...ofScheme, ...own].map((each) => [each.name, each]),
) as Record<Names, LibraryFunction>;
