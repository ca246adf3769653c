/**
 * Rounding f32 to the floats that WGSL lacks, to nearest even, and their bits. Held values are f32
 * that are exact in the narrow format. All of it is integer arithmetic: drivers flush denormals,
 * differ in `pack2x16float`, and assume that NaN does not occur. Where packing was tried and found
 * right, it stands in. None branches: they are called for every element, and SwiftShader inlines
 * them, so that a matmul of f16 whose every load branched compiled for a minute.
 */
import type { Helper, HelperTable } from './table';

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

/** f32 to the format's bits, to nearest even or toward zero. */
function encode(name: string, format: Float8, truncate: boolean): Helper {
  const { mantissa, bias, max, nan, unsignedZero } = format;
  const zero = unsignedZero ? 'select(sign, 0u, code == 0u)' : 'sign';
  return {
    text: `fn ${name}(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let sign = (b >> 24u) & 0x80u;
  let code = min(f8_magnitude(min(a, 0x47800000u), ${mantissa}u, ${bias}u, ${!truncate}), ${max}u);
  return select(${zero} | code, ${unsignedZero ? '' : 'sign | '}${nan}u, a > 0x7f800000u);
}`,
  };
}
/** The format's bits to f32. */
function decode(name: string, { mantissa, bias, nan, special, unsignedZero }: Float8): Helper {
  const payload = special ? `((a & ${2 ** mantissa - 1}u) << ${23 - mantissa}u)` : '0x400000u';
  const test = unsignedZero ? `bits == ${nan}u` : `a >= ${special ?? nan}u`;
  return {
    text: `fn ${name}(bits: u32) -> f32 {
  let a = bits & 0x7fu;
  let special = ((bits & 0x80u) << 24u) | 0x7f800000u | ${payload};
  return bitcast<f32>(select(f8_value(bits, ${mantissa}u, ${bias}u), special, ${test}));
}`,
  };
}
type Names = `${Float8Name}_${'bits' | 'bits_rtz' | 'value'}`;
const float8Helpers = Object.fromEntries(
  Object.entries(FLOAT8).flatMap(([name, format]) => [
    [`${name}_bits`, encode(`${name}_bits`, format, false)],
    [`${name}_bits_rtz`, encode(`${name}_bits_rtz`, format, true)],
    [`${name}_value`, decode(`${name}_value`, format)],
  ]),
) as Record<Names, Helper>;

export const ROUNDING_HELPERS = {
  f32_is_nan: {
    text: `fn f32_is_nan(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}`,
    software: `fn f32_is_nan(x: f32) -> bool {
  return (bitcast<i32>(x) & 0x7fffffffi) > 0x7f800000i;
}`,
  },
  bf16_bits: {
    text: `fn bf16_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let rounded = (b + 0x7fffu + ((b >> 16u) & 1u)) >> 16u;
  return select(rounded, (b >> 16u) | 0x40u, (b & 0x7fffffffu) > 0x7f800000u);
}`,
  },
  bf16_round: {
    text: `fn bf16_round(x: f32) -> f32 { return bitcast<f32>(bf16_bits(x) << 16u); }`,
  },
  bf16_bits_rtz: {
    text: `fn bf16_bits_rtz(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  return (b >> 16u) | select(0u, 0x40u, (b & 0x7fffffffu) > 0x7f800000u);
}`,
  },
  f16_bits: {
    text: `fn f16_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let normal = (a - 0x38000000u + 0xfffu + ((a >> 13u) & 1u)) >> 13u;
  let mantissa = (a & 0x7fffffu) | 0x800000u;
  let drop = clamp(126u - (a >> 23u), 1u, 25u);
  let small = (mantissa + (1u << (drop - 1u)) - 1u + ((mantissa >> drop) & 1u)) >> drop;
  let finite = select(small, normal, a >= 0x38800000u);
  let code = select(finite, 0x7c00u, a >= 0x477ff000u);
  return ((b >> 16u) & 0x8000u)
    | select(code, 0x7e00u | ((a >> 13u) & 0x3ffu), a > 0x7f800000u);
}`,
  },
  f16_bits_rtz: {
    text: `fn f16_bits_rtz(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let small = ((a & 0x7fffffu) | 0x800000u) >> clamp(126u - (a >> 23u), 1u, 25u);
  let finite = select(small, (a - 0x38000000u) >> 13u, a >= 0x38800000u);
  let code = select(finite, select(0x7bffu, 0x7c00u, a == 0x7f800000u), a >= 0x47800000u);
  return ((b >> 16u) & 0x8000u) | select(code, 0x7e00u, a > 0x7f800000u);
}`,
  },
  f16_value: {
    text: `fn f16_value(bits: u32) -> f32 {
  let a = bits & 0x7fffu;
  let small = bitcast<u32>(f32(a) * 0x1p-24f);
  let finite = select(small, (a << 13u) + 0x38000000u, a >= 0x0400u);
  let value = select(finite, 0x7f800000u | ((a & 0x3ffu) << 13u), a >= 0x7c00u);
  return bitcast<f32>(((bits & 0x8000u) << 16u) | value);
}`,
  },
  f16_pack: {
    text: `fn f16_pack(x: f32) -> u32 { return pack2x16float(vec2<f32>(x, 0.0)); }`,
  },
  f16_unpack: {
    text: `fn f16_unpack(bits: u32) -> f32 { return unpack2x16float(bits).x; }`,
  },
  f16_repack: {
    text: `fn f16_repack(x: f32) -> f32 { return f16_unpack(f16_pack(x)); }`,
  },
  f16_round: {
    text: `fn f16_round(x: f32) -> f32 { return f16_value(f16_bits(x)); }`,
  },
  f16_round_rtz: {
    text: `fn f16_round_rtz(x: f32) -> f32 { return f16_value(f16_bits_rtz(x)); }`,
  },
  bf16_round_rtz: {
    text: `fn bf16_round_rtz(x: f32) -> f32 { return bitcast<f32>(bf16_bits_rtz(x) << 16u); }`,
  },
  // A float with m bits of mantissa, an implicit bit before them and this exponent bias: the code
  // of a magnitude, without looking at overflow.
  f8_magnitude: {
    text: `fn f8_magnitude(a: u32, m: u32, bias: u32, nearest: bool) -> u32 {
  let exponent = a >> 23u;
  let smallest = 128u - bias;
  let subnormal = exponent < smallest;
  let drop = min(23u - m + select(0u, smallest - exponent, subnormal), 25u);
  let mantissa = (a & 0x7fffffu) | 0x800000u;
  let up = select(0u, (1u << (drop - 1u)) - 1u + ((mantissa >> drop) & 1u), nearest);
  return ((mantissa + up) >> drop) + select((exponent - smallest) << m, 0u, subnormal);
}`,
  },
  f8_value: {
    text: `fn f8_value(bits: u32, m: u32, bias: u32) -> u32 {
  let sign = (bits & 0x80u) << 24u;
  let a = bits & 0x7fu;
  let code = a >> m;
  let mantissa = a & ((1u << m) - 1u);
  let small = bitcast<u32>(f32(mantissa) * bitcast<f32>((128u - bias - m) << 23u));
  let normal = ((code + 127u - bias) << 23u) | (mantissa << (23u - m));
  return sign | select(normal, small, code == 0u);
}`,
  },
  ...float8Helpers,
  // As Triton's code for NVIDIA has it: the upper byte of a truncated f16.
  f8E5M2_bits_rtz: {
    text: `fn f8E5M2_bits_rtz(x: f32) -> u32 { return f16_bits_rtz(x) >> 8u; }`,
  },
  // float8e4b15 has no NaN, and is rounded as Triton's code for NVIDIA does: by way of a truncated
  // f16, limited to 1.75, halves away from zero.
  f8E4M3B11FNUZ_bits: {
    text: `fn f8E4M3B11FNUZ_bits(x: f32) -> u32 {
  let half = f16_bits_rtz(x);
  return ((half >> 8u) & 0x80u) | ((min(half & 0x7fffu, 0x3f00u) * 2u + 0x80u) >> 8u);
}`,
  },
  f8E4M3B11FNUZ_bits_rtz: {
    text: `fn f8E4M3B11FNUZ_bits_rtz(x: f32) -> u32 { return f8E4M3B11FNUZ_bits(x); }`,
  },
  f8E4M3B11FNUZ_value: {
    text: `fn f8E4M3B11FNUZ_value(bits: u32) -> f32 { return bitcast<f32>(f8_value(bits, 3u, 15u)); }`,
  },
} as const satisfies HelperTable;
