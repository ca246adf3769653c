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
} as const satisfies HelperTable;
