/** eliminate_dead_code by printed IR before and after. */
import { describe, test } from 'vitest';
import { eliminate_dead_code } from './eliminate_dead_code';
import { becomes, kernel, stays } from './testing/passes';

describe('eliminate_dead_code', () => {
  test('drops carried values that only feed themselves, and dead loads', () =>
    becomes(
      eliminate_dead_code,
      kernel(
        '%p: !tt.ptr<i32>, %n: i32',
        `%dead = tt.load %p : i32
         %a, %b = scf.for %n, %n, %n, %n, %dead : i32, i32 {
         ^(%i: i32, %x: i32, %y: i32):
           %u = arith.addi %x, %i : i32
           %v = arith.muli %y, %y : i32
           scf.yield %u, %v
         }
         tt.store %p, %a`,
      ),
      kernel(
        '%p: !tt.ptr<i32>, %n: i32',
        `%a = scf.for %n, %n, %n, %n : i32 {
         ^(%i: i32, %x: i32):
           %u = arith.addi %x, %i : i32
           scf.yield %u
         }
         tt.store %p, %a`,
      ),
    ));
  test('keeps the values of a branch apart where one that a loop carries is dead', () =>
    becomes(
      eliminate_dead_code,
      kernel(
        '%p: !tt.ptr<i32>, %n: i32, %c: i1',
        `%a, %b, %d = scf.for %n, %n, %n, %n, %n, %n : i32, i32, i32 {
         ^(%i: i32, %x: i32, %y: i32, %z: i32):
           %u, %v, %w = scf.if %c : i32, i32, i32 {
             %x2 = arith.addi %x, %i : i32
             %y2 = arith.muli %n, %n : i32
             %z2 = arith.addi %n, %n : i32
             scf.yield %x2, %y2, %z2
           } else {
             scf.yield %x, %y, %z
           }
           scf.yield %u, %v, %w
         }
         tt.store %p, %b`,
      ),
      kernel(
        '%p: !tt.ptr<i32>, %n: i32, %c: i1',
        `%b = scf.for %n, %n, %n, %n : i32 {
         ^(%i: i32, %y: i32):
           %v = scf.if %c : i32 {
             %y2 = arith.muli %n, %n : i32
             scf.yield %y2
           } else {
             scf.yield %y
           }
           scf.yield %v
         }
         tt.store %p, %b`,
      ),
    ));
  test('keeps effects and loops that may not end', () =>
    stays(
      eliminate_dead_code,
      kernel(
        '%p: !tt.ptr<i32>, %n: i32',
        `%w = scf.while %n : i32 {
         ^(%i: i32):
           %go = arith.cmpi %i, %n {predicate = "ne"} : i1
           scf.condition %go, %i
         } do {
         ^(%j: i32):
           scf.yield %j
         }
         %old = tt.atomic_rmw %p, %n {kind = "add"} : i32`,
      ),
    ));
});
