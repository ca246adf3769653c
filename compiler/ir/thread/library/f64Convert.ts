/**
 * f64 to and from every other type, rounded once. Floats narrower than f32 go through an f32
 * rounded to odd (Boldo and Melquiond, "When double rounding is odd"): the second rounding cannot
 * be misled.
 */
import type { HelperTable } from './table';

export const F64_CONVERSION_HELPERS = {
  // Truncated; where something was lost, `sticky` (0: toward zero, 1: to odd) sets the lowest bit.
  f64_to_f32_cut: {
    text: `fn f64_to_f32_cut(x: vec2<u32>, sticky: u32) -> u32 {
  let sign = x.y & 0x80000000u;
  if (f64_is_special(x)) {
    let payload = ((x.y & 0xfffffu) << 3u) | (x.x >> 29u);
    return sign | 0x7f800000u | select(0u, 0x400000u | payload, f64_is_nan(x));
  }
  let p = f64_open(x);
  let e = i32(p.z) - 896;
  if (e > 254) { return sign | 0x7f7fffffu; }
  let m = u64_shr_sticky(p.xy, 32u + select(0u, u32(1 - e), e < 1));
  let kept = (m.x >> 8u) | select(0u, sticky, (m.x & 0xffu) != 0u);
  return sign | (kept + (u32(max(e - 1, 0)) << 23u));
}`,
  },
  f64_to_f32: {
    text: `fn f64_to_f32(x: vec2<u32>) -> f32 {
  if (f64_is_special(x)) { return bitcast<f32>(f64_to_f32_cut(x, 0u)); }
  let sign = x.y & 0x80000000u;
  let p = f64_open(x);
  let e = i32(p.z) - 896;
  if (e > 254) { return bitcast<f32>(sign | 0x7f800000u); }
  // 34 bits in two words: 24 to keep, 10 to round.
  let m = u64_shr_sticky(p.xy, 30u + select(0u, u32(1 - e), e < 1));
  let kept = (m.x >> 10u) | (m.y << 22u);
  let rest = m.x & 0x3ffu;
  let up = (rest > 0x200u) | ((rest == 0x200u) & ((kept & 1u) == 1u));
  return bitcast<f32>(sign | (kept + select(0u, 1u, up) + (u32(max(e - 1, 0)) << 23u)));
}`,
  },
  f64_to_f32_odd: {
    text: `fn f64_to_f32_odd(x: vec2<u32>) -> f32 { return bitcast<f32>(f64_to_f32_cut(x, 1u)); }`,
  },
  f64_to_f32_rtz: {
    text: `fn f64_to_f32_rtz(x: vec2<u32>) -> f32 { return bitcast<f32>(f64_to_f32_cut(x, 0u)); }`,
  },
  f32_to_f64: {
    text: `fn f32_to_f64(x: f32) -> vec2<u32> {
  let b = bitcast<u32>(x);
  let sign = b & 0x80000000u;
  let a = b & 0x7fffffffu;
  if (a == 0u) { return vec2<u32>(0u, sign); }
  if (a >= 0x7f800000u) { return vec2<u32>(a << 29u, sign | 0x7ff00000u | ((a & 0x7fffffu) >> 3u)); }
  var exponent = i32(a >> 23u) - 127;
  var mantissa = a & 0x7fffffu;
  if (exponent == -127) {
    let up = countLeadingZeros(mantissa) - 8u;
    mantissa = (mantissa << up) & 0x7fffffu;
    exponent = -126 - i32(up);
  }
  return vec2<u32>(mantissa << 29u, sign | (u32(exponent + 1023) << 20u) | (mantissa >> 3u));
}`,
  },
  u64_to_f64: {
    text: `fn u64_to_f64(a: vec2<u32>) -> vec2<u32> { return f64_close(0u, 1086, a); }`,
  },
  i64_to_f64: {
    text: `fn i64_to_f64(a: vec2<u32>) -> vec2<u32> {
  return f64_close(a.y & 0x80000000u, 1086, i64_abs(a));
}`,
  },
  i32_to_f64: {
    text: `fn i32_to_f64(a: i32) -> vec2<u32> { return i64_to_f64(i64_from_i32(a)); }`,
  },
  // Truncated, limited to the range; NaN gives the highest bit alone, as in PTX.
  f64_to_u64: {
    text: `fn f64_to_u64(x: vec2<u32>) -> vec2<u32> {
  if (f64_is_nan(x)) { return vec2<u32>(0u, 0x80000000u); }
  let p = f64_open(x);
  let e = i32(p.z) - 1023;
  if ((e < 0) | ((x.y >> 31u) != 0u)) { return vec2<u32>(0u, 0u); }
  if (e > 63) { return vec2<u32>(0xffffffffu, 0xffffffffu); }
  return u64_shr(p.xy, u32(63 - e));
}`,
  },
  f64_to_i64: {
    text: `fn f64_to_i64(x: vec2<u32>) -> vec2<u32> {
  let magnitude = f64_to_u64(f64_abs(x));
  let minus = (x.y >> 31u) != 0u;
  let large = (magnitude.y >> 31u) != 0u;
  if (large & !minus & !f64_is_nan(x)) { return vec2<u32>(0xffffffffu, 0x7fffffffu); }
  if (large) { return vec2<u32>(0u, 0x80000000u); }
  return select(magnitude, i64_neg(magnitude), minus);
}`,
  },
  f64_to_u32: {
    text: `fn f64_to_u32(x: vec2<u32>) -> u32 {
  let whole = f64_to_u64(x);
  return select(whole.x, select(0xffffffffu, 0x80000000u, f64_is_nan(x)), whole.y != 0u);
}`,
  },
  f64_to_i32: {
    text: `fn f64_to_i32(x: vec2<u32>) -> i32 {
  let whole = f64_to_i64(x);
  let fits = whole.y == u32(i32(whole.x) >> 31u);
  let least = f64_is_nan(x) | ((x.y >> 31u) != 0u);
  return i32(select(select(0x7fffffffu, 0x80000000u, least), whole.x, fits));
}`,
  },
} as const satisfies HelperTable;
