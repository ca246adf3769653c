/**
 * x to the power y in f64, within a few units in the last place. log2(x) has 62 bits and more, its
 * product with y 128: so the fraction of the exponent is right where the result is huge or tiny.
 */
import { powFloat } from '../../functions';
import { U32 } from '../types';
import { libraryFunction, routine, wgsl } from './define';
import {
  f64_abs,
  f64_close,
  f64_is_infinite,
  f64_is_nan,
  f64_is_zero,
  f64_open,
  f64_quiet,
  u128_add,
  u128_shl,
  u128_shr_sticky,
  u64_leading_zeros,
} from './f64';
import { u64_exp, u64_ratio, u64_series } from './f64Math';
import { i64_add, i64_neg, i64_shl, u64_less, u64_mul_wide, u64_mulhi, u64_shr } from './i64';
import { f64, WORDS2, WORDS4 } from './representations';
import { LN2, NAN, series } from './series';

/** Zeros below the lowest one. */
export const u64_trailing_zeros = routine({
  name: 'u64_trailing_zeros',
  parameters: { a: WORDS2 },
  result: U32,
  wgsl: wgsl`{
  return select(countTrailingZeros(a.x), 32u + countTrailingZeros(a.y), a.x == 0u);
}`,
});

/**
 * log2(m) of a mantissa m = 1 ± n / 2^64 from √½ to √2: `up` are n's leading zeros, `d` a quarter
 * of m + 1 in units of 2^-63. @returns its size in units of 2^(-124 - up).
 */
export const u128_log2_mantissa = routine({
  name: 'u128_log2_mantissa',
  parameters: { n: WORDS2, up: U32, d: WORDS2 },
  result: WORDS4,
  wgsl: wgsl`{
  let q = ${u64_ratio}(${u64_shr}(${i64_shl}(n, up), 3u), d);
  let s = ${u64_shr}(q, up);
  var terms = ${series(14, (i) => BigInt(2 * i + 1))};
  let wide = ${u64_mul_wide}(q, ${u64_series}(${u64_mulhi}(s, s), false, &terms));
  let zeros = ${u64_leading_zeros}(wide.zw);
  let product = ${u64_mul_wide}(${u128_shl}(wide, zeros).zw, vec2<u32>(0x5c17f0bcu, 0xb8aa3b29u));
  return ${u128_shr_sticky}(product, zeros);
}`,
});

/** |y * log2(x)| in units of 2^-64, for positive x other than 1; all ones from 2^11 on. */
export const u128_exponent = routine({
  name: 'u128_exponent',
  parameters: { x: WORDS2, y: WORDS2 },
  result: WORDS4,
  wgsl: wgsl`{
  let p = ${f64_open}(x);
  let half = ${u64_less}(vec2<u32>(0xf9de6484u, 0xb504f333u), p.xy);
  let k = i32(p.z) - select(1023, 1022, half);
  // The mantissa is 1 + n / 2^64, or 1 - n / 2^64 where it was halved.
  let twice = ${i64_shl}(p.xy, 1u);
  let n = select(twice, ${i64_neg}(p.xy), half);
  let d = ${i64_add}(${u64_shr}(p.xy, select(2u, 3u, half)), vec2<u32>(0u, 0x20000000u));
  let up = ${u64_leading_zeros}(n);
  var part = vec4<u32>(0u, 0u, 0u, 0u);
  if (up < 64u) { part = ${u128_log2_mantissa}(n, up, d); }
  var total = part;
  var unit = -124 - i32(up);
  if (k != 0) {
    let small = select(${u128_shr_sticky}(part, 7u + up), vec4<u32>(0u, 0u, 0u, 0u), up == 64u);
    let less = ${u128_add}(~small, vec4<u32>(1u, 0u, 0u, 0u));
    let whole = vec4<u32>(0u, 0u, 0u, u32(abs(k)) << 21u);
    total = ${u128_add}(whole, select(small, less, half != (k < 0)));
    unit = -117;
  }
  let zeros = ${u64_leading_zeros}(total.zw);
  let q = ${f64_open}(y);
  let product = ${u64_mul_wide}(${u128_shl}(total, zeros).zw, q.xy);
  let away = i32(zeros) - 1 - unit - (i32(q.z) - 1023);
  if (away < 116) { return ~vec4<u32>(0u, 0u, 0u, 0u); }
  return ${u128_shr_sticky}(product, u32(away - 64));
}`,
});

export const f64_pow = libraryFunction({
  name: 'f64_pow',
  parameters: { x: f64, y: f64 },
  result: f64,
  computes: ({ x, y }) => powFloat(x, y),
  wgsl: wgsl`{
  let one = vec2<u32>(0u, 0x3ff00000u);
  if (${f64_is_zero}(y) || all(x == one)) { return one; }
  if (${f64_is_nan}(x)) { return ${f64_quiet}(x); }
  if (${f64_is_nan}(y)) { return ${f64_quiet}(y); }
  let a = ${f64_abs}(x);
  let down = (y.y >> 31u) != 0u;
  let q = ${f64_open}(y);
  // The weight of y's lowest one: above 1, or 1 of an odd number.
  let lowest = i32(q.z) - 1086 + i32(${u64_trailing_zeros}(q.xy));
  let negative = (x.y >> 31u) != 0u;
  let sign = select(0u, 0x80000000u, negative && lowest == 0);
  let none = vec2<u32>(0u, sign);
  let endless = vec2<u32>(0u, sign | 0x7ff00000u);
  if (${f64_is_infinite}(y)) {
    if (all(a == one)) { return one; }
    return select(endless, none, ${u64_less}(a, one) != down);
  }
  let zero = ${f64_is_zero}(x);
  if (zero || ${f64_is_infinite}(x)) { return select(endless, none, zero != down); }
  if (negative && lowest < 0) { return ${NAN}; }
  if (all(a == one)) { return one | none; }
  let minus = ${u64_less}(a, one) != down;
  let e = ${u128_exponent}(a, y);
  if (e.w != 0u || e.z > 1100u) { return select(endless, none, minus); }
  let size = ${u64_exp}(${u64_mulhi}(e.xy, ${LN2}), minus);
  return ${f64_close}(sign, 1024 + select(i32(e.z), -i32(e.z), minus), size);
}`,
});
