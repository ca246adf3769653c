/** f64 is only moved and converted: two words to f32 and back. */
import type { HelperTable } from './table';

export const F64_HELPERS = {
  f64_to_f32: {
    text: `fn f64_to_f32(x: vec2<u32>) -> f32 {
  let sign = x.y & 0x80000000u;
  let exponent = i32((x.y >> 20u) & 0x7ffu) - 1023;
  let high = x.y & 0xfffffu;
  if (exponent == 1024) {
    return bitcast<f32>(sign | 0x7f800000u | select(0u, 0x400000u, (high | x.x) != 0u));
  }
  if (exponent > 127) { return bitcast<f32>(sign | 0x7f800000u); }
  if (exponent < -150) { return bitcast<f32>(sign); }
  // 24 bits of mantissa, the next 29 as what is rounded, all that is lost as a sticky bit.
  var kept = 0x800000u | (high << 3u) | (x.x >> 29u);
  var rest = x.x << 3u;
  if (exponent < -126) {
    let n = u32(-126 - exponent);
    rest = (kept << (32u - n)) | select(0u, 1u, rest != 0u);
    kept = kept >> n;
  }
  if ((rest > 0x80000000u) | ((rest == 0x80000000u) & ((kept & 1u) != 0u))) { kept += 1u; }
  if (exponent < -126) { return bitcast<f32>(sign | kept); }
  return bitcast<f32>(sign | (kept + (u32(exponent + 126) << 23u)));
}`,
  },
  f32_to_f64: {
    text: `fn f32_to_f64(x: f32) -> vec2<u32> {
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
  },
} as const satisfies HelperTable;
