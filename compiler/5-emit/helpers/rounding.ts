/**
 * Rounding f32 to the floats that WGSL lacks, to nearest even, and their bits. Held values are f32 that
 * are exact in the narrow format. All of it is integer arithmetic: drivers flush denormals, differ in
 * `pack2x16float`, and assume that NaN does not occur. None branches: they are called for every element,
 * and SwiftShader inlines them, so that a matmul of f16 whose every load branched compiled for a minute.
 */
import type { HelperTable } from './table';

export const ROUNDING_HELPERS = {
  f32_is_nan: {
    text: `fn f32_is_nan(x: f32) -> bool {
  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
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
    uses: ['bf16_bits'],
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
  f16_round: {
    uses: ['f16_bits', 'f16_value'],
    text: `fn f16_round(x: f32) -> f32 { return f16_value(f16_bits(x)); }`,
  },
  f16_round_rtz: {
    uses: ['f16_bits_rtz', 'f16_value'],
    text: `fn f16_round_rtz(x: f32) -> f32 { return f16_value(f16_bits_rtz(x)); }`,
  },
  bf16_round_rtz: {
    uses: ['bf16_bits_rtz'],
    text: `fn bf16_round_rtz(x: f32) -> f32 { return bitcast<f32>(bf16_bits_rtz(x) << 16u); }`,
  },
  // A float of `1 + exponent + m` bits with an implicit leading bit and this exponent bias: the bits of
  // a magnitude rounded to nearest even, without looking at overflow.
  f8_magnitude: {
    text: `fn f8_magnitude(a: u32, m: u32, bias: u32) -> u32 {
  let exponent = a >> 23u;
  let smallest = 128u - bias;
  let subnormal = exponent < smallest;
  let drop = min(23u - m + select(0u, smallest - exponent, subnormal), 25u);
  let mantissa = (a & 0x7fffffu) | 0x800000u;
  let kept = (mantissa + (1u << (drop - 1u)) - 1u + ((mantissa >> drop) & 1u)) >> drop;
  return kept + select((exponent - smallest) << m, 0u, subnormal);
}`,
  },
  f8_value: {
    // \`special\`: codes of the magnitude from here on are infinity (first) and NaN.
    text: `fn f8_value(bits: u32, m: u32, bias: u32) -> f32 {
  let sign = (bits & 0x80u) << 24u;
  let a = bits & 0x7fu;
  let code = a >> m;
  let mantissa = a & ((1u << m) - 1u);
  let small = bitcast<u32>(f32(mantissa) * bitcast<f32>((128u - bias - m) << 23u));
  let normal = ((code + 127u - bias) << 23u) | (mantissa << (23u - m));
  return bitcast<f32>(sign | select(normal, small, code == 0u));
}`,
  },
  f8E4M3FN_bits: {
    uses: ['f8_magnitude'],
    text: `fn f8E4M3FN_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let code = select(min(f8_magnitude(a, 3u, 7u), 0x7eu), 0x7eu, a >= 0x43e00000u);
  return ((b >> 24u) & 0x80u) | select(code, 0x7fu, a > 0x7f800000u);
}`,
  },
  f8E4M3FN_value: {
    uses: ['f8_value'],
    text: `fn f8E4M3FN_value(bits: u32) -> f32 {
  let nan = bitcast<f32>(((bits & 0x80u) << 24u) | 0x7fc00000u);
  return select(f8_value(bits, 3u, 7u), nan, (bits & 0x7fu) == 0x7fu);
}`,
  },
  f8E5M2_bits: {
    uses: ['f8_magnitude'],
    text: `fn f8E5M2_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let code = select(min(f8_magnitude(a, 2u, 15u), 0x7bu), 0x7bu, a >= 0x47600000u);
  return ((b >> 24u) & 0x80u) | select(code, 0x7eu, a > 0x7f800000u);
}`,
  },
  f8E5M2_value: {
    uses: ['f8_value'],
    text: `fn f8E5M2_value(bits: u32) -> f32 {
  let a = bits & 0x7fu;
  let special = bitcast<f32>(((bits & 0x80u) << 24u) | 0x7f800000u | ((a & 3u) << 21u));
  return select(f8_value(bits, 2u, 15u), special, a >= 0x7cu);
}`,
  },
  f8E4M3FNUZ_bits: {
    uses: ['f8_magnitude'],
    text: `fn f8E4M3FNUZ_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let code = select(0x7fu, min(f8_magnitude(a, 3u, 8u), 0x7fu), a < 0x43700000u);
  let signed = select((b >> 24u) & 0x80u, 0u, code == 0u) | code;
  return select(signed, 0x80u, a > 0x7f800000u);
}`,
  },
  f8E4M3FNUZ_value: {
    uses: ['f8_value'],
    text: `fn f8E4M3FNUZ_value(bits: u32) -> f32 {
  let nan = bitcast<f32>(0x7fc00000u | (bits & 0u));
  return select(f8_value(bits, 3u, 8u), nan, bits == 0x80u);
}`,
  },
  f8E5M2FNUZ_bits: {
    uses: ['f8_magnitude'],
    text: `fn f8E5M2FNUZ_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let code = select(0x7fu, min(f8_magnitude(a, 2u, 16u), 0x7fu), a < 0x47600000u);
  let signed = select((b >> 24u) & 0x80u, 0u, code == 0u) | code;
  return select(signed, 0x80u, a > 0x7f800000u);
}`,
  },
  f8E5M2FNUZ_value: {
    uses: ['f8_value'],
    text: `fn f8E5M2FNUZ_value(bits: u32) -> f32 {
  let nan = bitcast<f32>(0x7fc00000u | (bits & 0u));
  return select(f8_value(bits, 2u, 16u), nan, bits == 0x80u);
}`,
  },
  f8E4M3B11FNUZ_bits: {
    uses: ['f8_magnitude'],
    text: `fn f8E4M3B11FNUZ_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let code = select(0x7eu, min(f8_magnitude(a, 3u, 15u), 0x7eu), a < 0x3ff00000u);
  let signed = select((b >> 24u) & 0x80u, 0u, code == 0u) | code;
  return select(signed, 0x80u, a > 0x7f800000u);
}`,
  },
  f8E4M3B11FNUZ_value: {
    uses: ['f8_value'],
    text: `fn f8E4M3B11FNUZ_value(bits: u32) -> f32 {
  let nan = bitcast<f32>(0x7fc00000u | (bits & 0u));
  return select(f8_value(bits, 3u, 15u), nan, bits == 0x80u);
}`,
  },
} as const satisfies HelperTable;
