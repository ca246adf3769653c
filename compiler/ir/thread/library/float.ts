/** f32 functions that WGSL lacks, or leaves too inexact or undefined for some arguments. */
import { libraryFunction, wgsl } from './define';
import { f32_is_nan } from './rounding';
import { f32, i32, u32 } from './representations';
import { floatToI32 } from './conversions';

export const f32_maxnum = libraryFunction({
  name: 'f32_maxnum',
  parameters: { a: f32, b: f32 },
  result: f32,
  computes: ({ a, b }) => (a > b || b !== b ? a : b),
  wgsl: wgsl`{ return select(b, a, (a > b) | ${f32_is_nan}(b)); }`,
});

export const f32_minnum = libraryFunction({
  name: 'f32_minnum',
  parameters: { a: f32, b: f32 },
  result: f32,
  computes: ({ a, b }) => (a < b || b !== b ? a : b),
  wgsl: wgsl`{ return select(b, a, (a < b) | ${f32_is_nan}(b)); }`,
});

export const f32_maximum = libraryFunction({
  name: 'f32_maximum',
  parameters: { a: f32, b: f32 },
  result: f32,
  computes: ({ a, b }) => (a > b || a !== a ? a : b),
  wgsl: wgsl`{ return select(b, a, (a > b) | ${f32_is_nan}(a)); }`,
});

export const f32_minimum = libraryFunction({
  name: 'f32_minimum',
  parameters: { a: f32, b: f32 },
  result: f32,
  computes: ({ a, b }) => (a < b || a !== a ? a : b),
  wgsl: wgsl`{ return select(b, a, (a < b) | ${f32_is_nan}(a)); }`,
});

/**
 * Truncated, limited to the range; NaN gives 0. WGSL's own limit is the largest f32 in the range.
 */
export const f32_to_i32 = libraryFunction({
  name: 'f32_to_i32',
  parameters: { x: f32 },
  result: i32,
  computes: ({ x }) => floatToI32('f32', x, true),
  wgsl: wgsl`{
  return select(select(i32(x), 0x7fffffffi, x >= 2147483648.0f), 0i, ${f32_is_nan}(x));
}`,
});

export const f32_to_u32 = libraryFunction({
  name: 'f32_to_u32',
  parameters: { x: f32 },
  result: u32,
  computes: ({ x }) => floatToI32('f32', x, false),
  wgsl: wgsl`{
  return select(select(u32(x), 0xffffffffu, x >= 4294967296.0f), 0u, ${f32_is_nan}(x));
}`,
});

export const f32_exp = libraryFunction({
  name: 'f32_exp',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.exp(x),
  wgsl: wgsl`{ return select(exp(x), x, ${f32_is_nan}(x)); }`,
});

export const f32_exp2 = libraryFunction({
  name: 'f32_exp2',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => 2 ** x,
  wgsl: wgsl`{ return select(exp2(x), x, ${f32_is_nan}(x)); }`,
});

/** Above the bits of -0 are those of all negative numbers. */
export const f32_log = libraryFunction({
  name: 'f32_log',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.log(x),
  wgsl: wgsl`{
  let none = ${f32_is_nan}(x) | (bitcast<u32>(x) > 0x80000000u);
  return select(log(x), bitcast<f32>(0x7fc00000u | (bitcast<u32>(x) & 0u)), none);
}`,
});

export const f32_log2 = libraryFunction({
  name: 'f32_log2',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.log2(x),
  wgsl: wgsl`{
  let none = ${f32_is_nan}(x) | (bitcast<u32>(x) > 0x80000000u);
  return select(log2(x), bitcast<f32>(0x7fc00000u | (bitcast<u32>(x) & 0u)), none);
}`,
});

/** C's fmod, exact: long division of the mantissas. */
export const f32_rem = libraryFunction({
  name: 'f32_rem',
  parameters: { x: f32, y: f32 },
  result: f32,
  computes: ({ x, y }) => x % y,
  wgsl: wgsl`{
  let a = bitcast<u32>(x) & 0x7fffffffu;
  let b = bitcast<u32>(y) & 0x7fffffffu;
  let sign = bitcast<u32>(x) & 0x80000000u;
  if ((a >= 0x7f800000u) | (b == 0u) | (b > 0x7f800000u)) {
    return bitcast<f32>(0x7fc00000u | (a & 0u));
  }
  if (a < b) { return x; }
  if (a < 0x800000u) { return bitcast<f32>(sign | (a % b)); }
  // The divisor's mantissa has its highest bit set, so one subtraction a bit suffices.
  var eb = i32(b >> 23u);
  var mb = (b & 0x7fffffu) | 0x800000u;
  if (eb == 0) {
    let up = countLeadingZeros(b) - 8u;
    mb = b << up;
    eb = 1 - i32(up);
  }
  var ma = (a & 0x7fffffu) | 0x800000u;
  let steps = u32(i32(a >> 23u) - eb);
  for (var i = 0u; i < 288u; i++) {
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
  return bitcast<f32>(sign | select(ma >> u32(1 - eb), ma << u32(eb - 1), eb > 0));
}`,
});
