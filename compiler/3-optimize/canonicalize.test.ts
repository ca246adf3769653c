/** canonicalize by printed IR before and after. */
import { describe, test } from 'vitest';
import { canonicalize } from './canonicalize';
import { becomes, kernel, stays } from './testing/passes';

describe('canonicalize', () => {
  test('folds constants, also in tiles', () =>
    becomes(
      canonicalize,
      kernel(
        '%p: tensor<4x!tt.ptr<i32>>',
        `%a = arith.constant 3 : i32
         %b = arith.constant -5 : i32
         %c = arith.muli %a, %b : i32
         %t = tt.splat %c : tensor<4xi32>
         tt.store %p, %t`,
      ),
      kernel(
        '%p: tensor<4x!tt.ptr<i32>>',
        `%t = arith.constant dense<-15> : tensor<4xi32>
         tt.store %p, %t`,
      ),
    ));

  test('wraps as the machine does', () =>
    becomes(
      canonicalize,
      kernel(
        '%p: !tt.ptr<i32>',
        `%a = arith.constant 2147483647 : i32
         %b = arith.constant 1 : i32
         %c = arith.addi %a, %b : i32
         tt.store %p, %c`,
      ),
      kernel('%p: !tt.ptr<i32>', '%c = arith.constant -2147483648 : i32\n tt.store %p, %c'),
    ));

  test('leaves floats that could be NaN, infinite or -0 alone', () =>
    stays(
      canonicalize,
      kernel(
        '%p: !tt.ptr<f32>, %x: f32',
        `%zero = arith.constant 0.0 : f32
         %a = arith.mulf %x, %zero : f32
         %b = arith.addf %a, %zero : f32
         %c = arith.subf %b, %x : f32
         %d = arith.subf %c, %c : f32
         tt.store %p, %d`,
      ),
    ));

  test('drops float identities that are exact', () =>
    becomes(
      canonicalize,
      kernel(
        '%p: !tt.ptr<f32>, %x: f32',
        `%one = arith.constant 1.0 : f32
         %minus = arith.constant -0.0 : f32
         %zero = arith.constant 0.0 : f32
         %a = arith.mulf %one, %x : f32
         %b = arith.addf %a, %minus : f32
         %c = arith.subf %b, %zero : f32
         %d = arith.divf %c, %one : f32
         tt.store %p, %d`,
      ),
      kernel('%p: !tt.ptr<f32>, %x: f32', 'tt.store %p, %x'),
    ));

  test('leaves a division by zero where it is', () =>
    stays(
      canonicalize,
      kernel(
        '%p: !tt.ptr<i32>',
        `%a = arith.constant 1 : i32
         %b = arith.constant 0 : i32
         %c = arith.divsi %a, %b : i32
         tt.store %p, %c`,
      ),
    ));

  test('computes what is uniform once', () =>
    becomes(
      canonicalize,
      kernel(
        '%p: tensor<8x!tt.ptr<i32>>, %n: i32',
        `%a = tt.splat %n : tensor<8xi32>
         %c = arith.constant dense<7> : tensor<8xi32>
         %d = arith.muli %a, %c : tensor<8xi32>
         tt.store %p, %d`,
      ),
      kernel(
        '%p: tensor<8x!tt.ptr<i32>>, %n: i32',
        `%c = arith.constant 7 : i32
         %d = arith.muli %n, %c : i32
         %t = tt.splat %d : tensor<8xi32>
         tt.store %p, %t`,
      )
        .replaceAll('%c', '%c7_i32')
        .replaceAll('%d', '%0')
        .replaceAll('%t,', '%d,')
        .replaceAll('%t =', '%d =')
        .replace('%p, %t', '%p, %d'),
    ));

  test('takes constant branches, and loops that run once or never', () =>
    becomes(
      canonicalize,
      kernel(
        '%p: !tt.ptr<i32>, %n: i32',
        `%true = arith.constant true : i1
         %zero = arith.constant 0 : i32
         %two = arith.constant 2 : i32
         %a = scf.if %true : i32 {
           %x = arith.addi %n, %two : i32
           scf.yield %x
         } else {
           scf.yield %n
         }
         %b = scf.for %two, %two, %two, %a : i32 {
         ^(%i: i32, %s: i32):
           %t = arith.muli %s, %s : i32
           scf.yield %t
         }
         %c = scf.for %zero, %two, %two, %b : i32 {
         ^(%j: i32, %u: i32):
           %v = arith.xori %u, %n : i32
           scf.yield %v
         }
         tt.store %p, %c`,
      ),
      kernel(
        '%p: !tt.ptr<i32>, %n: i32',
        `%two = arith.constant 2 : i32
         %x = arith.addi %n, %two : i32
         %v = arith.xori %x, %n : i32
         tt.store %p, %v`,
      ),
    ));

  test('drops masks that are constant', () =>
    becomes(
      canonicalize,
      kernel(
        '%p: tensor<4x!tt.ptr<f32>>, %o: tensor<4xf32>',
        `%yes = arith.constant dense<true> : tensor<4xi1>
         %no = arith.constant dense<false> : tensor<4xi1>
         %a = tt.load %p, %yes, %o : tensor<4xf32>
         %b = tt.load %p, %no, %o : tensor<4xf32>
         %c = arith.addf %a, %b : tensor<4xf32>
         tt.store %p, %c, %yes
         tt.store %p, %b, %no`,
      ),
      kernel(
        '%p: tensor<4x!tt.ptr<f32>>, %o: tensor<4xf32>',
        `%a = tt.load %p : tensor<4xf32>
         %c = arith.addf %a, %o : tensor<4xf32>
         tt.store %p, %c`,
      ),
    ));
});
