/**
 * f32 products, division and square root, rounded as IEEE 754 says, with denormals. WGSL's own may
 * miss by 2.5 units in the last place and flush denormals: here they are an estimate only, and the
 * remainder is taken in integers, where no compiler fuses or reorders.
 */
import { libraryFunction, wgsl } from './define';
import { f32 } from './representations';

/**
 * The product of two mantissas, in halves of 24 bits. Without branches: it is called for every
 * element.
 */
export const f32_mul_rn = libraryFunction({
  name: 'f32_mul_rn',
  parameters: { x: f32, y: f32 },
  result: f32,
  computes: ({ x, y }) => x * y,
  wgsl: wgsl`{
  let a = bitcast<u32>(x) & 0x7fffffffu;
  let b = bitcast<u32>(y) & 0x7fffffffu;
  let sign = (bitcast<u32>(x) ^ bitcast<u32>(y)) & 0x80000000u;
  let infinite = 0x7f800000u;
  let up_a = select(0u, countLeadingZeros(a) - 8u, a < 0x800000u);
  let up_b = select(0u, countLeadingZeros(b) - 8u, b < 0x800000u);
  let ma = select((a & 0x7fffffu) | 0x800000u, a << (up_a & 31u), a < 0x800000u);
  let mb = select((b & 0x7fffffu) | 0x800000u, b << (up_b & 31u), b < 0x800000u);
  let ea = select(i32(a >> 23u), 1 - i32(up_a), a < 0x800000u);
  let eb = select(i32(b >> 23u), 1 - i32(up_b), b < 0x800000u);
  let least = (ma & 0xfffu) * (mb & 0xfffu);
  let middle = (ma >> 12u) * (mb & 0xfffu) + (ma & 0xfffu) * (mb >> 12u) + (least >> 12u);
  let high = (ma >> 12u) * (mb >> 12u) + (middle >> 12u);
  let low = ((middle & 0xfffu) << 12u) | (least & 0xfffu);
  // 25 bits of it, and whether anything is left.
  let more = high >> 23u;
  let rest = low & ((1u << (22u + more)) - 1u);
  let all = (((high << (2u - more)) | (low >> (22u + more))) << 1u) | select(0u, 1u, rest != 0u);
  let e = ea + eb - 127 + i32(more);
  let drop = u32(clamp(3 - e, 2, 30));
  let lost = all & ((1u << drop) - 1u);
  let half = 1u << (drop - 1u);
  let kept = all >> drop;
  let rounds = (lost > half) | ((lost == half) & ((kept & 1u) == 1u));
  let bits = kept + select(0u, 1u, rounds) + (u32(clamp(e - 1, 0, 253)) << 23u);
  let finite = select(min(bits, infinite), infinite, e > 254);
  let product = select(finite, 0u, (a == 0u) | (b == 0u));
  let any = select(product, infinite, (a == infinite) | (b == infinite));
  let none = ((a == infinite) & (b == 0u)) | ((b == infinite) & (a == 0u));
  return bitcast<f32>(select(sign | any, 0x7fc00000u, none | (a > infinite) | (b > infinite)));
}`,
});

export const f32_div_rn = libraryFunction({
  name: 'f32_div_rn',
  parameters: { x: f32, y: f32 },
  result: f32,
  computes: ({ x, y }) => x / y,
  wgsl: wgsl`{
  let a = bitcast<u32>(x) & 0x7fffffffu;
  let b = bitcast<u32>(y) & 0x7fffffffu;
  let sign = (bitcast<u32>(x) ^ bitcast<u32>(y)) & 0x80000000u;
  let infinite = 0x7f800000u;
  if ((a > infinite) | (b > infinite) | ((a == infinite) & (b == infinite)) | ((a | b) == 0u)) {
    return bitcast<f32>(0x7fc00000u | (a & 0u));
  }
  if ((a == infinite) | (b == 0u)) { return bitcast<f32>(sign | infinite); }
  if ((b == infinite) | (a == 0u)) { return bitcast<f32>(sign); }
  // Mantissas of 24 bits, the highest one set, and their exponents.
  var ea = i32(a >> 23u);
  var eb = i32(b >> 23u);
  var ma = (a & 0x7fffffu) | 0x800000u;
  var mb = (b & 0x7fffffu) | 0x800000u;
  if (ea == 0) {
    let up = countLeadingZeros(a) - 8u;
    ma = a << up;
    ea = 1 - i32(up);
  }
  if (eb == 0) {
    let up = countLeadingZeros(b) - 8u;
    mb = b << up;
    eb = 1 - i32(up);
  }
  let less = ma < mb;
  // A quotient of 26 bits; the remainder is right modulo 2^32, and small.
  let by = select(25u, 26u, less);
  var q = u32(f32(ma) / f32(mb) * f32(1u << by));
  var r = i32((ma << by) - q * mb);
  let off = r / i32(mb);
  q = u32(i32(q) + off);
  r -= off * i32(mb);
  if (r < 0) {
    q -= 1u;
    r += i32(mb);
  }
  let e = ea - eb + 127 - select(0, 1, less);
  if (e > 254) { return bitcast<f32>(sign | infinite); }
  let all = (q << 1u) | select(0u, 1u, r != 0);
  let drop = u32(min(3 + max(0, 1 - e), 30));
  let rest = all & ((1u << drop) - 1u);
  let half = 1u << (drop - 1u);
  var bits = all >> drop;
  if ((rest > half) | ((rest == half) & ((bits & 1u) == 1u))) { bits += 1u; }
  return bitcast<f32>(sign | (bits + (u32(max(e - 1, 0)) << 23u)));
}`,
});

export const f32_sqrt_rn = libraryFunction({
  name: 'f32_sqrt_rn',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => Math.sqrt(x),
  wgsl: wgsl`{
  let a = bitcast<u32>(x);
  if ((a & 0x7fffffffu) == 0u) { return x; }
  if (a > 0x7f800000u) { return bitcast<f32>(0x7fc00000u | (a & 0u)); }
  if (a == 0x7f800000u) { return x; }
  var e = i32(a >> 23u);
  var m = (a & 0x7fffffu) | 0x800000u;
  if (e == 0) {
    let up = countLeadingZeros(a) - 8u;
    m = a << up;
    e = 1 - i32(up);
  }
  if ((e & 1) == 0) {
    m = m << 1u;
    e -= 1;
  }
  // The root of m * 2^25, of 25 bits; the remainder is right modulo 2^32, and small.
  var root = u32(sqrt(f32(m)) * 5792.61875f);
  var r = i32((m << 25u) - root * root);
  for (var i = 0u; i < 64u; i++) {
    if (r < 0) {
      root -= 1u;
      r += i32(2u * root + 1u);
    } else if (r > i32(2u * root)) {
      r -= i32(2u * root + 1u);
      root += 1u;
    } else { break; }
  }
  // Never a tie: a square of 25 odd bits is no m * 2^25.
  let mantissa = (root >> 1u) + (root & 1u);
  return bitcast<f32>(mantissa + (u32((e + 127) / 2 - 1) << 23u));
}`,
});
