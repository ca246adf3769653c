/** How dots are computed: on subgroup matrices, from global memory, or on multiply-adds. */
import { CPU_FACTS } from '../machine';
import { expect, test } from 'vitest';
import { matmul } from './testing/kernels';
import { changeBy, DOTS, SMALL, SMALL_MATRICES } from './testing/passes';

const PASS = 'select_dot_path';

test('subgroup matrices, and the block of the result that each subgroup has', () => {
  expect(changeBy(PASS, DOTS, {}, SMALL_MATRICES)).toMatchInlineSnapshot(`
    "      %b = tt.load %qi : tensor<16x16xf16>
    -     %d = tt.dot %a, %b, %acc {inputPrecision = "ieee"} : tensor<16x16xf32>
    +     %d = tt.dot %a, %b, %acc {inputPrecision = "ieee", strategy = "matrices", matrix = [8, 8, 8], block = [8, 8]} : tensor<16x16xf32>"
  `);
});

test('global memory on a software adapter', () => {
  expect(
    changeBy(
      PASS,
      matmul({ M: 16, N: 16, K: 16 }),
      {},
      { ...SMALL, name: 'SwiftShader', machine: CPU_FACTS },
    ),
  ).toMatchInlineSnapshot(`
      "      %v67 = tt.load %v54, %v63, %v66 : tensor<16x16xf32>
      -     %v68 = tt.dot %v65, %v67, %v45 {inputPrecision = "ieee"} : tensor<16x16xf32>
      +     %v68 = tt.dot %v65, %v67, %v45 {inputPrecision = "ieee", strategy = "direct", rematerializedOperands = true} : tensor<16x16xf32>"
    `);
});

test('multiply-adds, without an attribute', () => {
  expect(changeBy(PASS, DOTS)).toBe('');
  expect(changeBy(PASS, DOTS, { matrices: false }, SMALL_MATRICES)).toBe('');
});
