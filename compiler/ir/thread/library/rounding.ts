/**
 * Rounding f32 to the floats that WGSL lacks, to nearest even, and their bits. Held values are f32
 * that are exact in the narrow format. All of it is integer arithmetic: drivers flush denormals,
 * differ in `pack2x16float`, and assume that NaN does not occur. Where packing was tried and found
 * right, it stands in. None branches: they are called for every element, and SwiftShader inlines
 * them, so that a matmul of f16 whose every load branched compiled for a minute.
 */
import { roundFloat } from '../../numbers';
import { F32, U32 } from '../types';
import { libraryFunction, routine, wgsl } from './define';
import { bitsOf, bool, f32 } from './representations';

export const f32_is_nan = libraryFunction({
  name: 'f32_is_nan',
  parameters: { x: f32 },
  result: bool,
  computes: ({ x }) => Number.isNaN(x),
  wgsl: wgsl`{
  return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u;
}`,
  signed: wgsl`{
  return (bitcast<i32>(x) & 0x7fffffffi) > 0x7f800000i;
}`,
});

export const bf16_bits = routine({
  name: 'bf16_bits',
  parameters: { x: F32 },
  result: U32,
  wgsl: wgsl`{
  let b = bitcast<u32>(x);
  let rounded = (b + 0x7fffu + ((b >> 16u) & 1u)) >> 16u;
  return select(rounded, (b >> 16u) | 0x40u, (b & 0x7fffffffu) > 0x7f800000u);
}`,
});

export const bf16_round = libraryFunction({
  name: 'bf16_round',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => roundFloat('bf16', x),
  wgsl: wgsl`{ return bitcast<f32>(${bf16_bits}(x) << 16u); }`,
});

export const bf16_bits_rtz = routine({
  name: 'bf16_bits_rtz',
  parameters: { x: F32 },
  result: U32,
  wgsl: wgsl`{
  let b = bitcast<u32>(x);
  return (b >> 16u) | select(0u, 0x40u, (b & 0x7fffffffu) > 0x7f800000u);
}`,
});

export const f16_bits = libraryFunction({
  name: 'f16_bits',
  parameters: { x: f32 },
  result: bitsOf('f16'),
  computes: ({ x }) => roundFloat('f16', x),
  wgsl: wgsl`{
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let normal = (a - 0x38000000u + 0xfffu + ((a >> 13u) & 1u)) >> 13u;
  let mantissa = (a & 0x7fffffu) | 0x800000u;
  let drop = clamp(126u - (a >> 23u), 1u, 25u);
  let small = (mantissa + (1u << (drop - 1u)) - 1u + ((mantissa >> drop) & 1u)) >> drop;
  let finite = select(small, normal, a >= 0x38800000u);
  let code = select(finite, 0x7c00u, a >= 0x477ff000u);
  return ((b >> 16u) & 0x8000u)
    | select(code, 0x7e00u | ((a >> 13u) & 0x3ffu), a > 0x7f800000u);
}`,
});

export const f16_bits_rtz = libraryFunction({
  name: 'f16_bits_rtz',
  parameters: { x: f32 },
  result: bitsOf('f16'),
  computes: ({ x }) => roundFloat('f16', x, 'rtz'),
  wgsl: wgsl`{
  let b = bitcast<u32>(x);
  let a = b & 0x7fffffffu;
  let small = ((a & 0x7fffffu) | 0x800000u) >> clamp(126u - (a >> 23u), 1u, 25u);
  let finite = select(small, (a - 0x38000000u) >> 13u, a >= 0x38800000u);
  let code = select(finite, select(0x7bffu, 0x7c00u, a == 0x7f800000u), a >= 0x47800000u);
  return ((b >> 16u) & 0x8000u) | select(code, 0x7e00u, a > 0x7f800000u);
}`,
});

export const f16_value = libraryFunction({
  name: 'f16_value',
  parameters: { bits: bitsOf('f16') },
  result: f32,
  computes: ({ bits }) => bits,
  wgsl: wgsl`{
  let a = bits & 0x7fffu;
  let small = bitcast<u32>(f32(a) * 0x1p-24f);
  let finite = select(small, (a << 13u) + 0x38000000u, a >= 0x0400u);
  let value = select(finite, 0x7f800000u | ((a & 0x3ffu) << 13u), a >= 0x7c00u);
  return bitcast<f32>(((bits & 0x8000u) << 16u) | value);
}`,
});

export const f16_pack = libraryFunction({
  name: 'f16_pack',
  parameters: { x: f32 },
  result: bitsOf('f16'),
  computes: ({ x }) => roundFloat('f16', x),
  wgsl: wgsl`{ return pack2x16float(vec2<f32>(x, 0.0)); }`,
});

export const f16_unpack = libraryFunction({
  name: 'f16_unpack',
  parameters: { bits: bitsOf('f16') },
  result: f32,
  computes: ({ bits }) => bits,
  wgsl: wgsl`{ return unpack2x16float(bits).x; }`,
});

export const f16_repack = libraryFunction({
  name: 'f16_repack',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => roundFloat('f16', x),
  wgsl: wgsl`{ return ${f16_unpack}(${f16_pack}(x)); }`,
});

export const f16_round = libraryFunction({
  name: 'f16_round',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => roundFloat('f16', x),
  wgsl: wgsl`{ return ${f16_value}(${f16_bits}(x)); }`,
});

export const f16_round_rtz = libraryFunction({
  name: 'f16_round_rtz',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => roundFloat('f16', x, 'rtz'),
  wgsl: wgsl`{ return ${f16_value}(${f16_bits_rtz}(x)); }`,
});

export const bf16_round_rtz = libraryFunction({
  name: 'bf16_round_rtz',
  parameters: { x: f32 },
  result: f32,
  computes: ({ x }) => roundFloat('bf16', x, 'rtz'),
  wgsl: wgsl`{ return bitcast<f32>(${bf16_bits_rtz}(x) << 16u); }`,
});

/**
 * A float with m bits of mantissa, an implicit bit before them and this exponent bias: the code
 * of a magnitude, without looking at overflow.
 */
/** As Triton's code for NVIDIA has it: the upper byte of a truncated f16. */
/**
 * float8e4b15 has no NaN, and is rounded as Triton's code for NVIDIA does: by way of a truncated
 * f16, limited to 1.75, halves away from zero.
 */
