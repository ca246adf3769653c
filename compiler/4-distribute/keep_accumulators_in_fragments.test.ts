/** Sums of dots on subgroup matrices that stay in fragments. */
import { expect, test } from 'vitest';
import { changeBy, DOTS, SMALL_MATRICES } from './testing/passes';

const PASS = 'keep_accumulators_in_fragments';

test('a sum that a loop carries is read back once, behind the loop', () => {
  expect(changeBy(PASS, DOTS, {}, SMALL_MATRICES)).toMatchInlineSnapshot(`
    "    %q = tt.addptr %ys, %offs : tensor<16x16x!tt.ptr<f16>>
    -   %zero = arith.constant dense<0.0> : tensor<16x16xf32>
        ttg.local_store %a, %v2 {slice = [0, 0]}
    -   %sum = scf.for %v0, %n, %v1, %zero : tensor<16x16xf32> {
    -   ^(%i: i32, %acc: tensor<16x16xf32>):
    +   %cst = arith.constant 0.0 : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>
    +   %sum = scf.for %v0, %n, %v1, %cst : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]> {
    +   ^(%i: i32, %acc: !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>):
          %b = tt.load %qi {vector = 8} : tensor<16x16xf16>
    -     %v3 = arith.constant 0.0 : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>
          ttg.local_store %b, %v4 {slice = [0, 0]}
    -     %v5 = tt.dot %v2, %v4, %v3 {inputPrecision = "ieee", strategy = "matrices", matrix = [8, 8, 8], block = [8, 8], unroll = 8} : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>
    -     %v6 = ttg.read_fragments %v5 : tensor<16x16xf32>
    -     %d = arith.addf %v6, %acc : tensor<16x16xf32>
    -     scf.yield %d
    +     %v5 = tt.dot %v2, %v4, %acc {inputPrecision = "ieee", strategy = "matrices", matrix = [8, 8, 8], block = [8, 8], unroll = 8} : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>
    +     scf.yield %v5
        }
    +   %sum_0 = ttg.read_fragments %sum : tensor<16x16xf32>
        %o = tt.addptr %zs, %offs : tensor<16x16x!tt.ptr<f32>>
    -   tt.store %o, %sum {vector = 4}
    +   tt.store %o, %sum_0 {vector = 4}"
  `);
});

test('the sum of one dot goes on in the fragments of the next', () => {
  const twice = DOTS.replace(
    'scf.yield %d',
    '%e = tt.dot %b, %a, %d {inputPrecision = "ieee"} : tensor<16x16xf32>\n    scf.yield %e',
  );
  expect(changeBy(PASS, twice, {}, SMALL_MATRICES)).toMatchInlineSnapshot(`
    "      %v6 = tt.dot %v2, %v5, %v4 {inputPrecision = "ieee", strategy = "matrices", matrix = [8, 8, 8], block = [8, 8], unroll = 8} : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>
    -     %v7 = ttg.read_fragments %v6 : tensor<16x16xf32>
    -     %d = arith.addf %v7, %acc : tensor<16x16xf32>
    -     %v8 = arith.constant 0.0 : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>
          ttg.local_store %b, %v9 {slice = [0, 0]}
    -     %v10 = tt.dot %v9, %v3, %v8 {inputPrecision = "ieee", strategy = "matrices", matrix = [8, 8, 8], block = [8, 8], unroll = 8} : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>
    +     %v10 = tt.dot %v9, %v3, %v6 {inputPrecision = "ieee", strategy = "matrices", matrix = [8, 8, 8], block = [8, 8], unroll = 8} : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>
          %v11 = ttg.read_fragments %v10 : tensor<16x16xf32>
    -     %e = arith.addf %v11, %d : tensor<16x16xf32>
    +     %e = arith.addf %v11, %acc : tensor<16x16xf32>"
  `);
});

test('a sum that the loop rescales is read back in every iteration', () => {
  const rescaled = DOTS.replace(
    'scf.yield %d',
    '%e = arith.mulf %d, %d : tensor<16x16xf32>\n    scf.yield %e',
  );
  expect(changeBy(PASS, rescaled, {}, SMALL_MATRICES)).toBe('');
});

test('nothing changes without subgroup matrices', () => {
  expect(changeBy(PASS, DOTS)).toBe('');
});
