/** hoist_loop_invariants by printed IR before and after. */
import { describe, test } from 'vitest';
import { hoist_loop_invariants } from './hoist_loop_invariants';
import { becomes, kernel } from './testing/passes';

describe('hoist_loop_invariants', () => {
  test('moves invariant chains out of both loops, not loads', () =>
    becomes(
      hoist_loop_invariants,
      kernel(
        '%p: !tt.ptr<i32>, %n: i32',
        `scf.for %n, %n, %n {
         ^(%i: i32):
           scf.for %n, %n, %n {
           ^(%j: i32):
             %a = arith.addi %n, %n : i32
             %b = arith.muli %a, %i : i32
             %l = tt.load %p : i32
             %c = arith.addi %b, %l : i32
             tt.store %p, %c
             scf.yield
           }
           scf.yield
         }`,
      ),
      kernel(
        '%p: !tt.ptr<i32>, %n: i32',
        `%a = arith.addi %n, %n : i32
         scf.for %n, %n, %n {
         ^(%i: i32):
           %b = arith.muli %a, %i : i32
           scf.for %n, %n, %n {
           ^(%j: i32):
             %l = tt.load %p : i32
             %c = arith.addi %b, %l : i32
             tt.store %p, %c
             scf.yield
           }
           scf.yield
         }`,
      ),
    ));
});
