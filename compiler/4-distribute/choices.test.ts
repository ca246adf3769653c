/** Defaults for dots on subgroup matrices: threads and how much of K is staged at a time. */
import { expect, test } from 'vitest';
import { parseFunc } from '../ir/parser';
import { BASELINE_TARGET, type Target } from '../target';
import { defaultChoices } from './choices';

const MATRICES: Target = {
  ...BASELINE_TARGET,
  name: 'with matrices',
  subgroupSize: 32,
  maxInvocations: 1024,
  f16: true,
  subgroupMatrices: [{ component: 'f16', result: 'f32', M: 16, N: 16, K: 16 }],
};

/** Threads and K's pieces for a dot of M×K and K×N. */
function chosen(M: number, N: number, K: number): number[] {
  const func = parseFunc(`tt.func @dot(%p: !tt.ptr<f32>) {
  %a = arith.constant 1 : tensor<${M}x${K}xf16>
  %b = arith.constant 1 : tensor<${K}x${N}xf16>
  %c = arith.constant 0 : tensor<${M}x${N}xf32>
  %d = tt.dot %a, %b, %c : tensor<${M}x${N}xf32>
  tt.return
}
`);
  const { threads, kPiece } = defaultChoices(func, MATRICES, 4);
  return [threads, kPiece];
}

test('a thin result has threads for its operands and stages more of K at a time', () => {
  expect(chosen(16, 128, 128)).toEqual([256, 128]);
  expect(chosen(16, 32, 128)).toEqual([128, 128]);
});

test('other results have threads for themselves', () => {
  expect(chosen(32, 128, 128)).toEqual([128, 64]);
  expect(chosen(128, 128, 64)).toEqual([256, 64]);
});
