/** narrow_int64 by printed IR before and after. */
import { describe, test } from 'vitest';
import { narrow_int64 } from './narrow_int64';
import { becomes, kernel, stays } from './testing/passes';

describe('narrow_int64', () => {
  test('offsets need 32 bits only', () =>
    becomes(
      narrow_int64,
      kernel(
        '%p: !tt.ptr<f32>, %n: i32, %m: i64',
        `%pid = tt.get_program_id {axis = 0} : i32
         %a = arith.extsi %pid : i64
         %b = arith.extsi %n : i64
         %c = arith.muli %a, %b : i64
         %d = arith.addi %c, %m : i64
         %q = tt.addptr %p, %d : !tt.ptr<f32>
         %v = tt.load %q : f32
         tt.store %p, %v`,
      ),
      kernel(
        '%p: !tt.ptr<f32>, %n: i32, %m: i64',
        `%x = arith.trunci %m : i32
         %pid = tt.get_program_id {axis = 0} : i32
         %c = arith.muli %pid, %n : i32
         %d = arith.addi %c, %x : i32
         %q = tt.addptr %p, %d : !tt.ptr<f32>
         %v = tt.load %q : f32
         tt.store %p, %v`,
      ).replaceAll('%x', '%0'),
    ));
  test('comparisons of small numbers', () =>
    becomes(
      narrow_int64,
      kernel(
        '%p: tensor<8x!tt.ptr<i32>>, %n: i32',
        `%r = tt.make_range {start = 0, end = 8} : tensor<8xi32>
         %a = arith.extsi %r : tensor<8xi64>
         %b = arith.extsi %n : i64
         %c = tt.splat %b : tensor<8xi64>
         %d = arith.cmpi %a, %c {predicate = "slt"} : tensor<8xi1>
         tt.store %p, %r, %d`,
      ),
      kernel(
        '%p: tensor<8x!tt.ptr<i32>>, %n: i32',
        `%r = tt.make_range {start = 0, end = 8} : tensor<8xi32>
         %c = tt.splat %n : tensor<8xi32>
         %d = arith.cmpi %r, %c {predicate = "slt"} : tensor<8xi1>
         tt.store %p, %r, %d`,
      ).replaceAll('%c', '%0'),
    ));
  test('not what may exceed 32 bits', () =>
    stays(
      narrow_int64,
      kernel(
        '%p: !tt.ptr<i64>, %n: i32, %m: i64',
        `%a = arith.extsi %n : i64
         %b = arith.muli %a, %a : i64
         %c = arith.addi %b, %m : i64
         tt.store %p, %c`,
      ),
    ));
});
