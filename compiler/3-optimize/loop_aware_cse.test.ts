/** loop_aware_cse by printed IR before and after. */
import { describe, test } from 'vitest';
import { loop_aware_cse } from './loop_aware_cse';
import { becomes, kernel, stays } from './testing/passes';

const PARAMETERS = '%p: !tt.ptr<f32>, %n: i32, %x: f32, %c: i1';

describe('loop_aware_cse', () => {
  test('merges counts that two reductions carry', () =>
    becomes(
      loop_aware_cse,
      kernel(
        PARAMETERS,
        `%zero = arith.constant 0.0 : f32
         %also = arith.constant 0.0 : f32
         %one = arith.constant 1.0 : f32
         %r0, %r1, %r2 = scf.for %n, %n, %n, %zero, %also, %x : f32, f32, f32 {
         ^(%i: i32, %count: f32, %weight: f32, %mean: f32):
           %a = arith.addf %count, %one : f32
           %b = arith.addf %weight, %one : f32
           %m = arith.divf %mean, %a : f32
           %d = arith.divf %m, %b : f32
           scf.yield %a, %b, %d
         }
         tt.store %p, %r1
         tt.store %p, %r2`,
      ),
      kernel(
        PARAMETERS,
        `%zero = arith.constant 0.0 : f32
         %one = arith.constant 1.0 : f32
         %r0, %r2 = scf.for %n, %n, %n, %zero, %x : f32, f32 {
         ^(%i: i32, %count: f32, %mean: f32):
           %a = arith.addf %count, %one : f32
           %b = arith.addf %count, %one : f32
           %m = arith.divf %mean, %a : f32
           %d = arith.divf %m, %b : f32
           scf.yield %a, %d
         }
         tt.store %p, %r0
         tt.store %p, %r2`,
      ),
    ));
  test('merges values that equal branches give, and a loop inside', () =>
    becomes(
      loop_aware_cse,
      kernel(
        PARAMETERS,
        `%r0, %r1 = scf.for %n, %n, %n, %x, %x : f32, f32 {
         ^(%i: i32, %s: f32, %t: f32):
           %u = scf.if %c : f32 {
             %a = arith.addf %s, %x : f32
             scf.yield %a
           } else {
             scf.yield %s
           }
           %v = scf.if %c : f32 {
             %b = arith.addf %t, %x : f32
             scf.yield %b
           } else {
             scf.yield %t
           }
           %w0, %w1 = scf.for %n, %n, %n, %u, %v : f32, f32 {
           ^(%j: i32, %k: f32, %l: f32):
             %e = arith.mulf %k, %x : f32
             %f = arith.mulf %x, %l : f32
             scf.yield %e, %f
           }
           scf.yield %w0, %w1
         }
         tt.store %p, %r0
         tt.store %p, %r1`,
      ),
      kernel(
        PARAMETERS,
        `%r0 = scf.for %n, %n, %n, %x : f32 {
         ^(%i: i32, %s: f32):
           %u = scf.if %c : f32 {
             %a = arith.addf %s, %x : f32
             scf.yield %a
           } else {
             scf.yield %s
           }
           %w0 = scf.for %n, %n, %n, %u : f32 {
           ^(%j: i32, %k: f32):
             %e = arith.mulf %k, %x : f32
             scf.yield %e
           }
           scf.yield %w0
         }
         tt.store %p, %r0
         tt.store %p, %r0`,
      ),
    ));
  test('keeps values that begin equal and become different', () =>
    stays(
      loop_aware_cse,
      kernel(
        PARAMETERS,
        `%one = arith.constant 1.0 : f32
         %r0, %r1, %r2 = scf.for %n, %n, %n, %x, %x, %x : f32, f32, f32 {
         ^(%i: i32, %s: f32, %t: f32, %u: f32):
           %a = arith.addf %s, %one : f32
           scf.yield %a, %s, %t
         }
         tt.store %p, %r0
         tt.store %p, %r1
         tt.store %p, %r2`,
      ),
    ));
  test('keeps values that begin as 0 and -0, or that loads give', () =>
    stays(
      loop_aware_cse,
      kernel(
        PARAMETERS,
        `%zero = arith.constant 0.0 : f32
         %minus = arith.constant -0.0 : f32
         %r0, %r1, %r2, %r3 = scf.for %n, %n, %n, %zero, %minus, %x, %x : f32, f32, f32, f32 {
         ^(%i: i32, %s: f32, %t: f32, %u: f32, %v: f32):
           %a = tt.load %p : f32
           %b = tt.load %p : f32
           tt.store %p, %x
           scf.yield %s, %t, %a, %b
         }
         tt.store %p, %r0
         tt.store %p, %r1
         tt.store %p, %r2
         tt.store %p, %r3`,
      ),
    ));
});
