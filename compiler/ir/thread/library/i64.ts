/**
 * 64-bit integers as two u32 words, low first: exact and wrapping, as C's. Division by zero gives
 * what the 32-bit operations give: the dividend (quotient) and 0 (remainder).
 */
import { libraryFunction, routine, wgsl } from './define';
import { bool, f32, i32, i64, u32, u64, WORDS2, WORDS4 } from './representations';
import { floatToI64, integerToF32 } from './conversions';

const quotient = (a: bigint, b: bigint): bigint => (b === 0n ? a : a / b);

export const i64_add = libraryFunction({
  name: 'i64_add',
  parameters: { a: i64, b: i64 },
  result: i64,
  computes: ({ a, b }) => a + b,
  wgsl: wgsl`{
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}`,
});

export const i64_sub = libraryFunction({
  name: 'i64_sub',
  parameters: { a: i64, b: i64 },
  result: i64,
  computes: ({ a, b }) => a - b,
  wgsl: wgsl`{
  return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}`,
});

export const i64_neg = libraryFunction({
  name: 'i64_neg',
  parameters: { a: i64 },
  result: i64,
  computes: ({ a }) => -a,
  wgsl: wgsl`{
  return vec2<u32>(0u - a.x, ~a.y + select(0u, 1u, a.x == 0u));
}`,
});

export const u32_mul_wide = libraryFunction({
  name: 'u32_mul_wide',
  parameters: { a: u32, b: u32 },
  result: u64,
  computes: ({ a, b }) => BigInt(a) * BigInt(b),
  wgsl: wgsl`{
  let a0 = a & 0xffffu; let a1 = a >> 16u;
  let b0 = b & 0xffffu; let b1 = b >> 16u;
  let middle = a1 * b0 + ((a0 * b0) >> 16u);
  let cross = a0 * b1 + (middle & 0xffffu);
  return vec2<u32>(a * b, a1 * b1 + (middle >> 16u) + (cross >> 16u));
}`,
});

export const i64_mul = libraryFunction({
  name: 'i64_mul',
  parameters: { a: i64, b: i64 },
  result: i64,
  computes: ({ a, b }) => a * b,
  wgsl: wgsl`{
  let low = ${u32_mul_wide}(a.x, b.x);
  return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}`,
});

export const u64_mul_wide = routine({
  name: 'u64_mul_wide',
  parameters: { a: WORDS2, b: WORDS2 },
  result: WORDS4,
  wgsl: wgsl`{
  let low = ${u32_mul_wide}(a.x, b.x);
  let m1 = ${i64_add}(${u32_mul_wide}(a.y, b.x), vec2<u32>(low.y, 0u));
  let m2 = ${i64_add}(${u32_mul_wide}(a.x, b.y), vec2<u32>(m1.x, 0u));
  let high = ${i64_add}(${u32_mul_wide}(a.y, b.y), ${i64_add}(vec2<u32>(m1.y, 0u), vec2<u32>(m2.y, 0u)));
  return vec4<u32>(low.x, m2.x, high);
}`,
});

export const u64_mulhi = libraryFunction({
  name: 'u64_mulhi',
  parameters: { a: u64, b: u64 },
  result: u64,
  computes: ({ a, b }) => (a * b) >> 64n,
  wgsl: wgsl`{ return ${u64_mul_wide}(a, b).zw; }`,
});

export const u64_less = libraryFunction({
  name: 'u64_less',
  parameters: { a: u64, b: u64 },
  result: bool,
  computes: ({ a, b }) => a < b,
  wgsl: wgsl`{
  return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}`,
});

export const i64_less = libraryFunction({
  name: 'i64_less',
  parameters: { a: i64, b: i64 },
  result: bool,
  computes: ({ a, b }) => a < b,
  wgsl: wgsl`{
  return (i32(a.y) < i32(b.y)) | ((a.y == b.y) & (a.x < b.x));
}`,
});

/** Shifts take the amount modulo 64. None branches, and none of the three shifts by 32. */
export const i64_shl = libraryFunction({
  name: 'i64_shl',
  parameters: { a: i64, by: u32 },
  result: i64,
  computes: ({ a, by }) => a << BigInt(by & 63),
  wgsl: wgsl`{
  let low = a.x << (by & 31u);
  let high = (a.y << (by & 31u)) | ((a.x >> 1u) >> (~by & 31u));
  return select(vec2<u32>(low, high), vec2<u32>(0u, low), (by & 32u) != 0u);
}`,
});

export const u64_shr = libraryFunction({
  name: 'u64_shr',
  parameters: { a: u64, by: u32 },
  result: u64,
  computes: ({ a, by }) => a >> BigInt(by & 63),
  wgsl: wgsl`{
  let low = (a.x >> (by & 31u)) | ((a.y << 1u) << (~by & 31u));
  let high = a.y >> (by & 31u);
  return select(vec2<u32>(low, high), vec2<u32>(high, 0u), (by & 32u) != 0u);
}`,
});

export const i64_shr = libraryFunction({
  name: 'i64_shr',
  parameters: { a: i64, by: u32 },
  result: i64,
  computes: ({ a, by }) => a >> BigInt(by & 63),
  wgsl: wgsl`{
  let low = (a.x >> (by & 31u)) | ((a.y << 1u) << (~by & 31u));
  let high = u32(i32(a.y) >> (by & 31u));
  let sign = u32(i32(a.y) >> 31u);
  return select(vec2<u32>(low, high), vec2<u32>(high, sign), (by & 32u) != 0u);
}`,
});

/**
 * Schoolbook division bit by bit; 32 bits of both are the ordinary case and take one
 * instruction.
 */
export const u64_divrem = routine({
  name: 'u64_divrem',
  parameters: { a: WORDS2, b: WORDS2 },
  result: WORDS4,
  wgsl: wgsl`{
  if ((b.x == 0u) & (b.y == 0u)) { return vec4<u32>(a, 0u, 0u); }
  if ((a.y == 0u) & (b.y == 0u)) { return vec4<u32>(a.x / b.x, 0u, a.x % b.x, 0u); }
  var quotient = a;
  var rest = vec2<u32>(0u, 0u);
  for (var i = 0u; i < 64u; i++) {
    let carry = rest.y >> 31u;
    rest = vec2<u32>((rest.x << 1u) | (quotient.y >> 31u), (rest.y << 1u) | (rest.x >> 31u));
    quotient = vec2<u32>(quotient.x << 1u, (quotient.y << 1u) | (quotient.x >> 31u));
    if ((carry != 0u) | !${u64_less}(rest, b)) {
      rest = ${i64_sub}(rest, b);
      quotient.x |= 1u;
    }
  }
  return vec4<u32>(quotient, rest);
}`,
});

export const u64_div = libraryFunction({
  name: 'u64_div',
  parameters: { a: u64, b: u64 },
  result: u64,
  computes: ({ a, b }) => quotient(a, b),
  wgsl: wgsl`{ return ${u64_divrem}(a, b).xy; }`,
});

export const u64_rem = libraryFunction({
  name: 'u64_rem',
  parameters: { a: u64, b: u64 },
  result: u64,
  computes: ({ a, b }) => (b === 0n ? 0n : a % b),
  wgsl: wgsl`{ return ${u64_divrem}(a, b).zw; }`,
});

export const i64_abs = libraryFunction({
  name: 'i64_abs',
  parameters: { a: i64 },
  result: i64,
  computes: ({ a }) => (a < 0n ? -a : a),
  wgsl: wgsl`{ return select(a, ${i64_neg}(a), i32(a.y) < 0); }`,
});

export const i64_div = libraryFunction({
  name: 'i64_div',
  parameters: { a: i64, b: i64 },
  result: i64,
  computes: ({ a, b }) => quotient(a, b),
  wgsl: wgsl`{
  if ((b.x == 0u) & (b.y == 0u)) { return a; }
  let q = ${u64_divrem}(${i64_abs}(a), ${i64_abs}(b)).xy;
  if ((a.y ^ b.y) >> 31u != 0u) { return ${i64_neg}(q); }
  return q;
}`,
});

export const i64_rem = libraryFunction({
  name: 'i64_rem',
  parameters: { a: i64, b: i64 },
  result: i64,
  computes: ({ a, b }) => (b === 0n ? 0n : a % b),
  wgsl: wgsl`{
  let r = ${u64_divrem}(${i64_abs}(a), ${i64_abs}(b)).zw;
  if (i32(a.y) < 0) { return ${i64_neg}(r); }
  return r;
}`,
});

export const i64_trips = libraryFunction({
  name: 'i64_trips',
  parameters: { low: i64, high: i64, step: u64 },
  result: u32,
  computes: ({ low, high, step }) =>
    low < high
      ? Number(BigInt.asUintN(32, quotient(BigInt.asUintN(64, high - low - 1n), step) + 1n))
      : 0,
  wgsl: wgsl`{
  if (!${i64_less}(low, high)) { return 0u; }
  return ${u64_div}(${i64_sub}(${i64_sub}(high, low), vec2<u32>(1u, 0u)), step).x + 1u;
}`,
});

export const i64_from_i32 = libraryFunction({
  name: 'i64_from_i32',
  parameters: { a: i32 },
  result: i64,
  computes: ({ a }) => BigInt(a),
  wgsl: wgsl`{ return vec2<u32>(u32(a), u32(a >> 31u)); }`,
});

/**
 * Integers to f32 by hand, since WGSL leaves the rounding of f32(u32) open: to nearest even, or
 * (where `odd` is 1) to odd, for a second rounding to a narrower float.
 */
export const u32_to_f32 = libraryFunction({
  name: 'u32_to_f32',
  parameters: { a: u32, odd: u32 },
  result: f32,
  computes: ({ a, odd }) => integerToF32(BigInt(a), odd),
  wgsl: wgsl`{
  let zeros = countLeadingZeros(a);
  if (zeros >= 8u) { return f32(a); }
  let drop = 8u - zeros;
  let rest = a & ((1u << drop) - 1u);
  let half = 1u << (drop - 1u);
  var kept = a >> drop;
  if (odd != 0u) { kept |= select(0u, 1u, rest != 0u); }
  else if ((rest > half) | ((rest == half) & ((kept & 1u) != 0u))) { kept += 1u; }
  return f32(kept) * bitcast<f32>((127u + drop) << 23u);
}`,
});

export const i32_to_f32 = libraryFunction({
  name: 'i32_to_f32',
  parameters: { a: i32, odd: u32 },
  result: f32,
  computes: ({ a, odd }) => integerToF32(BigInt(a), odd),
  wgsl: wgsl`{
  let magnitude = ${u32_to_f32}(u32(abs(a)), odd);
  return select(magnitude, -magnitude, a < 0);
}`,
});

/** Rounded once: what the top 32 bits lose is kept as a sticky bit. */
export const u64_to_f32 = libraryFunction({
  name: 'u64_to_f32',
  parameters: { a: u64, odd: u32 },
  result: f32,
  computes: ({ a, odd }) => integerToF32(a, odd),
  wgsl: wgsl`{
  if (a.y == 0u) { return ${u32_to_f32}(a.x, odd); }
  let zeros = countLeadingZeros(a.y);
  let top = ${i64_shl}(a, zeros);
  let bits = top.y | select(0u, 1u, top.x != 0u);
  return ${u32_to_f32}(bits, odd) * bitcast<f32>((127u + 32u - zeros) << 23u);
}`,
});

export const i64_to_f32 = libraryFunction({
  name: 'i64_to_f32',
  parameters: { a: i64, odd: u32 },
  result: f32,
  computes: ({ a, odd }) => integerToF32(a, odd),
  wgsl: wgsl`{
  let magnitude = ${u64_to_f32}(${i64_abs}(a), odd);
  return select(magnitude, -magnitude, i32(a.y) < 0);
}`,
});

/** Truncated, limited to the range; NaN gives 2^63, as in PTX. */
export const f32_to_u64 = libraryFunction({
  name: 'f32_to_u64',
  parameters: { x: f32 },
  result: u64,
  computes: ({ x }) => floatToI64(x, false),
  wgsl: wgsl`{
  let bits = bitcast<u32>(x);
  let exponent = i32((bits >> 23u) & 0xffu) - 150;
  let mantissa = (bits & 0x7fffffu) | 0x800000u;
  if ((bits & 0x7fffffffu) > 0x7f800000u) { return vec2<u32>(0u, 0x80000000u); }
  if (((bits >> 31u) != 0u) | (exponent <= -24)) { return vec2<u32>(0u, 0u); }
  if (exponent >= 41) { return vec2<u32>(0xffffffffu, 0xffffffffu); }
  if (exponent <= 0) { return vec2<u32>(mantissa >> u32(-exponent), 0u); }
  return ${i64_shl}(vec2<u32>(mantissa, 0u), u32(exponent));
}`,
});

export const f32_to_i64 = libraryFunction({
  name: 'f32_to_i64',
  parameters: { x: f32 },
  result: i64,
  computes: ({ x }) => floatToI64(x, true),
  wgsl: wgsl`{
  let bits = bitcast<u32>(x);
  let magnitude = ${f32_to_u64}(bitcast<f32>(bits & 0x7fffffffu));
  let minus = (bits >> 31u) != 0u;
  let large = (magnitude.y >> 31u) != 0u;
  if (large & !minus & ((bits & 0x7fffffffu) <= 0x7f800000u)) {
    return vec2<u32>(0xffffffffu, 0x7fffffffu);
  }
  if (large) { return vec2<u32>(0u, 0x80000000u); }
  return select(magnitude, ${i64_neg}(magnitude), minus);
}`,
});
