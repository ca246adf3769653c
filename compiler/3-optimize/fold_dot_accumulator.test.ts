/** fold_dot_accumulator by printed IR before and after. */
import { describe, test } from 'vitest';
import { fold_dot_accumulator } from './fold_dot_accumulator';
import { becomes, kernel, stays } from './testing/passes';

const TILES = '%p: tensor<16x16x!tt.ptr<f32>>, %a: tensor<16x16xf32>, %c: tensor<16x16xf32>';
describe('fold_dot_accumulator', () => {
  test('takes the sum into the dot', () =>
    becomes(
      fold_dot_accumulator,
      kernel(
        TILES,
        `%zero = arith.constant dense<0.0> : tensor<16x16xf32>
         %d = tt.dot %a, %a, %zero {inputPrecision = "tf32"} : tensor<16x16xf32>
         %s = arith.addf %c, %d : tensor<16x16xf32>
         tt.store %p, %s`,
      ),
      kernel(
        TILES,
        `%s = tt.dot %a, %a, %c {inputPrecision = "tf32"} : tensor<16x16xf32>
         tt.store %p, %s`,
      ),
    ));
  test('not where the product is used twice', () =>
    stays(
      fold_dot_accumulator,
      kernel(
        TILES,
        `%zero = arith.constant dense<0.0> : tensor<16x16xf32>
         %d = tt.dot %a, %a, %zero {inputPrecision = "tf32"} : tensor<16x16xf32>
         %s = arith.addf %c, %d : tensor<16x16xf32>
         %t = arith.mulf %s, %d : tensor<16x16xf32>
         tt.store %p, %t`,
      ),
    ));
});
