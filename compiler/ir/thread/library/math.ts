/**
 * Transcendental functions of f32 where WGSL's are missing or too inexact. Polynomials and
 * reductions follow Cephes and the usual single-precision libraries.
 */
import { erf, powFloat, roundAway } from '../../functions';
import { F32 } from '../types';
import { libraryFunction, routine, wgsl } from './define';
import { u32_mul_wide } from './i64';
import { f32_sqrt_rn } from './ieee';
import { f32_is_nan } from './rounding';
import { f32, f32Pair, WORDS2 } from './representations';

/** Through exp of a negative number, which cannot overflow; near 0 the series. */
export const f32_tanh = libraryFunction({
  name: 'f32_tanh',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.tanh(x),
  wgsl: wgsl`{
  let a = abs(x);
  if (a < 0.625f) {
    let s = x * x;
    let p = ((((-5.70498872745e-3f * s + 2.06390887954e-2f) * s - 5.37397155531e-2f) * s
      + 1.33314422036e-1f) * s - 3.33332819422e-1f) * s;
    return p * x + x;
  }
  let r = 1.0f - 2.0f / (exp(2.0f * min(a, 44.0f)) + 1.0f);
  if (${f32_is_nan}(x)) { return x; }
  return select(r, -r, x < 0.0f);
}`,
});

/** After N. Juffa: two polynomials, below and above 0.921875. */
export const f32_erf = libraryFunction({
  name: 'f32_erf',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => erf(x),
  wgsl: wgsl`{
  let t = abs(x);
  let s = x * x;
  if (t > 0.921875f) {
    var r = fma(-1.72853470e-5f, t, 3.83197126e-4f);
    let u = fma(-3.88396438e-3f, t, 2.42546219e-2f);
    r = fma(r, s, u);
    r = fma(r, t, -1.06777877e-1f);
    r = fma(r, t, -6.34846687e-1f);
    r = fma(r, t, -1.28717512e-1f);
    r = fma(r, t, -t);
    r = 1.0f - exp(r);
    if (t > 4.0f) { r = 1.0f; }
    if (${f32_is_nan}(x)) { return x; }
    return select(r, -r, x < 0.0f);
  }
  var r = -5.96761703e-4f;
  r = fma(r, s, 4.99119423e-3f);
  r = fma(r, s, -2.67681349e-2f);
  r = fma(r, s, 1.12819925e-1f);
  r = fma(r, s, -3.76125336e-1f);
  r = fma(r, s, 1.28379166e-1f);
  return fma(r, x, x);
}`,
});

export const f32_log1p = libraryFunction({
  name: 'f32_log1p',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.log1p(x),
  wgsl: wgsl`{
  if ((x > -0.3f) & (x < 0.4f)) {
    let s = x / (2.0f + x);
    let z = s * s;
    let p = ((((z / 11.0f + 1.0f / 9.0f) * z + 1.0f / 7.0f) * z + 0.2f) * z + 1.0f / 3.0f) * z;
    return 2.0f * s + 2.0f * s * p;
  }
  return log(1.0f + x);
}`,
});

export const f32_expm1 = libraryFunction({
  name: 'f32_expm1',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.expm1(x),
  wgsl: wgsl`{
  if (abs(x) < 0.35f) {
    let p = ((((x / 40320.0f + 1.0f / 5040.0f) * x + 1.0f / 720.0f) * x + 1.0f / 120.0f) * x
      + 1.0f / 24.0f) * x + 1.0f / 6.0f;
    return x + x * x * (0.5f + x * p);
  }
  return exp(x) - 1.0f;
}`,
});

/**
 * Payne and Hanek: x times 2 / pi in 96 bits of its fraction, for x from 2 ** 13 on. x: the
 * number of quarter turns, y: what is left, in turns / 4 from -1/2 to 1/2, as bits of f32.
 */
export const f32_quarter_turns = routine({
  name: 'f32_quarter_turns',
  parameters: { x: F32 },
  result: WORDS2,
  wgsl: wgsl`{
  var table = array<u32, 8>(0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
    0x3c439041u, 0xfe5163abu);
  let bits = bitcast<u32>(x);
  let significand = (bits & 0x7fffffu) | 0x800000u;
  // The bits of 2 / pi from 2 ** 0 of the product on, modulo 4.
  let skip = ((bits >> 23u) & 0xffu) - 150u + 30u;
  let word = skip / 32u;
  let shift = skip % 32u;
  let w0 = table[word];
  let w1 = table[word + 1u];
  let w2 = table[word + 2u];
  let w3 = table[word + 3u];
  let back = (32u - shift) % 32u;
  let keep = select(0xffffffffu, 0u, shift == 0u);
  let a = (w0 << shift) | ((w1 >> back) & keep);
  let b = (w1 << shift) | ((w2 >> back) & keep);
  let c = (w2 << shift) | ((w3 >> back) & keep);
  let low = ${u32_mul_wide}(significand, c).y;
  let middle = ${u32_mul_wide}(significand, b);
  let sum = middle.x + low;
  let high = significand * a + middle.y + select(0u, 1u, sum < low);
  // high: 2 bits of whole quarter turns, 30 of fraction; sum: 32 more.
  var turns = high >> 30u;
  var top = (high << 2u) | (sum >> 30u);
  var rest = sum << 2u;
  let minus = top >= 0x80000000u;
  if (minus) {
    turns = turns + 1u;
    rest = ~rest;
    top = ~top;
  }
  let zeros = countLeadingZeros(top);
  if (zeros >= 32u) { return vec2<u32>(turns, 0u); }
  if (zeros > 0u) { top = (top << zeros) | (rest >> (32u - zeros)); }
  let left = ldexp(f32(top), -32 - i32(zeros));
  return vec2<u32>(turns, bitcast<u32>(select(left, -left, minus)));
}`,
});

/**
 * Cody and Waite's reduction by pi / 4 in three parts, for large x by 2 / pi in all its bits;
 * Cephes' polynomials. x: sin, y: cos.
 */
export const f32_sin_cos = libraryFunction({
  name: 'f32_sin_cos',
  parameters: { x: f32 },
  result: f32Pair,
  computes: ({ x }) => [Math.sin(x), Math.cos(x)] as const,
  wgsl: wgsl`{
  let a = abs(x);
  var j: u32;
  var r: f32;
  if (a < 8192.0f) {
    let octant = u32(a * 1.27323954f);
    j = octant + (octant & 1u);
    let y = f32(j);
    r = ((a - y * 0.78515625f) - y * 2.4187564849853515625e-4f) - y * 3.77489497744594108e-8f;
  } else {
    if ((bitcast<u32>(x) & 0x7f800000u) == 0x7f800000u) {
      let nan = bitcast<f32>(0x7fc00000u | (bitcast<u32>(x) & 0u));
      return vec2<f32>(nan, nan);
    }
    let turns = ${f32_quarter_turns}(a);
    j = 2u * turns.x;
    r = bitcast<f32>(turns.y) * 1.57079633f;
  }
  let z = r * r;
  let s = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * r + r;
  let c = ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f) * z * z
    - 0.5f * z + 1.0f;
  let swap = (j & 2u) != 0u;
  let sine = select(s, c, swap);
  let cosine = select(c, s, swap);
  let minus = ((j & 4u) != 0u) != (x < 0.0f);
  return vec2<f32>(select(sine, -sine, minus), select(cosine, -cosine, ((j + 2u) & 4u) != 0u));
}`,
});

export const f32_tan = libraryFunction({
  name: 'f32_tan',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.tan(x),
  wgsl: wgsl`{
  let both = ${f32_sin_cos}(x);
  return both.x / both.y;
}`,
});

/** (asin(x) - x) / x for x * x = z up to 1/4. */
export const f32_asin_series = routine({
  name: 'f32_asin_series',
  parameters: { z: F32 },
  result: F32,
  wgsl: wgsl`{
  let p = ((0.0380850236f * z + 0.0265545422f) * z + 0.0450013801f) * z + 0.0749885507f;
  return (p * z + 0.166666724f) * z;
}`,
});

export const f32_asin = libraryFunction({
  name: 'f32_asin',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.asin(x),
  wgsl: wgsl`{
  let a = abs(x);
  if (a <= 0.5f) { return x + x * ${f32_asin_series}(x * x); }
  if (!(a <= 1.0f)) { return bitcast<f32>(0x7fc00000u | (bitcast<u32>(x) & 0u)); }
  let z = (1.0f - a) * 0.5f;
  let s = ${f32_sqrt_rn}(z);
  let r = 1.57079633f - (2.0f * (s + s * ${f32_asin_series}(z)) + 4.37113883e-8f);
  return select(r, -r, x < 0.0f);
}`,
});

export const f32_acos = libraryFunction({
  name: 'f32_acos',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.acos(x),
  wgsl: wgsl`{
  let a = abs(x);
  if (a <= 0.5f) { return 1.57079633f - (x + (x * ${f32_asin_series}(x * x) + 4.37113883e-8f)); }
  if (!(a <= 1.0f)) { return bitcast<f32>(0x7fc00000u | (bitcast<u32>(x) & 0u)); }
  let z = (1.0f - a) * 0.5f;
  let s = ${f32_sqrt_rn}(z);
  let r = 2.0f * (s + s * ${f32_asin_series}(z));
  return select(r, 3.14159265f - (r + 8.74227766e-8f), x < 0.0f);
}`,
});

/** By 45 degrees, or by 90, to the tangent of 22.5 degrees and below. */
export const f32_atan = libraryFunction({
  name: 'f32_atan',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.atan(x),
  wgsl: wgsl`{
  if (${f32_is_nan}(x)) { return x; }
  let a = abs(x);
  var t = a;
  var base = 0.0f;
  var low = 0.0f;
  if (a > 2.41421356f) {
    t = select(-1.0f / a, 0.0f, a > 1e30f);
    base = 1.57079633f;
    low = -4.37113883e-8f;
  } else if (a > 0.414213562f) {
    t = (a - 1.0f) / (a + 1.0f);
    base = 0.785398163f;
    low = -2.18556941e-8f;
  }
  let z = t * t;
  let p = (((-0.0644671946f * z + 0.107421579f) * z - 0.142638098f) * z + 0.199995363f) * z;
  let r = base + ((t * z * (p - 0.333333317f) + low) + t);
  return bitcast<f32>(bitcast<u32>(r) | (bitcast<u32>(x) & 0x80000000u));
}`,
});

export const f32_atan2 = libraryFunction({
  name: 'f32_atan2',
  parameters: { y: f32, x: f32 },
  result: f32,
  computes: ({ y, x }) => Math.atan2(y, x),
  wgsl: wgsl`{
  if (${f32_is_nan}(x)) { return x; }
  if (${f32_is_nan}(y)) { return y; }
  // Infinities are large numbers here, and very large and small ones are brought to the middle.
  let limit = 3.4028234e38f;
  var a = min(abs(x), limit);
  var b = min(abs(y), limit);
  if ((bitcast<u32>(x) << 1u) == 0xff000000u && (bitcast<u32>(y) << 1u) != 0xff000000u) { b = 0.0f; }
  if ((bitcast<u32>(y) << 1u) == 0xff000000u && (bitcast<u32>(x) << 1u) != 0xff000000u) { a = 0.0f; }
  let largest = max(a, b);
  let scale = select(select(1.0f, 1.0995116e12f, largest < 1e-20f), 9.094947e-13f, largest > 1e20f);
  a = a * scale;
  b = b * scale;
  let swap = b > a;
  let down = max(a, b);
  var r = ${f32_atan}(select(min(a, b) / down, 0.0f, down == 0.0f));
  if (swap) { r = 1.57079633f - (r + 4.37113883e-8f); }
  if (bitcast<u32>(x) >> 31u != 0u) { r = 3.14159265f - (r + 8.74227766e-8f); }
  return bitcast<f32>(bitcast<u32>(r) | (bitcast<u32>(y) & 0x80000000u));
}`,
});

export const f32_round = libraryFunction({
  name: 'f32_round',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => roundAway(x),
  wgsl: wgsl`{
  let whole = trunc(x);
  return select(whole, whole + sign(x), abs(x - whole) >= 0.5f);
}`,
});

export const f32_sinh = libraryFunction({
  name: 'f32_sinh',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.sinh(x),
  wgsl: wgsl`{
  if (abs(x) < 1.0f) {
    let z = x * x;
    let p = (((z / 362880.0f + 1.0f / 5040.0f) * z + 1.0f / 120.0f) * z + 1.0f / 6.0f) * z;
    return x + x * p;
  }
  return 0.5f * exp(x) - 0.5f * exp(-x);
}`,
});

/** WGSL's pow accepts positive bases only. */
export const f32_pow = libraryFunction({
  name: 'f32_pow',
  parameters: { x: f32, y: f32 },
  result: f32,
  computes: ({ x, y }) => powFloat(x, y),
  wgsl: wgsl`{
  if ((y == 0.0f) | (x == 1.0f)) { return 1.0f; }
  let magnitude = pow(abs(x), y);
  if (bitcast<u32>(x) >> 31u == 0u) { return magnitude; }
  if (floor(y) == y) {
    let half = y * 0.5f;
    return select(magnitude, -magnitude, floor(half) != half);
  }
  if (x == 0.0f) { return magnitude; }
  return bitcast<f32>(0x7fc00000u | (bitcast<u32>(x) & 0u));
}`,
});
