/** split_pointers by printed IR before and after. */
import { describe, test } from 'vitest';
import { split_pointers } from './split_pointers';
import { becomes, kernel, stays } from './testing/passes';

describe('split_pointers', () => {
  const head = `%r = tt.make_range {start = 0, end = 8} : tensor<8xi32>
         %s = tt.splat %x : tensor<8x!tt.ptr<f32>>
         %q = tt.addptr %s, %r : tensor<8x!tt.ptr<f32>>`;
  test('carries one pointer in place of a tile', () =>
    becomes(
      split_pointers,
      kernel(
        '%x: !tt.ptr<f32>, %n: i32',
        `${head}
         %step = tt.splat %n : tensor<8xi32>
         %end = scf.for %n, %n, %n, %q : tensor<8x!tt.ptr<f32>> {
         ^(%i: i32, %ptrs: tensor<8x!tt.ptr<f32>>):
           %v = tt.load %ptrs : tensor<8xf32>
           tt.store %ptrs, %v
           %next = tt.addptr %ptrs, %step : tensor<8x!tt.ptr<f32>>
           scf.yield %next
         }`,
      ),
      kernel(
        '%x: !tt.ptr<f32>, %n: i32',
        `%r = tt.make_range {start = 0, end = 8} : tensor<8xi32>
         %0 = scf.for %n, %n, %n, %x : !tt.ptr<f32> {
         ^(%i: i32, %ptrs_base: !tt.ptr<f32>):
           %1 = tt.splat %ptrs_base : tensor<8x!tt.ptr<f32>>
           %ptrs = tt.addptr %1, %r : tensor<8x!tt.ptr<f32>>
           %v = tt.load %ptrs : tensor<8xf32>
           tt.store %ptrs, %v
           %2 = tt.addptr %ptrs_base, %n : !tt.ptr<f32>
           scf.yield %2
         }`,
      ),
    ));
  test('not where the step differs between elements', () =>
    stays(
      split_pointers,
      kernel(
        '%x: !tt.ptr<f32>, %n: i32',
        `${head}
         %end = scf.for %n, %n, %n, %q : tensor<8x!tt.ptr<f32>> {
         ^(%i: i32, %ptrs: tensor<8x!tt.ptr<f32>>):
           %v = tt.load %ptrs : tensor<8xf32>
           tt.store %ptrs, %v
           %next = tt.addptr %ptrs, %r : tensor<8x!tt.ptr<f32>>
           scf.yield %next
         }`,
      ),
    ));
});
