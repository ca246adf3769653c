/**
 * exp, log, sine and their like of f64, within an ulp or so (erf: a few). Arguments are reduced
 * exactly enough, then series are summed in fixed point of 62 bits: additions are cheap there, and
 * ten more bits than the result has absorb what is truncated. Sine and cosine reduce by 2 / π to
 * 1,216 bits (Payne and Hanek), so that huge arguments are right too.
 */
import { erf } from '../../functions';
import { BOOL, memory, U32 } from '../types';
import { libraryFunction, routine, wgsl } from './define';
import {
  f64_close,
  f64_is_infinite,
  f64_is_nan,
  f64_is_special,
  f64_is_zero,
  f64_open,
  f64_quiet,
  u128_add,
  u128_shl,
  u128_shr_sticky,
  u64_leading_zeros,
} from './f64';
import {
  i64_add,
  i64_mul,
  i64_neg,
  i64_shl,
  i64_sub,
  u32_mul_wide,
  u64_less,
  u64_mul_wide,
  u64_mulhi,
  u64_shr,
} from './i64';
import { bool, f64, u32, WORDS2, WORDS3, WORDS4 } from './representations';
import { hex, LN2, NAN, series, TERMS } from './series';

function factorial(n: number): bigint {
  return n < 2 ? 1n : BigInt(n) * factorial(n - 1);
}
/** π in units of 2^-bits, by Machin's formula. */
function pi(bits: number): bigint {
  const one = 2n ** BigInt(bits + 16);
  const arctan = (n: bigint): bigint => {
    let sum = 0n;
    let term = one / n;
    for (let k = 1n; term !== 0n; k += 2n, term /= -n * n) sum += term / k;
    return sum;
  };
  return (4n * (4n * arctan(5n) - arctan(239n))) >> 16n;
}
/** Two words of zeros, then 2 / π, its highest bit first. */
function twoOverPi(): string {
  const bits = 38 * 32;
  const value = 2n ** BigInt(2 * bits + 65) / pi(bits + 64);
  const words = Array.from({ length: 38 }, (_, i) => (value >> BigInt(32 * (37 - i))) % 2n ** 32n);
  return [0n, 0n, ...words]
    .map(hex)
    .join(', ')
    .replace(/(.{80,90}, )/g, '$1\n    ')
    .trim();
}

const TERM_TABLE = memory('private', WORDS2, [TERMS]);

/** Horner's rule: x in units of 2^-64, coefficients and result of 2^-62. */
export const u64_series = routine({
  name: 'u64_series',
  parameters: { x: WORDS2, minus: BOOL, terms: TERM_TABLE },
  result: WORDS2,
  wgsl: wgsl`{
  var sum = vec2<u32>(0u, 0u);
  for (var i = ${TERMS}u; i > 0u; i--) {
    let more = ${u64_mulhi}(x, sum);
    let term = (*terms)[i - 1u];
    sum = select(${i64_add}(term, more), ${i64_sub}(term, more), minus);
  }
  return sum;
}`,
});

/** |x| below 1 in units of 2^-64. */
export const f64_fraction = routine({
  name: 'f64_fraction',
  parameters: { x: WORDS2 },
  result: WORDS2,
  wgsl: wgsl`{
  let p = ${f64_open}(x);
  let by = 1022 - i32(p.z);
  return select(${u64_shr}(p.xy, u32(by)), vec2<u32>(0u, 0u), by > 63);
}`,
});

/** e^(±r) in units of 2^-62, r in units of 2^-64. */
export const u64_exp = routine({
  name: 'u64_exp',
  parameters: { r: WORDS2, minus: BOOL },
  result: WORDS2,
  wgsl: wgsl`{
  var terms = ${series(18, factorial)};
  return ${u64_series}(r, minus, &terms);
}`,
});

/** x = k * ln 2 + r: whole units of 2^-64 that r leaves are exact, since they wrap. */
export const f64_exp = libraryFunction({
  name: 'f64_exp',
  parameters: { x: f64 },
  result: f64,
  computes: ({ x }) => Math.exp(x),
  wgsl: wgsl`{
  if (${f64_is_nan}(x)) { return ${f64_quiet}(x); }
  let minus = (x.y >> 31u) != 0u;
  if ((x.y & 0x7fffffffu) >= 0x40875000u) {
    return vec2<u32>(0u, select(0x7ff00000u, 0u, minus));
  }
  let p = ${f64_open}(x);
  if (i32(p.z) < 1022) { return ${f64_close}(0u, 1024, ${u64_exp}(${f64_fraction}(x), minus)); }
  let size = f32(p.y) * bitcast<f32>((p.z - 927u) << 23u);
  let k = u32(max(size * 1.44269504f - 0.001f, 0.0f));
  let whole = ${i64_mul}(vec2<u32>(k, 0u), ${LN2});
  let r = ${i64_sub}(${i64_shl}(p.xy, p.z - 1022u), whole);
  return ${f64_close}(0u, 1024 + select(i32(k), -i32(k), minus), ${u64_exp}(r, minus));
}`,
});

export const f64_exp2 = libraryFunction({
  name: 'f64_exp2',
  parameters: { x: f64 },
  result: f64,
  computes: ({ x }) => 2 ** x,
  wgsl: wgsl`{
  if (${f64_is_nan}(x)) { return ${f64_quiet}(x); }
  let minus = (x.y >> 31u) != 0u;
  if ((x.y & 0x7fffffffu) >= 0x40913000u) {
    return vec2<u32>(0u, select(0x7ff00000u, 0u, minus));
  }
  let p = ${f64_open}(x);
  var k = 0;
  var r = ${f64_fraction}(x);
  if (i32(p.z) > 1022) {
    k = i32(${u64_shr}(p.xy, 1086u - p.z).x);
    r = ${i64_shl}(p.xy, p.z - 1022u);
  }
  return ${f64_close}(0u, 1024 + select(k, -k, minus), ${u64_exp}(${u64_mulhi}(r, ${LN2}), minus));
}`,
});

/** n / d in units of 2^-64, for n < d < 2^63. */
export const u64_ratio = routine({
  name: 'u64_ratio',
  parameters: { n: WORDS2, d: WORDS2 },
  result: WORDS2,
  wgsl: wgsl`{
  var rest = n;
  var q = vec2<u32>(0u, 0u);
  for (var i = 0u; i < 64u; i++) {
    rest = vec2<u32>(rest.x << 1u, (rest.y << 1u) | (rest.x >> 31u));
    q = vec2<u32>(q.x << 1u, (q.y << 1u) | (q.x >> 31u));
    if (!${u64_less}(rest, d)) {
      rest = ${i64_sub}(rest, d);
      q.x |= 1u;
    }
  }
  return q;
}`,
});

/**
 * The logarithm to base 2 (or e): x = 2^k * m, m from √½ to √2, log(m) = 2 * atanh((m - 1) / (m +
 * 1)).
 */
export const f64_logarithm = libraryFunction({
  name: 'f64_logarithm',
  parameters: { x: f64, two: bool },
  result: f64,
  computes: ({ x, two }) => (two ? Math.log2(x) : Math.log(x)),
  wgsl: wgsl`{
  if (${f64_is_nan}(x)) { return ${f64_quiet}(x); }
  if (${f64_is_zero}(x)) { return vec2<u32>(0u, 0xfff00000u); }
  if ((x.y >> 31u) != 0u) { return ${NAN}; }
  if (${f64_is_infinite}(x)) { return x; }
  let p = ${f64_open}(x);
  let half = ${u64_less}(vec2<u32>(0xf9de6484u, 0xb504f333u), p.xy);
  let k = i32(p.z) - select(1023, 1022, half);
  let unit = select(${LN2}, vec2<u32>(0u, 0u), two);
  let size = u32(abs(k));
  let low = ${u32_mul_wide}(size, unit.x);
  let high = ${i64_add}(${u32_mul_wide}(size, unit.y), vec2<u32>(low.y, select(0u, size, two)));
  let n = select(${i64_sub}(p.xy, vec2<u32>(0u, 0x80000000u)), ${i64_neg}(p.xy), half);
  let up = ${u64_leading_zeros}(n);
  // A quarter of (m + 1).
  let d = ${i64_add}(${u64_shr}(p.xy, select(2u, 3u, half)), vec2<u32>(0u, 0x20000000u));
  let q = ${u64_ratio}(${u64_shr}(${i64_shl}(n, up), 3u), d);
  let t = up + select(0u, 1u, half);
  let s = select(${u64_shr}(q, t - 1u), vec2<u32>(0u, 0u), t > 64u);
  var terms = ${series(14, (i) => BigInt(2 * i + 1))};
  let sum = ${u64_mulhi}(q, ${u64_series}(${u64_mulhi}(s, s), false, &terms));
  // log(m) in units of 2^(-59 - t).
  let scale = select(vec2<u32>(0u, 0x80000000u), vec2<u32>(0x5c17f0bcu, 0xb8aa3b29u), two);
  let part = ${u64_mulhi}(sum, scale);
  if (k == 0) { return ${f64_close}(select(0u, 0x80000000u, half), 1027 - i32(t), part); }
  var small = vec4<u32>(0u, 0u, 0u, 0u);
  if (t < 70u) { small = ${u128_shr_sticky}(vec4<u32>(0u, 0u, part), 27u + t); }
  let minus = half != (k < 0);
  let less = ${u128_add}(~small, vec4<u32>(1u, 0u, 0u, 0u));
  let total = ${u128_add}(vec4<u32>(0u, low.x, high), select(small, less, minus));
  let zeros = ${u64_leading_zeros}(total.zw);
  let m = ${u128_shl}(total, zeros);
  let sticky = select(0u, 1u, (m.x | m.y) != 0u);
  let sign = select(0u, 0x80000000u, k < 0);
  return ${f64_close}(sign, 1054 - i32(zeros), vec2<u32>(m.z | sticky, m.w));
}`,
});

/**
 * Of |x| of π / 4 and more: what is left of it in units of 2^-64 / 2^z, z, and the quarter turns;
 * bit 2 of these says that what is left is to be subtracted.
 */
export const f64_quarter_turns = routine({
  name: 'f64_quarter_turns',
  parameters: { p: WORDS3 },
  result: WORDS4,
  wgsl: wgsl`{
  var table = array<u32, 40>(${twoOverPi()});
  let m = ${u64_shr}(p.xy, 11u);
  // The bits before this one give whole turns.
  let offset = p.z - 1013u;
  var bits = array<u32, 6>();
  for (var i = 0u; i < 6u; i++) {
    let at = offset / 32u + 5u - i;
    let by = offset % 32u;
    bits[i] = (table[at] << by) | select(table[at + 1u] >> (32u - by), 0u, by == 0u);
  }
  var product = array<u32, 6>();
  for (var j = 0u; j < 2u; j++) {
    var carry = 0u;
    for (var i = 0u; i < 6u; i++) {
      if (i + j >= 6u) { break; }
      let one = ${i64_add}(${u32_mul_wide}(bits[i], select(m.x, m.y, j == 1u)), vec2<u32>(carry, 0u));
      let sum = ${i64_add}(one, vec2<u32>(product[i + j], 0u));
      product[i + j] = sum.x;
      carry = sum.y;
    }
  }
  var turns = product[5] >> 30u;
  var rest = (vec4<u32>(product[2], product[3], product[4], product[5]) << vec4<u32>(2u))
    | (vec4<u32>(product[1], product[2], product[3], product[4]) >> vec4<u32>(30u));
  if ((rest.w >> 31u) != 0u) {
    rest = ~rest;
    turns = ((turns + 1u) & 3u) | 4u;
  }
  let high = ${u64_leading_zeros}(rest.zw);
  let zeros = high + select(0u, ${u64_leading_zeros}(rest.xy), high == 64u);
  let left = ${u64_mulhi}(${u128_shl}(rest, zeros).zw, vec2<u32>(0x2168c235u, 0xc90fdaa2u));
  return vec4<u32>(left, zeros - 1u, turns);
}`,
});

/** sin(x + quarters * π / 2) for 0 or 1 quarter. */
export const f64_sine = libraryFunction({
  name: 'f64_sine',
  parameters: { x: f64, quarters: u32 },
  result: f64,
  computes: ({ x, quarters }) => (quarters === 0 ? Math.sin(x) : Math.cos(x)),
  wgsl: wgsl`{
  if (${f64_is_special}(x)) { return select(${NAN}, ${f64_quiet}(x), ${f64_is_nan}(x)); }
  let p = ${f64_open}(x);
  var r = vec4<u32>(p.xy, 1022u - p.z, 0u);
  let small = ${u64_less}(p.xy, vec2<u32>(0x2168c235u, 0xc90fdaa2u));
  if ((i32(p.z) > 1022) | ((p.z == 1022u) & !small)) { r = ${f64_quarter_turns}(p); }
  let turns = r.w + quarters;
  let odd = (turns & 1u) != 0u;
  let minus = ((turns & 2u) != 0u) != (((r.w & 4u) != 0u) & !odd);
  let negative = minus != (((x.y >> 31u) != 0u) & (quarters == 0u));
  let sign = select(0u, 0x80000000u, negative);
  let fixed = select(${u64_shr}(r.xy, r.z), vec2<u32>(0u, 0u), r.z > 63u);
  let square = ${u64_mulhi}(fixed, fixed);
  if (odd) {
    var cosine = ${series(11, (i) => factorial(2 * i))};
    return ${f64_close}(sign, 1024, ${u64_series}(square, true, &cosine));
  }
  var sine = ${series(11, (i) => factorial(2 * i + 1))};
  let result = ${u64_mulhi}(r.xy, ${u64_series}(square, true, &sine));
  return ${f64_close}(sign, 1024 - i32(r.z), result);
}`,
});

export const u64_over = routine({
  name: 'u64_over',
  parameters: { a: WORDS2, d: U32 },
  result: WORDS2,
  wgsl: wgsl`{
  let first = ((a.y % d) << 16u) | (a.x >> 16u);
  let second = ((first % d) << 16u) | (a.x & 0xffffu);
  return vec2<u32>(((first / d) << 16u) | (second / d), a.y / d);
}`,
});

/**
 * erf(a) = 2/√π * exp(-a²) * Σ 2ⁿ a²ⁿ⁺¹ / (1·3·5 … (2n+1)); from 2 on, erfc's continued
 * fraction.
 */
export const f64_erf = libraryFunction({
  name: 'f64_erf',
  parameters: { x: f64 },
  result: f64,
  computes: ({ x }) => erf(x),
  wgsl: wgsl`{
  if (${f64_is_nan}(x)) { return ${f64_quiet}(x); }
  let sign = x.y & 0x80000000u;
  if ((x.y & 0x7fffffffu) >= 0x40180000u) { return vec2<u32>(0u, sign | 0x3ff00000u); }
  let p = ${f64_open}(x);
  let by = 1025 - i32(p.z);
  let a = select(${u64_shr}(p.xy, u32(by)), vec2<u32>(0u, 0u), by > 63);
  // a in units of 2^-61, a² of 2^-58; a² = k * ln 2 + r.
  let square = ${u64_mulhi}(a, a);
  let k = u32(max(f32(square.y) * 2.14976e-8f - 0.001f, 0.0f));
  let whole = ${i64_mul}(vec2<u32>(k, 0u), ${LN2});
  let e = ${u64_exp}(${i64_sub}(${i64_shl}(square, 6u), whole), true);
  if (a.y < 0x40000000u) {
    let factor = ${i64_shl}(square, 4u);
    var term = vec2<u32>(0u, 0x04000000u);
    var sum = term;
    for (var n = 1u; n < 64u; n++) {
      let wide = ${u64_mul_wide}(term, factor);
      let next = vec2<u32>((wide.z << 3u) | (wide.y >> 29u), (wide.w << 3u) | (wide.z >> 29u));
      term = ${u64_over}(next, 2u * n + 1u);
      sum = ${i64_add}(sum, term);
    }
    let up = ${u64_leading_zeros}(sum);
    let scaled = ${u64_mulhi}(${u64_mulhi}(${i64_shl}(sum, up), e), vec2<u32>(0x14db688du, 0x906eba82u));
    return ${f64_close}(sign, i32(p.z + 9u - up - k), ${u64_mulhi}(p.xy, scaled));
  }
  let shifted = ${u64_shr}(a, 5u);
  var d = shifted;
  for (var n = 60u; n > 0u; n--) {
    d = ${i64_add}(shifted, ${u64_shr}(${u64_ratio}(vec2<u32>(0u, n << 18u), d), 3u));
  }
  let tail = ${u64_ratio}(${u64_shr}(${u64_mulhi}(e, vec2<u32>(0x14db688du, 0x906eba82u)), 6u), d);
  let rest = ${i64_neg}(select(${u64_shr}(tail, k), vec2<u32>(0u, 0u), k > 63u));
  if ((rest.x | rest.y) == 0u) { return vec2<u32>(0u, sign | 0x3ff00000u); }
  return ${f64_close}(sign, 1022, rest);
}`,
});
