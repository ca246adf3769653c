/** Each pass by printed IR before and after. */
import { describe, expect, test } from 'vitest';
import type { Func } from '../ir/ir';
import { address_words } from './address_words';
import { canonicalize } from './canonicalize';
import { eliminate_common_subexpressions } from './eliminate_common_subexpressions';
import { eliminate_dead_code } from './eliminate_dead_code';
import { fold_dot_accumulator } from './fold_dot_accumulator';
import { hoist_loop_invariants } from './hoist_loop_invariants';
import { narrow_int64 } from './narrow_int64';
import { simplify_masks } from './simplify_masks';
import { split_pointers } from './split_pointers';
import { after, normal } from './testing/equivalence';

/** Dead operations are dropped from what is compared, so that the tests show what matters. */
function cleaned(pass: (func: Func) => boolean): (func: Func) => boolean {
  return (func) => {
    const changed = pass(func);
    eliminate_dead_code(func);
    return changed;
  };
}
function becomes(pass: (func: Func) => boolean, before: string, wanted: string): void {
  expect(after(before, cleaned(pass))).toBe(normal(wanted));
}
function stays(pass: (func: Func) => boolean, text: string): void {
  expect(after(text, pass)).toBeNull();
}
const kernel = (parameters: string, body: string) =>
  `tt.func @k(${parameters}) {\n${body}\n  tt.return\n}\n`;

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

describe('address_words', () => {
  test('reads and writes pointers in memory as 64-bit addresses', () =>
    becomes(
      address_words,
      kernel(
        '%p: !tt.ptr<!tt.ptr<f32>>, %m: i1, %o: !tt.ptr<f32>',
        `%q = tt.load %p, %m, %o : !tt.ptr<f32>
         %x = tt.load %q : f32
         tt.store %p, %o, %m
         tt.store %q, %x`,
      ),
      kernel(
        '%p: !tt.ptr<!tt.ptr<f32>>, %m: i1, %o: !tt.ptr<f32>',
        `%0 = tt.bitcast %p : !tt.ptr<i64>
         %1 = tt.ptr_to_int %o : i64
         %2 = tt.load %0, %m, %1 : i64
         %q = tt.int_to_ptr %2 : !tt.ptr<f32>
         %x = tt.load %q : f32
         %3 = tt.bitcast %p : !tt.ptr<i64>
         %4 = tt.ptr_to_int %o : i64
         tt.store %3, %4, %m
         tt.store %q, %x`,
      ),
    ));
  test('leaves numbers in memory alone', () =>
    stays(address_words, kernel('%p: !tt.ptr<i64>, %x: i64', 'tt.store %p, %x')));
  test('chooses among numbers where pointers were chosen', () =>
    becomes(
      canonicalize,
      kernel(
        '%q: !tt.ptr<i64>, %c: i1, %x: i64, %y: i64',
        `%a = tt.int_to_ptr %x : !tt.ptr<f32>
         %b = tt.int_to_ptr %y : !tt.ptr<f32>
         %d = arith.select %c, %a, %b : !tt.ptr<f32>
         %e = tt.ptr_to_int %d : i64
         tt.store %q, %e`,
      ),
      kernel(
        '%q: !tt.ptr<i64>, %c: i1, %x: i64, %y: i64',
        `%e = arith.select %c, %x, %y : i64
         tt.store %q, %e`,
      ),
    ));
  test('goes there and back without a step', () =>
    becomes(
      canonicalize,
      kernel(
        '%p: !tt.ptr<f32>, %q: !tt.ptr<i64>, %x: i64',
        `%a = tt.ptr_to_int %p : i64
         %b = tt.int_to_ptr %a : !tt.ptr<i64>
         %c = tt.int_to_ptr %x : !tt.ptr<f32>
         %d = tt.ptr_to_int %c : i64
         tt.store %b, %d`,
      ),
      kernel(
        '%p: !tt.ptr<f32>, %q: !tt.ptr<i64>, %x: i64',
        `%b = tt.bitcast %p : !tt.ptr<i64>
         tt.store %b, %x`,
      ),
    ));
});

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
