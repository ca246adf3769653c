/**
 * f64 to and from every other type, rounded once. Floats narrower than f32 go through an f32
 * rounded to odd (Boldo and Melquiond, "When double rounding is odd"): the second rounding cannot
 * be misled.
 */
import { roundFloat } from '../../numbers';
import { U32 } from '../types';
import { libraryFunction, routine, wgsl } from './define';
import { f64_abs, f64_close, f64_is_nan, f64_is_special, f64_open, u64_shr_sticky } from './f64';
import { i64_abs, i64_from_i32, i64_neg, u64_shr } from './i64';
import { f32, f64, i32, i64, u32, u64, WORDS2 } from './representations';
import { floatToI32, floatToI64, roundToOdd } from './conversions';

/**
 * Truncated; where something was lost, `sticky` (0: toward zero, 1: to odd) sets the lowest bit.
 */
export const f64_to_f32_cut = routine({
  name: 'f64_to_f32_cut',
  parameters: { x: WORDS2, sticky: U32 },
  result: U32,
  wgsl: wgsl`{
  let sign = x.y & 0x80000000u;
  if (${f64_is_special}(x)) {
    let payload = ((x.y & 0xfffffu) << 3u) | (x.x >> 29u);
    return sign | 0x7f800000u | select(0u, 0x400000u | payload, ${f64_is_nan}(x));
  }
  let p = ${f64_open}(x);
  let e = i32(p.z) - 896;
  if (e > 254) { return sign | 0x7f7fffffu; }
  let m = ${u64_shr_sticky}(p.xy, 32u + select(0u, u32(1 - e), e < 1));
  let kept = (m.x >> 8u) | select(0u, sticky, (m.x & 0xffu) != 0u);
  return sign | (kept + (u32(max(e - 1, 0)) << 23u));
}`,
});

export const f64_to_f32 = libraryFunction({
  name: 'f64_to_f32',
  parameters: { x: f64 },
  result: f32,
  computes: ({ x }) => x,
  wgsl: wgsl`{
  if (${f64_is_special}(x)) { return bitcast<f32>(${f64_to_f32_cut}(x, 0u)); }
  let sign = x.y & 0x80000000u;
  let p = ${f64_open}(x);
  let e = i32(p.z) - 896;
  if (e > 254) { return bitcast<f32>(sign | 0x7f800000u); }
  // 34 bits in two words: 24 to keep, 10 to round.
  let m = ${u64_shr_sticky}(p.xy, 30u + select(0u, u32(1 - e), e < 1));
  let kept = (m.x >> 10u) | (m.y << 22u);
  let rest = m.x & 0x3ffu;
  let up = (rest > 0x200u) | ((rest == 0x200u) & ((kept & 1u) == 1u));
  return bitcast<f32>(sign | (kept + select(0u, 1u, up) + (u32(max(e - 1, 0)) << 23u)));
}`,
});

export const f64_to_f32_odd = libraryFunction({
  name: 'f64_to_f32_odd',
  parameters: { x: f64 },
  result: f32,
  computes: ({ x }) => roundToOdd(x),
  wgsl: wgsl`{ return bitcast<f32>(${f64_to_f32_cut}(x, 1u)); }`,
});

export const f64_to_f32_rtz = libraryFunction({
  name: 'f64_to_f32_rtz',
  parameters: { x: f64 },
  result: f32,
  computes: ({ x }) => roundFloat('f32', x, 'rtz'),
  wgsl: wgsl`{ return bitcast<f32>(${f64_to_f32_cut}(x, 0u)); }`,
});

export const f32_to_f64 = libraryFunction({
  name: 'f32_to_f64',
  parameters: { x: f32 },
  result: f64,
  computes: ({ x }) => x,
  wgsl: wgsl`{
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
});

export const u64_to_f64 = libraryFunction({
  name: 'u64_to_f64',
  parameters: { a: u64 },
  result: f64,
  computes: ({ a }) => Number(a),
  wgsl: wgsl`{ return ${f64_close}(0u, 1086, a); }`,
});

export const i64_to_f64 = libraryFunction({
  name: 'i64_to_f64',
  parameters: { a: i64 },
  result: f64,
  computes: ({ a }) => Number(a),
  wgsl: wgsl`{
  return ${f64_close}(a.y & 0x80000000u, 1086, ${i64_abs}(a));
}`,
});

export const i32_to_f64 = libraryFunction({
  name: 'i32_to_f64',
  parameters: { a: i32 },
  result: f64,
  computes: ({ a }) => a,
  wgsl: wgsl`{ return ${i64_to_f64}(${i64_from_i32}(a)); }`,
});

/** Truncated, limited to the range; NaN gives the highest bit alone, as in PTX. */
export const f64_to_u64 = libraryFunction({
  name: 'f64_to_u64',
  parameters: { x: f64 },
  result: u64,
  computes: ({ x }) => floatToI64(x, false),
  wgsl: wgsl`{
  if (${f64_is_nan}(x)) { return vec2<u32>(0u, 0x80000000u); }
  let p = ${f64_open}(x);
  let e = i32(p.z) - 1023;
  if ((e < 0) | ((x.y >> 31u) != 0u)) { return vec2<u32>(0u, 0u); }
  if (e > 63) { return vec2<u32>(0xffffffffu, 0xffffffffu); }
  return ${u64_shr}(p.xy, u32(63 - e));
}`,
});

export const f64_to_i64 = libraryFunction({
  name: 'f64_to_i64',
  parameters: { x: f64 },
  result: i64,
  computes: ({ x }) => floatToI64(x, true),
  wgsl: wgsl`{
  let magnitude = ${f64_to_u64}(${f64_abs}(x));
  let minus = (x.y >> 31u) != 0u;
  let large = (magnitude.y >> 31u) != 0u;
  if (large & !minus & !${f64_is_nan}(x)) { return vec2<u32>(0xffffffffu, 0x7fffffffu); }
  if (large) { return vec2<u32>(0u, 0x80000000u); }
  return select(magnitude, ${i64_neg}(magnitude), minus);
}`,
});

export const f64_to_u32 = libraryFunction({
  name: 'f64_to_u32',
  parameters: { x: f64 },
  result: u32,
  computes: ({ x }) => floatToI32('f64', x, false),
  wgsl: wgsl`{
  let whole = ${f64_to_u64}(x);
  return select(whole.x, select(0xffffffffu, 0x80000000u, ${f64_is_nan}(x)), whole.y != 0u);
}`,
});

export const f64_to_i32 = libraryFunction({
  name: 'f64_to_i32',
  parameters: { x: f64 },
  result: i32,
  computes: ({ x }) => floatToI32('f64', x, true),
  wgsl: wgsl`{
  let whole = ${f64_to_i64}(x);
  let fits = whole.y == u32(i32(whole.x) >> 31u);
  let least = ${f64_is_nan}(x) | ((x.y >> 31u) != 0u);
  return i32(select(select(0x7fffffffu, 0x80000000u, least), whole.x, fits));
}`,
});
