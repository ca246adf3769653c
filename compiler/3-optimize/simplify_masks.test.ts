/** simplify_masks by printed IR before and after. */
import { describe, test } from 'vitest';
import { simplify_masks } from './simplify_masks';
import { becomes, kernel, stays } from './testing/passes';

describe('simplify_masks', () => {
  test('decides what ranges decide', () =>
    becomes(
      simplify_masks,
      kernel(
        '%p: tensor<8x!tt.ptr<i32>>',
        `%r = tt.make_range {start = 0, end = 8} : tensor<8xi32>
         %c = arith.constant dense<8> : tensor<8xi32>
         %m = arith.cmpi %r, %c {predicate = "slt"} : tensor<8xi1>
         tt.store %p, %r, %m`,
      ),
      kernel(
        '%p: tensor<8x!tt.ptr<i32>>',
        `%r = tt.make_range {start = 0, end = 8} : tensor<8xi32>
         %m = arith.constant dense<true> : tensor<8xi1>
         tt.store %p, %r, %m`,
      ),
    ));
  test('not what may wrap around', () =>
    stays(
      simplify_masks,
      kernel(
        '%p: !tt.ptr<i32>, %n: i32',
        `%one = arith.constant 1 : i32
         %a = arith.addi %n, %one : i32
         %c = arith.constant -2147483648 : i32
         %m = arith.cmpi %a, %c {predicate = "sgt"} : i1
         tt.store %p, %a, %m`,
      ),
    ));
});
