/** The launches that are measured: kernels of `public/examples` with their specializations. */
import type { Launch } from './ours';
import type { Argument } from './specialize';

const f32 = (buffer: number): Argument => ({ tensor: 'float32', buffer });
const int = (value: number): Argument => ({ int: value });
const constexpr = (value: number | boolean | null): Argument => ({ constexpr: value });

/** Buffers: x, y, out. */
export function vectorAdd(n: number, block: number): Launch {
  return {
    kernel: 'add_kernel',
    arguments: [f32(0), f32(1), f32(2), int(n), constexpr(block)],
    numWarps: 4,
    grid: [Math.ceil(n / block), 1, 1],
  };
}

/** Buffers: out, x. As the example launches it. */
export function softmax(rows: number, columns: number): Launch {
  const block = 2 ** Math.ceil(Math.log2(columns));
  return {
    kernel: 'softmax_kernel',
    arguments: [
      f32(0),
      f32(1),
      int(columns),
      int(columns),
      int(rows),
      int(columns),
      constexpr(block),
    ],
    numWarps: block <= 2048 ? 4 : 8,
    grid: [Math.min(rows, 16_384), 1, 1],
  };
}

/** Block sizes and warps of a configuration of the matmul example. */
export type MatmulConfig = readonly [m: number, n: number, k: number, warps: number];

/** Buffers: a, b, c. Without bias and activation: that is what the yardstick computes. */
export function matmul(size: number, [m, n, k, warps]: MatmulConfig): Launch {
  return {
    kernel: 'matmul_kernel',
    arguments: [
      f32(0),
      f32(1),
      constexpr(null),
      f32(2),
      int(size),
      int(size),
      int(size),
      int(size),
      int(1),
      int(size),
      int(1),
      int(size),
      int(1),
      constexpr(false),
      constexpr(m),
      constexpr(n),
      constexpr(k),
      constexpr(8),
    ],
    numWarps: warps,
    grid: [Math.ceil(size / m) * Math.ceil(size / n), 1, 1],
  };
}

/** Buffers: q, k, v, out. As the example launches it. */
export function attention(heads: number, length: number, dim: number, causal: boolean): Launch {
  const blockM = dim <= 64 ? 64 : 32;
  return {
    kernel: 'attention_kernel',
    arguments: [
      f32(0),
      f32(1),
      f32(2),
      f32(3),
      { float: dim ** -0.5 },
      int(length * dim),
      int(dim),
      int(length),
      constexpr(dim),
      constexpr(blockM),
      constexpr(32),
      constexpr(causal),
    ],
    numWarps: 4,
    grid: [Math.ceil(length / blockM), heads, 1],
  };
}
