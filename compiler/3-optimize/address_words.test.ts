/** address_words by printed IR before and after. */
import { describe, test } from 'vitest';
import { address_words } from './address_words';
import { canonicalize } from './canonicalize';
import { becomes, kernel, stays } from './testing/passes';

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
