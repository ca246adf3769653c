/**
 * f64 in two u32 words, low first: IEEE 754 binary64 with denormals, rounded to nearest even. Every
 * operation opens its operands into a sign, a biased exponent and a mantissa whose highest bit is
 * bit 63, works on integers, and closes the result, where the one rounding is: so no driver's
 * liberties with floats (fusing, flushing, assuming that there are no NaNs) reach it. Division and
 * square root go bit by bit: slow, and short, which matters more to the compilers of software
 * adapters, which inline all; for their sake the frequent helpers do not branch.
 *
 * The value of mantissa m and exponent e is m / 2^63 * 2^(e - 1023).
 */
import { fma64 } from '../../functions';
import { BOOL, I32, U32 } from '../types';
import { libraryFunction, routine, wgsl } from './define';
import { i64_add, i64_shl, i64_sub, u64_less, u64_mul_wide, u64_shr } from './i64';
import { f64, WORDS2, WORDS3, WORDS4 } from './representations';

export const u64_leading_zeros = routine({
  name: 'u64_leading_zeros',
  parameters: { a: WORDS2 },
  result: U32,
  wgsl: wgsl`{
  return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
}`,
});

/** A bit that is lost leaves a one in the lowest place: rounding sees that there was a rest. */
export const u64_shr_sticky = routine({
  name: 'u64_shr_sticky',
  parameters: { a: WORDS2, n: U32 },
  result: WORDS2,
  wgsl: wgsl`{
  let zero = vec2<u32>(0u, 0u);
  let kept = select(${u64_shr}(a, n), zero, n > 63u);
  let back = select(${i64_shl}(kept, n), zero, n > 63u);
  return vec2<u32>(kept.x | select(0u, 1u, any(back != a)), kept.y);
}`,
});

export const f64_is_nan = routine({
  name: 'f64_is_nan',
  parameters: { x: WORDS2 },
  result: BOOL,
  wgsl: wgsl`{
  let high = x.y & 0x7fffffffu;
  return (high > 0x7ff00000u) | ((high == 0x7ff00000u) & (x.x != 0u));
}`,
});

export const f64_is_infinite = routine({
  name: 'f64_is_infinite',
  parameters: { x: WORDS2 },
  result: BOOL,
  wgsl: wgsl`{
  return (x.x == 0u) & ((x.y & 0x7fffffffu) == 0x7ff00000u);
}`,
});

export const f64_is_zero = routine({
  name: 'f64_is_zero',
  parameters: { x: WORDS2 },
  result: BOOL,
  wgsl: wgsl`{ return (x.x | (x.y << 1u)) == 0u; }`,
});

/** A NaN keeps its payload and becomes quiet. */
export const f64_quiet = routine({
  name: 'f64_quiet',
  parameters: { x: WORDS2 },
  result: WORDS2,
  wgsl: wgsl`{ return vec2<u32>(x.x, x.y | 0x80000u); }`,
});

/** The mantissa, and the exponent as an i32's bits. Of 0 the mantissa is 0. */
export const f64_open = routine({
  name: 'f64_open',
  parameters: { x: WORDS2 },
  result: WORDS3,
  wgsl: wgsl`{
  let code = (x.y >> 20u) & 0x7ffu;
  let m = vec2<u32>(x.x << 11u, ((x.y & 0xfffffu) << 11u) | (x.x >> 21u));
  let up = ${u64_leading_zeros}(m);
  let normal = vec3<u32>(m.x, m.y | 0x80000000u, code);
  return select(normal, vec3<u32>(${i64_shl}(m, up), 1u - up), code == 0u);
}`,
});

export const f64_close = routine({
  name: 'f64_close',
  parameters: { sign: U32, exponent: I32, mantissa: WORDS2 },
  result: WORDS2,
  wgsl: wgsl`{
  let zeros = ${u64_leading_zeros}(mantissa);
  let e = exponent - i32(zeros);
  let m = ${u64_shr_sticky}(${i64_shl}(mantissa, zeros), u32(max(1 - e, 0)));
  let rest = m.x & 0x7ffu;
  let kept = vec2<u32>((m.x >> 11u) | (m.y << 21u), m.y >> 11u);
  let up = (rest > 0x400u) | ((rest == 0x400u) & ((kept.x & 1u) == 1u));
  let rounded = ${i64_add}(kept, vec2<u32>(select(0u, 1u, up), 0u));
  // The mantissa's highest bit counts one into the exponent; a carry on, too, up to infinity.
  let finite = vec2<u32>(rounded.x, rounded.y + (u32(max(e - 1, 0)) << 20u));
  let result = select(finite, vec2<u32>(0u, 0x7ff00000u), e > 2046);
  return select(result, vec2<u32>(0u, 0u), zeros == 64u) | vec2<u32>(0u, sign);
}`,
});

export const f64_neg = libraryFunction({
  name: 'f64_neg',
  parameters: { x: f64 },
  result: f64,
  computes: ({ x }) => -x,
  wgsl: wgsl`{ return vec2<u32>(x.x, x.y ^ 0x80000000u); }`,
});

export const f64_abs = libraryFunction({
  name: 'f64_abs',
  parameters: { x: f64 },
  result: f64,
  computes: ({ x }) => Math.abs(x),
  wgsl: wgsl`{ return vec2<u32>(x.x, x.y & 0x7fffffffu); }`,
});

export const f64_is_special = routine({
  name: 'f64_is_special',
  parameters: { x: WORDS2 },
  result: BOOL,
  wgsl: wgsl`{ return (x.y & 0x7ff00000u) == 0x7ff00000u; }`,
});

export const f64_add = libraryFunction({
  name: 'f64_add',
  parameters: { a: f64, b: f64 },
  result: f64,
  computes: ({ a, b }) => a + b,
  wgsl: wgsl`{
  let swap = ${u64_less}(${f64_abs}(a), ${f64_abs}(b));
  let x = select(a, b, swap);
  let y = select(b, a, swap);
  let differ = ((x.y ^ y.y) >> 31u) != 0u;
  let p = ${f64_open}(x);
  let q = ${f64_open}(y);
  let m = ${u64_shr}(p.xy, 1u);
  let n = ${u64_shr_sticky}(${u64_shr}(q.xy, 1u), p.z - q.z);
  let sum = select(${i64_add}(m, n), ${i64_sub}(m, n), differ);
  let sign = select(x.y & 0x80000000u, 0u, differ & ((sum.x | sum.y) == 0u));
  let finite = ${f64_close}(sign, i32(p.z) + 1, sum);
  let undefined = differ & ${f64_is_infinite}(x) & ${f64_is_infinite}(y);
  let infinite = select(x, vec2<u32>(0u, 0x7ff80000u), undefined);
  let special = select(infinite, ${f64_quiet}(x), ${f64_is_nan}(x));
  return select(finite, special, ${f64_is_special}(x));
}`,
});

export const f64_sub = libraryFunction({
  name: 'f64_sub',
  parameters: { a: f64, b: f64 },
  result: f64,
  computes: ({ a, b }) => a - b,
  wgsl: wgsl`{ return ${f64_add}(a, ${f64_neg}(b)); }`,
});

/** The product where a factor is NaN or infinite. */
export const f64_mul_special = routine({
  name: 'f64_mul_special',
  parameters: { a: WORDS2, b: WORDS2 },
  result: WORDS2,
  wgsl: wgsl`{
  let infinite = vec2<u32>(0u, ((a.y ^ b.y) & 0x80000000u) | 0x7ff00000u);
  let undefined = ${f64_is_zero}(a) | ${f64_is_zero}(b);
  let result = select(infinite, vec2<u32>(0u, 0x7ff80000u), undefined);
  return select(select(result, ${f64_quiet}(b), ${f64_is_nan}(b)), ${f64_quiet}(a), ${f64_is_nan}(a));
}`,
});

export const f64_mul = libraryFunction({
  name: 'f64_mul',
  parameters: { a: f64, b: f64 },
  result: f64,
  computes: ({ a, b }) => a * b,
  wgsl: wgsl`{
  let p = ${f64_open}(a);
  let q = ${f64_open}(b);
  let wide = ${u64_mul_wide}(p.xy, q.xy);
  let m = vec2<u32>(wide.z | select(0u, 1u, (wide.x | wide.y) != 0u), wide.w);
  let finite = ${f64_close}((a.y ^ b.y) & 0x80000000u, i32(p.z + q.z) - 1022, m);
  return select(finite, ${f64_mul_special}(a, b), ${f64_is_special}(a) | ${f64_is_special}(b));
}`,
});

export const f64_div = libraryFunction({
  name: 'f64_div',
  parameters: { a: f64, b: f64 },
  result: f64,
  computes: ({ a, b }) => a / b,
  wgsl: wgsl`{
  let sign = (a.y ^ b.y) & 0x80000000u;
  if (${f64_is_nan}(a)) { return ${f64_quiet}(a); }
  if (${f64_is_nan}(b)) { return ${f64_quiet}(b); }
  let infinite = ${f64_is_infinite}(a);
  let zero = ${f64_is_zero}(b);
  if ((infinite & ${f64_is_infinite}(b)) | (zero & ${f64_is_zero}(a))) {
    return vec2<u32>(0u, 0x7ff80000u);
  }
  if (infinite | zero) { return vec2<u32>(0u, sign | 0x7ff00000u); }
  if (${f64_is_infinite}(b)) { return vec2<u32>(0u, sign); }
  let p = ${f64_open}(a);
  let q = ${f64_open}(b);
  let divisor = ${u64_shr}(q.xy, 11u);
  var rest = ${u64_shr}(p.xy, 11u);
  var quotient = vec2<u32>(0u, 0u);
  for (var i = 0u; i < 56u; i++) {
    quotient = vec2<u32>(quotient.x << 1u, (quotient.y << 1u) | (quotient.x >> 31u));
    if (!${u64_less}(rest, divisor)) {
      rest = ${i64_sub}(rest, divisor);
      quotient.x |= 1u;
    }
    rest = vec2<u32>(rest.x << 1u, (rest.y << 1u) | (rest.x >> 31u));
  }
  quotient.x |= select(0u, 1u, (rest.x | rest.y) != 0u);
  return ${f64_close}(sign, i32(p.z) - i32(q.z) + 1031, quotient);
}`,
});

export const f64_sqrt = libraryFunction({
  name: 'f64_sqrt',
  parameters: { x: f64 },
  result: f64,
  computes: ({ x }) => Math.sqrt(x),
  wgsl: wgsl`{
  if (${f64_is_nan}(x)) { return ${f64_quiet}(x); }
  if (${f64_is_zero}(x)) { return x; }
  if ((x.y >> 31u) != 0u) { return vec2<u32>(0u, 0x7ff80000u); }
  if (x.y == 0x7ff00000u) { return x; }
  let p = ${f64_open}(x);
  let e = i32(p.z) - 1023;
  // Two bits at a time of the mantissa, doubled where the exponent is odd, give one of the root.
  var source = select(${u64_shr}(p.xy, 1u), p.xy, (e & 1) != 0);
  var root = vec2<u32>(0u, 0u);
  var rest = vec2<u32>(0u, 0u);
  for (var i = 0u; i < 55u; i++) {
    rest = vec2<u32>((rest.x << 2u) | (source.y >> 30u), (rest.y << 2u) | (rest.x >> 30u));
    source = vec2<u32>(source.x << 2u, (source.y << 2u) | (source.x >> 30u));
    root = vec2<u32>(root.x << 1u, (root.y << 1u) | (root.x >> 31u));
    let trial = vec2<u32>((root.x << 1u) | 1u, (root.y << 1u) | (root.x >> 31u));
    if (!${u64_less}(rest, trial)) {
      rest = ${i64_sub}(rest, trial);
      root.x |= 1u;
    }
  }
  root.x |= select(0u, 1u, (rest.x | rest.y) != 0u);
  return ${f64_close}(0u, (e >> 1u) + 1032, root);
}`,
});

export const f64_rsqrt = libraryFunction({
  name: 'f64_rsqrt',
  parameters: { x: f64 },
  result: f64,
  computes: ({ x }) => 1 / Math.sqrt(x),
  wgsl: wgsl`{
  return ${f64_div}(vec2<u32>(0u, 0x3ff00000u), ${f64_sqrt}(x));
}`,
});

export const u128_shl = routine({
  name: 'u128_shl',
  parameters: { a: WORDS4, n: U32 },
  result: WORDS4,
  wgsl: wgsl`{
  let zero = vec2<u32>(0u, 0u);
  let low = ${i64_shl}(a.xy, n);
  let high = ${i64_shl}(a.zw, n) | ${u64_shr}(${u64_shr}(a.xy, 1u), 63u - (n & 63u));
  return select(vec4<u32>(low, high), vec4<u32>(zero, low), (n & 64u) != 0u);
}`,
});

export const u128_shr_sticky = routine({
  name: 'u128_shr_sticky',
  parameters: { a: WORDS4, n: U32 },
  result: WORDS4,
  wgsl: wgsl`{
  let by = min(n, 127u);
  let zero = vec2<u32>(0u, 0u);
  let far = (by & 64u) != 0u;
  let top = select(a, vec4<u32>(a.zw, zero), far);
  let high = ${u64_shr}(top.zw, by);
  let rest = 63u - (by & 63u);
  let low = ${u64_shr}(top.xy, by) | ${i64_shl}(${i64_shl}(top.zw, 1u), rest);
  let lost = any(${i64_shl}(${i64_shl}(top.xy, 1u), rest) != zero) | (far & any(a.xy != zero));
  return vec4<u32>(low.x | select(0u, 1u, lost), low.y, high);
}`,
});

export const u128_add = routine({
  name: 'u128_add',
  parameters: { a: WORDS4, b: WORDS4 },
  result: WORDS4,
  wgsl: wgsl`{
  let low = ${i64_add}(a.xy, b.xy);
  let carry = vec2<u32>(select(0u, 1u, ${u64_less}(low, a.xy)), 0u);
  return vec4<u32>(low, ${i64_add}(${i64_add}(a.zw, b.zw), carry));
}`,
});

/** The value of x * y + z where one of them is 0, infinite or NaN. */
export const f64_fma_special = routine({
  name: 'f64_fma_special',
  parameters: { a: WORDS2, b: WORDS2, c: WORDS2 },
  result: WORDS2,
  wgsl: wgsl`{
  let sign = (a.y ^ b.y) & 0x80000000u;
  let factors = ${f64_is_special}(a) | ${f64_is_special}(b);
  let product = select(vec2<u32>(0u, sign), ${f64_mul_special}(a, b), factors);
  let opposite = factors & ${f64_is_infinite}(c) & (sign != (c.y & 0x80000000u));
  let sum = select(product, vec2<u32>(0u, 0x7ff80000u), opposite);
  let zeros = vec2<u32>(0u, sign & c.y);
  let rest = select(c, zeros, ${f64_is_zero}(c));
  let finite = select(rest, ${f64_quiet}(c), ${f64_is_nan}(c));
  return select(finite, sum, factors & (${f64_is_nan}(product) | !${f64_is_nan}(c)));
}`,
});

/** Product and addend in 128 bits, the highest bit free for the carry. */
export const f64_fma = libraryFunction({
  name: 'f64_fma',
  parameters: { a: f64, b: f64, c: f64 },
  result: f64,
  computes: ({ a, b, c }) => fma64(a, b, c),
  wgsl: wgsl`{
  let p = ${f64_open}(a);
  let q = ${f64_open}(b);
  let r = ${f64_open}(c);
  let exponent = i32(p.z + q.z) - 1022;
  let other = select(i32(r.z), exponent, ${f64_is_zero}(c));
  let up = max(exponent, other);
  let x = ${u128_shr_sticky}(${u64_mul_wide}(p.xy, q.xy), u32(min(up - exponent, 126)) + 1u);
  let y = ${u128_shr_sticky}(vec4<u32>(0u, 0u, r.xy), u32(min(up - other, 126)) + 1u);
  let sign = (a.y ^ b.y) & 0x80000000u;
  let differ = sign != (c.y & 0x80000000u);
  let one = vec4<u32>(1u, 0u, 0u, 0u);
  let difference = ${u128_add}(x, ${u128_add}(~y, one));
  let minus = differ & ((difference.w >> 31u) != 0u);
  let sum = select(
    select(${u128_add}(x, y), difference, differ), ${u128_add}(~difference, one), minus);
  let high = ${u64_leading_zeros}(sum.zw);
  let zeros = high + select(0u, ${u64_leading_zeros}(sum.xy), high == 64u);
  let m = ${u128_shl}(sum, zeros);
  let sticky = select(0u, 1u, (m.x | m.y) != 0u);
  let result = select(select(sign, sign ^ 0x80000000u, minus), 0u, zeros == 128u);
  let regular = ${f64_close}(result, up + 1 - i32(zeros), vec2<u32>(m.z | sticky, m.w));
  let factors = ${f64_is_special}(a) | ${f64_is_special}(b) | ${f64_is_zero}(a) | ${f64_is_zero}(b);
  return select(regular, ${f64_fma_special}(a, b, c), factors | ${f64_is_special}(c));
}`,
});
