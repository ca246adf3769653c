/**
 * For tests: launches of kernels. `# !` marks the line of a fault; tensors are ramps, so that
 * programs that meet store different values.
 */
import type { ArgumentText } from '../../2-lower/testing/lowerText';
import type { TestArgument } from '../../inspect/testing/launches';

export interface Case {
  readonly name: string;
  /** The kernel, without its decorator. */
  readonly text: string;
  readonly signature: Readonly<Record<string, ArgumentText | number>>;
  readonly grid: readonly [number, number, number];
  readonly args: readonly TestArgument[];
}

export const ramp = (...shape: number[]): TestArgument => ({
  data: Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => i + 1),
  shape,
});
export const whole = (count: number, at: (i: number) => number): TestArgument => ({
  data: Int32Array.from({ length: count }, (_, i) => at(i)),
});

export const XYN = { x_ptr: '*fp32', y_ptr: '*fp32', n: 'i32', BLOCK: 64 } as const;
export const copy = (body: string): string => `def k(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
${body}`;
export const two = (n: number): TestArgument[] => [ramp(n), ramp(n), n];

export const MATRIX = {
  x_ptr: '*fp32',
  y_ptr: '*fp32',
  M: 'i32',
  N: 'i32',
  BM: 16,
  BN: 16,
} as const;
export const matrix = (body: string): string =>
  `def k(x_ptr, y_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    r = tl.program_id(0) * BM + tl.arange(0, BM)[:, None]
    c = tl.program_id(1) * BN + tl.arange(0, BN)[None, :]
${body}`;
