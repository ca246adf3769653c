/**
 * Rounding f32 to the floats that WGSL lacks, to nearest even, and their bits. Held values are f32 that
 * are exact in the narrow format. All of it is integer arithmetic: drivers flush denormals, differ in
 * `pack2x16float`, and assume that NaN does not occur.
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
  if ((b & 0x7fffffffu) > 0x7f800000u) { return (b >> 16u) | 0x40u; }
  return (b + 0x7fffu + ((b >> 16u) & 1u)) >> 16u;
}`,
  },
  bf16_round: {
    uses: ['bf16_bits'],
    text: `fn bf16_round(x: f32) -> f32 { return bitcast<f32>(bf16_bits(x) << 16u); }`,
  },
  bf16_bits_rtz: {
    text: `fn bf16_bits_rtz(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  if ((b & 0x7fffffffu) > 0x7f800000u) { return (b >> 16u) | 0x40u; }
  return b >> 16u;
}`,
  },
  f16_bits: {
    text: `fn f16_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let sign = (b >> 16u) & 0x8000u;
  let a = b & 0x7fffffffu;
  if (a > 0x7f800000u) { return sign | 0x7e00u | ((a >> 13u) & 0x3ffu); }
  if (a >= 0x477ff000u) { return sign | 0x7c00u; }
  if (a >= 0x38800000u) {
    return sign | ((a - 0x38000000u + 0xfffu + ((a >> 13u) & 1u)) >> 13u);
  }
  if (a <= 0x33000000u) { return sign; }
  let drop = 126u - (a >> 23u);
  let mantissa = (a & 0x7fffffu) | 0x800000u;
  let kept = mantissa >> drop;
  let rest = mantissa & ((1u << drop) - 1u);
  let half = 1u << (drop - 1u);
  return sign | (kept + select(0u, 1u, (rest > half) | ((rest == half) & ((kept & 1u) != 0u))));
}`,
  },
  f16_bits_rtz: {
    text: `fn f16_bits_rtz(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let sign = (b >> 16u) & 0x8000u;
  let a = b & 0x7fffffffu;
  if (a > 0x7f800000u) { return sign | 0x7e00u; }
  if (a == 0x7f800000u) { return sign | 0x7c00u; }
  if (a >= 0x47800000u) { return sign | 0x7bffu; }
  if (a >= 0x38800000u) { return sign | ((a - 0x38000000u) >> 13u); }
  if (a < 0x33800000u) { return sign; }
  return sign | (((a & 0x7fffffu) | 0x800000u) >> (126u - (a >> 23u)));
}`,
  },
  f16_value: {
    text: `fn f16_value(bits: u32) -> f32 {
  let sign = (bits & 0x8000u) << 16u;
  let a = bits & 0x7fffu;
  if (a >= 0x7c00u) { return bitcast<f32>(sign | 0x7f800000u | ((a & 0x3ffu) << 13u)); }
  if (a >= 0x0400u) { return bitcast<f32>(sign | ((a << 13u) + 0x38000000u)); }
  return bitcast<f32>(sign | bitcast<u32>(f32(a) * 0x1p-24f));
}`,
  },
  f16_round: {
    uses: ['f16_bits', 'f16_value'],
    text: `fn f16_round(x: f32) -> f32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  if ((a >= 0x38800000u) & (a < 0x477ff000u)) {
    return bitcast<f32>((b + 0xfffu + ((b >> 13u) & 1u)) & 0xffffe000u);
  }
  return f16_value(f16_bits(x));
}`,
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
  var drop = 23u - m;
  if (exponent < smallest) { drop += smallest - exponent; }
  if (drop > 24u) { return 0u; }
  let mantissa = (a & 0x7fffffu) | 0x800000u;
  var kept = mantissa >> drop;
  let rest = mantissa & ((1u << drop) - 1u);
  let half = 1u << (drop - 1u);
  if ((rest > half) | ((rest == half) & ((kept & 1u) != 0u))) { kept += 1u; }
  if (exponent < smallest) { return kept; }
  return kept + ((exponent - smallest) << m);
}`,
  },
  f8_value: {
    // \`special\`: codes of the magnitude from here on are infinity (first) and NaN.
    text: `fn f8_value(bits: u32, m: u32, bias: u32) -> f32 {
  let sign = (bits & 0x80u) << 24u;
  let a = bits & 0x7fu;
  let code = a >> m;
  let mantissa = a & ((1u << m) - 1u);
  if (code == 0u) {
    let scale = bitcast<f32>((128u - bias - m) << 23u);
    return bitcast<f32>(sign | bitcast<u32>(f32(mantissa) * scale));
  }
  return bitcast<f32>(sign | ((code + 127u - bias) << 23u) | (mantissa << (23u - m)));
}`,
  },
  f8E4M3FN_bits: {
    uses: ['f8_magnitude'],
    text: `fn f8E4M3FN_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let sign = (b >> 24u) & 0x80u;
  let a = b & 0x7fffffffu;
  if (a > 0x7f800000u) { return sign | 0x7fu; }
  if (a >= 0x43e00000u) { return sign | 0x7eu; }
  return sign | min(f8_magnitude(a, 3u, 7u), 0x7eu);
}`,
  },
  f8E4M3FN_value: {
    uses: ['f8_value'],
    text: `fn f8E4M3FN_value(bits: u32) -> f32 {
  if ((bits & 0x7fu) == 0x7fu) { return bitcast<f32>(((bits & 0x80u) << 24u) | 0x7fc00000u); }
  return f8_value(bits, 3u, 7u);
}`,
  },
  f8E5M2_bits: {
    uses: ['f8_magnitude'],
    text: `fn f8E5M2_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let sign = (b >> 24u) & 0x80u;
  let a = b & 0x7fffffffu;
  if (a > 0x7f800000u) { return sign | 0x7eu; }
  if (a >= 0x47600000u) { return sign | 0x7bu; }
  return sign | min(f8_magnitude(a, 2u, 15u), 0x7bu);
}`,
  },
  f8E5M2_value: {
    uses: ['f8_value'],
    text: `fn f8E5M2_value(bits: u32) -> f32 {
  let a = bits & 0x7fu;
  if (a >= 0x7cu) {
    return bitcast<f32>(((bits & 0x80u) << 24u) | 0x7f800000u | ((a & 3u) << 21u));
  }
  return f8_value(bits, 2u, 15u);
}`,
  },
  f8E4M3FNUZ_bits: {
    uses: ['f8_magnitude'],
    text: `fn f8E4M3FNUZ_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  if (a > 0x7f800000u) { return 0x80u; }
  var code = 0x7fu;
  if (a < 0x43700000u) { code = min(f8_magnitude(a, 3u, 8u), 0x7fu); }
  return select((b >> 24u) & 0x80u, 0u, code == 0u) | code;
}`,
  },
  f8E4M3FNUZ_value: {
    uses: ['f8_value'],
    text: `fn f8E4M3FNUZ_value(bits: u32) -> f32 {
  if (bits == 0x80u) { return bitcast<f32>(0x7fc00000u | (bits & 0u)); }
  return f8_value(bits, 3u, 8u);
}`,
  },
  f8E5M2FNUZ_bits: {
    uses: ['f8_magnitude'],
    text: `fn f8E5M2FNUZ_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  if (a > 0x7f800000u) { return 0x80u; }
  var code = 0x7fu;
  if (a < 0x47600000u) { code = min(f8_magnitude(a, 2u, 16u), 0x7fu); }
  return select((b >> 24u) & 0x80u, 0u, code == 0u) | code;
}`,
  },
  f8E5M2FNUZ_value: {
    uses: ['f8_value'],
    text: `fn f8E5M2FNUZ_value(bits: u32) -> f32 {
  if (bits == 0x80u) { return bitcast<f32>(0x7fc00000u | (bits & 0u)); }
  return f8_value(bits, 2u, 16u);
}`,
  },
  f8E4M3B11FNUZ_bits: {
    uses: ['f8_magnitude'],
    text: `fn f8E4M3B11FNUZ_bits(x: f32) -> u32 {
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  if (a > 0x7f800000u) { return 0x80u; }
  var code = 0x7eu;
  if (a < 0x3ff00000u) { code = min(f8_magnitude(a, 3u, 15u), 0x7eu); }
  return select((b >> 24u) & 0x80u, 0u, code == 0u) | code;
}`,
  },
  f8E4M3B11FNUZ_value: {
    uses: ['f8_value'],
    text: `fn f8E4M3B11FNUZ_value(bits: u32) -> f32 {
  if (bits == 0x80u) { return bitcast<f32>(0x7fc00000u | (bits & 0u)); }
  return f8_value(bits, 3u, 15u);
}`,
  },
} as const satisfies HelperTable;
