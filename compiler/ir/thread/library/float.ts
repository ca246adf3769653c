/** f32 functions that WGSL lacks, or leaves too inexact or undefined for some arguments. */
import type { HelperTable } from './table';

export const FLOAT_HELPERS = {
  f32_maxnum: {
    text: `fn f32_maxnum(a: f32, b: f32) -> f32 { return select(b, a, (a > b) | f32_is_nan(b)); }`,
  },
  f32_minnum: {
    text: `fn f32_minnum(a: f32, b: f32) -> f32 { return select(b, a, (a < b) | f32_is_nan(b)); }`,
  },
  f32_maximum: {
    text: `fn f32_maximum(a: f32, b: f32) -> f32 { return select(b, a, (a > b) | f32_is_nan(a)); }`,
  },
  f32_minimum: {
    text: `fn f32_minimum(a: f32, b: f32) -> f32 { return select(b, a, (a < b) | f32_is_nan(a)); }`,
  },
  // Truncated, limited to the range; NaN gives 0. WGSL's own limit is the largest f32 in the range.
  f32_to_i32: {
    text: `fn f32_to_i32(x: f32) -> i32 {
  return select(select(i32(x), 0x7fffffffi, x >= 2147483648.0f), 0i, f32_is_nan(x));
}`,
  },
  f32_to_u32: {
    text: `fn f32_to_u32(x: f32) -> u32 {
  return select(select(u32(x), 0xffffffffu, x >= 4294967296.0f), 0u, f32_is_nan(x));
}`,
  },
  f32_exp: { text: `fn f32_exp(x: f32) -> f32 { return select(exp(x), x, f32_is_nan(x)); }` },
  f32_exp2: { text: `fn f32_exp2(x: f32) -> f32 { return select(exp2(x), x, f32_is_nan(x)); }` },
  // Above the bits of -0 are those of all negative numbers.
  f32_log: {
    text: `fn f32_log(x: f32) -> f32 {
  let none = f32_is_nan(x) | (bitcast<u32>(x) > 0x80000000u);
  return select(log(x), bitcast<f32>(0x7fc00000u | (bitcast<u32>(x) & 0u)), none);
}`,
  },
  f32_log2: {
    text: `fn f32_log2(x: f32) -> f32 {
  let none = f32_is_nan(x) | (bitcast<u32>(x) > 0x80000000u);
  return select(log2(x), bitcast<f32>(0x7fc00000u | (bitcast<u32>(x) & 0u)), none);
}`,
  },
  f32_rem: {
    // C's fmod, exact: long division of the mantissas.
    text: `fn f32_rem(x: f32, y: f32) -> f32 {
  let a = bitcast<u32>(x) & 0x7fffffffu;
  let b = bitcast<u32>(y) & 0x7fffffffu;
  let sign = bitcast<u32>(x) & 0x80000000u;
  if ((a >= 0x7f800000u) | (b == 0u) | (b > 0x7f800000u)) {
    return bitcast<f32>(0x7fc00000u | (a & 0u));
  }
  if (a < b) { return x; }
  var ea = i32(a >> 23u);
  var eb = i32(b >> 23u);
  var ma = (a & 0x7fffffu) | 0x800000u;
  var mb = (b & 0x7fffffu) | 0x800000u;
  if (ea == 0) { ma = a & 0x7fffffu; ea = 1; }
  if (eb == 0) { mb = b & 0x7fffffu; eb = 1; }
  let steps = u32(ea - eb);
  for (var i = 0u; i < 256u; i++) {
    if (i >= steps) { break; }
    if (ma >= mb) { ma -= mb; }
    ma = ma << 1u;
  }
  if (ma >= mb) { ma -= mb; }
  if (ma == 0u) { return bitcast<f32>(sign); }
  let up = countLeadingZeros(ma) - 8u;
  if (i32(up) < eb) {
    return bitcast<f32>(sign | (u32(eb - i32(up)) << 23u) | ((ma << up) & 0x7fffffu));
  }
  return bitcast<f32>(sign | (ma << u32(eb - 1)));
}`,
  },
} as const satisfies HelperTable;
