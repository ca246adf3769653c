/**
 * Transcendental functions of f32 where WGSL's are missing or too inexact. Polynomials and reductions
 * follow Cephes and the usual single-precision libraries.
 */
import type { HelperTable } from './table';

export const MATH_HELPERS = {
  f32_tanh: {
    // Through exp of a negative number, which cannot overflow; near 0 the series.
    text: `fn f32_tanh(x: f32) -> f32 {
  let a = abs(x);
  if (a < 0.625f) {
    let s = x * x;
    let p = ((((-5.70498872745e-3f * s + 2.06390887954e-2f) * s - 5.37397155531e-2f) * s
      + 1.33314422036e-1f) * s - 3.33332819422e-1f) * s;
    return p * x + x;
  }
  let r = 1.0f - 2.0f / (exp(2.0f * min(a, 44.0f)) + 1.0f);
  if (f32_is_nan(x)) { return x; }
  return select(r, -r, x < 0.0f);
}`,
    uses: ['f32_is_nan'],
  },
  f32_erf: {
    // After N. Juffa: two polynomials, below and above 0.921875.
    text: `fn f32_erf(x: f32) -> f32 {
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
    if (f32_is_nan(x)) { return x; }
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
    uses: ['f32_is_nan'],
  },
  f32_log1p: {
    text: `fn f32_log1p(x: f32) -> f32 {
  if ((x > -0.3f) & (x < 0.4f)) {
    let s = x / (2.0f + x);
    let z = s * s;
    let p = ((((z / 11.0f + 1.0f / 9.0f) * z + 1.0f / 7.0f) * z + 0.2f) * z + 1.0f / 3.0f) * z;
    return 2.0f * s + 2.0f * s * p;
  }
  return log(1.0f + x);
}`,
  },
  f32_expm1: {
    text: `fn f32_expm1(x: f32) -> f32 {
  if (abs(x) < 0.35f) {
    let p = ((((x / 40320.0f + 1.0f / 5040.0f) * x + 1.0f / 720.0f) * x + 1.0f / 120.0f) * x
      + 1.0f / 24.0f) * x + 1.0f / 6.0f;
    return x + x * x * (0.5f + x * p);
  }
  return exp(x) - 1.0f;
}`,
  },
  f32_sin_cos: {
    // Cody and Waite's reduction by pi / 4 in three parts; Cephes' polynomials. x: sin, y: cos.
    text: `fn f32_sin_cos(x: f32) -> vec2<f32> {
  let a = abs(x);
  if (!(a < 8192.0f)) {
    if ((bitcast<u32>(x) & 0x7f800000u) == 0x7f800000u) {
      let nan = bitcast<f32>(0x7fc00000u | (bitcast<u32>(x) & 0u));
      return vec2<f32>(nan, nan);
    }
    return vec2<f32>(sin(x), cos(x));
  }
  let octant = u32(a * 1.27323954f);
  let j = octant + (octant & 1u);
  let y = f32(j);
  let r = ((a - y * 0.78515625f) - y * 2.4187564849853515625e-4f) - y * 3.77489497744594108e-8f;
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
  },
  f32_tan: {
    uses: ['f32_sin_cos'],
    text: `fn f32_tan(x: f32) -> f32 {
  let both = f32_sin_cos(x);
  return both.x / both.y;
}`,
  },
  f32_acos: {
    text: `fn f32_acos(x: f32) -> f32 {
  if (x > 0.5f) { return 2.0f * asin(sqrt((1.0f - x) * 0.5f)); }
  if (x < -0.5f) { return 3.14159265f - 2.0f * asin(sqrt((1.0f + x) * 0.5f)); }
  return 1.57079633f - asin(x);
}`,
  },
  f32_sinh: {
    text: `fn f32_sinh(x: f32) -> f32 {
  if (abs(x) < 1.0f) {
    let z = x * x;
    let p = (((z / 362880.0f + 1.0f / 5040.0f) * z + 1.0f / 120.0f) * z + 1.0f / 6.0f) * z;
    return x + x * p;
  }
  return 0.5f * exp(x) - 0.5f * exp(-x);
}`,
  },
  f32_pow: {
    // WGSL's pow knows positive bases only.
    text: `fn f32_pow(x: f32, y: f32) -> f32 {
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
  },
} as const satisfies HelperTable;
