/** Comparisons, extrema, remainders and rounding to integers of f64 (`f64.ts`). */
import { roundAway, roundEven } from '../../functions';
import { maximum, maxnum, minimum, minnum } from '../../ops/element';
import { libraryFunction, routine, wgsl } from './define';
import {
  f64_abs,
  f64_close,
  f64_is_nan,
  f64_is_special,
  f64_is_zero,
  f64_neg,
  f64_open,
} from './f64';
import { i64_add, i64_less, i64_shl, i64_sub, u64_less, u64_shr } from './i64';
import { f64, u32, WORDS2 } from './representations';

/** By mode. */
const INTEGRAL = [Math.trunc, Math.floor, Math.ceil, roundAway, roundEven] as const;

/** Ordered as i64s are: -0 before 0. */
export const f64_key = routine({
  name: 'f64_key',
  parameters: { x: WORDS2 },
  result: WORDS2,
  wgsl: wgsl`{
  return select(x, vec2<u32>(~x.x, x.y ^ 0x7fffffffu), (x.y >> 31u) != 0u);
}`,
});

/** 1 less, 2 equal, 4 greater, 8 unordered. */
export const f64_compare = libraryFunction({
  name: 'f64_compare',
  parameters: { a: f64, b: f64 },
  result: u32,
  computes: ({ a, b }) => (a < b ? 1 : a === b ? 2 : a > b ? 4 : 8),
  wgsl: wgsl`{
  if (${f64_is_nan}(a) | ${f64_is_nan}(b)) { return 8u; }
  if (all(a == b) | (${f64_is_zero}(a) & ${f64_is_zero}(b))) { return 2u; }
  return select(4u, 1u, ${i64_less}(${f64_key}(a), ${f64_key}(b)));
}`,
});

export const f64_maxnum = libraryFunction({
  name: 'f64_maxnum',
  parameters: { a: f64, b: f64 },
  result: f64,
  computes: ({ a, b }) => maxnum(a, b),
  wgsl: wgsl`{
  if (${f64_is_nan}(a)) { return b; }
  if (${f64_is_nan}(b)) { return a; }
  return select(a, b, ${i64_less}(${f64_key}(a), ${f64_key}(b)));
}`,
});

export const f64_minnum = libraryFunction({
  name: 'f64_minnum',
  parameters: { a: f64, b: f64 },
  result: f64,
  computes: ({ a, b }) => minnum(a, b),
  wgsl: wgsl`{
  return ${f64_neg}(${f64_maxnum}(${f64_neg}(a), ${f64_neg}(b)));
}`,
});

export const f64_maximum = libraryFunction({
  name: 'f64_maximum',
  parameters: { a: f64, b: f64 },
  result: f64,
  computes: ({ a, b }) => maximum(a, b),
  wgsl: wgsl`{
  if (${f64_is_nan}(a)) { return a; }
  if (${f64_is_nan}(b)) { return b; }
  return ${f64_maxnum}(a, b);
}`,
});

export const f64_minimum = libraryFunction({
  name: 'f64_minimum',
  parameters: { a: f64, b: f64 },
  result: f64,
  computes: ({ a, b }) => minimum(a, b),
  wgsl: wgsl`{
  return ${f64_neg}(${f64_maximum}(${f64_neg}(a), ${f64_neg}(b)));
}`,
});

export const f64_rem = libraryFunction({
  name: 'f64_rem',
  parameters: { x: f64, y: f64 },
  result: f64,
  computes: ({ x, y }) => x % y,
  wgsl: wgsl`{
  if (${f64_is_special}(x) | ${f64_is_nan}(y) | ${f64_is_zero}(y)) { return vec2<u32>(0u, 0x7ff80000u); }
  if (${u64_less}(${f64_abs}(x), ${f64_abs}(y))) { return x; }
  let p = ${f64_open}(x);
  let q = ${f64_open}(y);
  let divisor = ${u64_shr}(q.xy, 11u);
  var rest = ${u64_shr}(p.xy, 11u);
  let steps = p.z - q.z;
  for (var i = 0u; i < 2200u; i++) {
    if (!${u64_less}(rest, divisor)) { rest = ${i64_sub}(rest, divisor); }
    if (i >= steps) { break; }
    rest = vec2<u32>(rest.x << 1u, (rest.y << 1u) | (rest.x >> 31u));
  }
  return ${f64_close}(x.y & 0x80000000u, i32(q.z) + 11, rest);
}`,
});

/**
 * 0 toward zero, 1 down, 2 up, 3 nearest and halves away from zero, 4 nearest and halves to even.
 */
export const f64_integral = libraryFunction({
  name: 'f64_integral',
  parameters: { x: f64, mode: u32 },
  result: f64,
  computes: ({ x, mode }) => INTEGRAL[mode]!(x),
  wgsl: wgsl`{
  let e = i32((x.y >> 20u) & 0x7ffu) - 1023;
  if ((e >= 52) | ${f64_is_zero}(x)) { return x; }
  let sign = x.y & 0x80000000u;
  let away = ((mode == 1u) & (sign != 0u)) | ((mode == 2u) & (sign == 0u));
  if (e < 0) {
    let more = (x.x | (x.y & 0xfffffu)) != 0u;
    let one = away | ((e == -1) & ((mode == 3u) | ((mode == 4u) & more)));
    return vec2<u32>(0u, sign | select(0u, 0x3ff00000u, one));
  }
  let unit = ${i64_shl}(vec2<u32>(1u, 0u), u32(52 - e));
  let mask = ${i64_sub}(unit, vec2<u32>(1u, 0u));
  let rest = x & mask;
  if ((rest.x | rest.y) == 0u) { return x; }
  let half = ${i64_shl}(vec2<u32>(1u, 0u), u32(51 - e));
  let odd = ((x.x & unit.x) | (x.y & unit.y)) != 0u;
  let tie = all(rest == half);
  let near = ${u64_less}(half, rest) | (tie & ((mode == 3u) | odd));
  let up = away | ((mode >= 3u) & near);
  return ${i64_add}(x & ~mask, select(vec2<u32>(0u, 0u), unit, up));
}`,
});
