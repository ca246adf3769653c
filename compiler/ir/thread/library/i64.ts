/**
 * 64-bit integers as two u32 words, low first: exact and wrapping, as C's. Division by zero gives
 * what the 32-bit operations give: the dividend (quotient) and 0 (remainder).
 */
import type { HelperTable } from './table';

export const I64_HELPERS = {
  i64_add: {
    text: `fn i64_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}`,
  },
  i64_sub: {
    text: `fn i64_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}`,
  },
  i64_neg: {
    text: `fn i64_neg(a: vec2<u32>) -> vec2<u32> {
  return vec2<u32>(0u - a.x, ~a.y + select(0u, 1u, a.x == 0u));
}`,
  },
  u32_mul_wide: {
    text: `fn u32_mul_wide(a: u32, b: u32) -> vec2<u32> {
  let a0 = a & 0xffffu; let a1 = a >> 16u;
  let b0 = b & 0xffffu; let b1 = b >> 16u;
  let middle = a1 * b0 + ((a0 * b0) >> 16u);
  let cross = a0 * b1 + (middle & 0xffffu);
  return vec2<u32>(a * b, a1 * b1 + (middle >> 16u) + (cross >> 16u));
}`,
  },
  i64_mul: {
    text: `fn i64_mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = u32_mul_wide(a.x, b.x);
  return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}`,
  },
  u64_mul_wide: {
    text: `fn u64_mul_wide(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  let low = u32_mul_wide(a.x, b.x);
  let m1 = i64_add(u32_mul_wide(a.y, b.x), vec2<u32>(low.y, 0u));
  let m2 = i64_add(u32_mul_wide(a.x, b.y), vec2<u32>(m1.x, 0u));
  let high = i64_add(u32_mul_wide(a.y, b.y), i64_add(vec2<u32>(m1.y, 0u), vec2<u32>(m2.y, 0u)));
  return vec4<u32>(low.x, m2.x, high);
}`,
  },
  u64_mulhi: {
    text: `fn u64_mulhi(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return u64_mul_wide(a, b).zw; }`,
  },
  u64_less: {
    text: `fn u64_less(a: vec2<u32>, b: vec2<u32>) -> bool {
  return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}`,
  },
  i64_less: {
    text: `fn i64_less(a: vec2<u32>, b: vec2<u32>) -> bool {
  return (i32(a.y) < i32(b.y)) | ((a.y == b.y) & (a.x < b.x));
}`,
  },
  // Shifts take the amount modulo 64. None branches, and none of the three shifts by 32.
  i64_shl: {
    text: `fn i64_shl(a: vec2<u32>, by: u32) -> vec2<u32> {
  let low = a.x << (by & 31u);
  let high = (a.y << (by & 31u)) | ((a.x >> 1u) >> (~by & 31u));
  return select(vec2<u32>(low, high), vec2<u32>(0u, low), (by & 32u) != 0u);
}`,
  },
  u64_shr: {
    text: `fn u64_shr(a: vec2<u32>, by: u32) -> vec2<u32> {
  let low = (a.x >> (by & 31u)) | ((a.y << 1u) << (~by & 31u));
  let high = a.y >> (by & 31u);
  return select(vec2<u32>(low, high), vec2<u32>(high, 0u), (by & 32u) != 0u);
}`,
  },
  i64_shr: {
    text: `fn i64_shr(a: vec2<u32>, by: u32) -> vec2<u32> {
  let low = (a.x >> (by & 31u)) | ((a.y << 1u) << (~by & 31u));
  let high = u32(i32(a.y) >> (by & 31u));
  let sign = u32(i32(a.y) >> 31u);
  return select(vec2<u32>(low, high), vec2<u32>(high, sign), (by & 32u) != 0u);
}`,
  },
  u64_divrem: {
    // Schoolbook division bit by bit; 32 bits of both are the ordinary case and take one
    // instruction.
    text: `fn u64_divrem(a: vec2<u32>, b: vec2<u32>) -> vec4<u32> {
  if ((b.x == 0u) & (b.y == 0u)) { return vec4<u32>(a, 0u, 0u); }
  if ((a.y == 0u) & (b.y == 0u)) { return vec4<u32>(a.x / b.x, 0u, a.x % b.x, 0u); }
  var quotient = a;
  var rest = vec2<u32>(0u, 0u);
  for (var i = 0u; i < 64u; i++) {
    let carry = rest.y >> 31u;
    rest = vec2<u32>((rest.x << 1u) | (quotient.y >> 31u), (rest.y << 1u) | (rest.x >> 31u));
    quotient = vec2<u32>(quotient.x << 1u, (quotient.y << 1u) | (quotient.x >> 31u));
    if ((carry != 0u) | !u64_less(rest, b)) {
      rest = i64_sub(rest, b);
      quotient.x |= 1u;
    }
  }
  return vec4<u32>(quotient, rest);
}`,
  },
  u64_div: {
    text: `fn u64_div(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return u64_divrem(a, b).xy; }`,
  },
  u64_rem: {
    text: `fn u64_rem(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> { return u64_divrem(a, b).zw; }`,
  },
  i64_abs: {
    text: `fn i64_abs(a: vec2<u32>) -> vec2<u32> { return select(a, i64_neg(a), i32(a.y) < 0); }`,
  },
  i64_div: {
    text: `fn i64_div(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  if ((b.x == 0u) & (b.y == 0u)) { return a; }
  let q = u64_divrem(i64_abs(a), i64_abs(b)).xy;
  if ((a.y ^ b.y) >> 31u != 0u) { return i64_neg(q); }
  return q;
}`,
  },
  i64_rem: {
    text: `fn i64_rem(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let r = u64_divrem(i64_abs(a), i64_abs(b)).zw;
  if (i32(a.y) < 0) { return i64_neg(r); }
  return r;
}`,
  },
  i64_trips: {
    text: `fn i64_trips(low: vec2<u32>, high: vec2<u32>, step: vec2<u32>) -> u32 {
  if (!i64_less(low, high)) { return 0u; }
  return u64_div(i64_sub(i64_sub(high, low), vec2<u32>(1u, 0u)), step).x + 1u;
}`,
  },
  i64_from_i32: {
    text: `fn i64_from_i32(a: i32) -> vec2<u32> { return vec2<u32>(u32(a), u32(a >> 31u)); }`,
  },
  // Integers to f32 by hand, since WGSL leaves the rounding of f32(u32) open: to nearest even, or
  // (where `odd` is 1) to odd, for a second rounding to a narrower float.
  u32_to_f32: {
    text: `fn u32_to_f32(a: u32, odd: u32) -> f32 {
  let zeros = countLeadingZeros(a);
  if (zeros >= 8u) { return f32(a); }
  let drop = 8u - zeros;
  let rest = a & ((1u << drop) - 1u);
  let half = 1u << (drop - 1u);
  var kept = a >> drop;
  if (odd != 0u) { kept |= select(0u, 1u, rest != 0u); }
  else if ((rest > half) | ((rest == half) & ((kept & 1u) != 0u))) { kept += 1u; }
  return f32(kept) * bitcast<f32>((127u + drop) << 23u);
}`,
  },
  i32_to_f32: {
    text: `fn i32_to_f32(a: i32, odd: u32) -> f32 {
  let magnitude = u32_to_f32(u32(abs(a)), odd);
  return select(magnitude, -magnitude, a < 0);
}`,
  },
  u64_to_f32: {
    // Rounded once: what the top 32 bits lose is kept as a sticky bit.
    text: `fn u64_to_f32(a: vec2<u32>, odd: u32) -> f32 {
  if (a.y == 0u) { return u32_to_f32(a.x, odd); }
  let zeros = countLeadingZeros(a.y);
  let top = i64_shl(a, zeros);
  let bits = top.y | select(0u, 1u, top.x != 0u);
  return u32_to_f32(bits, odd) * bitcast<f32>((127u + 32u - zeros) << 23u);
}`,
  },
  i64_to_f32: {
    text: `fn i64_to_f32(a: vec2<u32>, odd: u32) -> f32 {
  let magnitude = u64_to_f32(i64_abs(a), odd);
  return select(magnitude, -magnitude, i32(a.y) < 0);
}`,
  },
  // Truncated, limited to the range; NaN gives 2^63, as in PTX.
  f32_to_u64: {
    text: `fn f32_to_u64(x: f32) -> vec2<u32> {
  let bits = bitcast<u32>(x);
  let exponent = i32((bits >> 23u) & 0xffu) - 150;
  let mantissa = (bits & 0x7fffffu) | 0x800000u;
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return vec2<u32>(0u, 0x80000000u); }
  if (((bits >> 31u) != 0u) | (exponent <= -24)) { return vec2<u32>(0u, 0u); }
  if (exponent >= 41) { return vec2<u32>(0xffffffffu, 0xffffffffu); }
  if (exponent <= 0) { return vec2<u32>(mantissa >> u32(-exponent), 0u); }
  return i64_shl(vec2<u32>(mantissa, 0u), u32(exponent));
}`,
  },
  f32_to_i64: {
    text: `fn f32_to_i64(x: f32) -> vec2<u32> {
  let bits = bitcast<u32>(x);
  let magnitude = f32_to_u64(bitcast<f32>(bits & 0x7fffffffu));
  let minus = (bits >> 31u) != 0u;
  let large = (magnitude.y >> 31u) != 0u;
  if (large & !minus & ((bits & 0x7fffffffu) <= 0x7f800000u)) {
    return vec2<u32>(0xffffffffu, 0x7fffffffu);
  }
  if (large) { return vec2<u32>(0u, 0x80000000u); }
  return select(magnitude, i64_neg(magnitude), minus);
}`,
  },
} as const satisfies HelperTable;
