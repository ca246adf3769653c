/** eliminate_common_subexpressions by printed IR before and after. */
import { describe, test } from 'vitest';
import { eliminate_common_subexpressions } from './eliminate_common_subexpressions';
import { becomes, kernel, stays } from './testing/passes';

describe('eliminate_common_subexpressions', () => {
  test('shares across regions, but not out of them', () =>
    becomes(
      eliminate_common_subexpressions,
      kernel(
        '%p: !tt.ptr<i32>, %n: i32, %c: i1',
        `%a = arith.addi %n, %n : i32
         tt.store %p, %a
         scf.if %c {
           %b = arith.addi %n, %n : i32
           %m = arith.muli %b, %n : i32
           tt.store %p, %m
           scf.yield
         } else {
           scf.yield
         }
         %d = arith.muli %n, %a : i32
         tt.store %p, %d`,
      ),
      kernel(
        '%p: !tt.ptr<i32>, %n: i32, %c: i1',
        `%a = arith.addi %n, %n : i32
         tt.store %p, %a
         scf.if %c {
           %m = arith.muli %a, %n : i32
           tt.store %p, %m
           scf.yield
         } else {
           scf.yield
         }
         %d = arith.muli %n, %a : i32
         tt.store %p, %d`,
      ),
    ));
  test('keeps 0 and -0 apart', () =>
    stays(
      eliminate_common_subexpressions,
      kernel(
        '%p: !tt.ptr<f32>',
        `%a = arith.constant 0.0 : f32
         %b = arith.constant -0.0 : f32
         tt.store %p, %a
         tt.store %p, %b`,
      ),
    ));
});
