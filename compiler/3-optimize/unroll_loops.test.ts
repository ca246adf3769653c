/** unroll_loops by printed IR before and after, and by what loops near the ends of i32 do. */
import { describe, expect, it, test } from 'vitest';
import { runInterpreter } from '../interpret/index';
import { parseFunc } from '../ir/parser';
import { after } from './testing/equivalence';
import { becomes, kernel, stays } from './testing/passes';
import { unroll_loops } from './unroll_loops';

const PARAMETERS = '%p: !tt.ptr<i32>, %n: i32, %s: i32';
/** Sums the counters of a loop. */
const loop = (bounds: string, factor = 2, type = 'i32'): string =>
  kernel(
    PARAMETERS.replaceAll('i32', type),
    `%c0 = arith.constant 0 : ${type}
     %c4 = arith.constant 4 : ${type}
     %c16 = arith.constant 16 : ${type}
     %c20 = arith.constant 20 : ${type}
     %sum = scf.for ${bounds}, %c0 {tt.loop_unroll_factor = ${factor}} : ${type} {
     ^(%i: ${type}, %a: ${type}):
       %b = arith.addi %a, %i : ${type}
       scf.yield %b
     }
     tt.store %p, %sum`,
  );
const unrolled = (bounds: string): string => after(loop(bounds), unroll_loops)!;

describe('unroll_loops', () => {
  test('makes a loop over groups, and one over the rest that is not pipelined', () =>
    becomes(
      unroll_loops,
      kernel(
        PARAMETERS,
        `%c0 = arith.constant 0 : i32
         %c4 = arith.constant 4 : i32
         %sum = scf.for %c0, %n, %c4, %c0 {tt.loop_unroll_factor = 2} : i32 {
         ^(%i: i32, %a: i32):
           %b = arith.addi %a, %i : i32
           scf.yield %b
         }
         tt.store %p, %sum`,
      ),
      kernel(
        PARAMETERS,
        `%c0 = arith.constant 0 : i32
         %c4 = arith.constant 4 : i32
         %0 = arith.maxsi %n, %c0 : i32
         %c4_i32 = arith.constant 4 : i32
         %1 = arith.subi %0, %c4_i32 : i32
         %c4_i32_0 = arith.constant 4 : i32
         %c8_i32 = arith.constant 8 : i32
         %2, %sum = scf.for %c0, %1, %c8_i32, %c0, %c0 : i32, i32 {
         ^(%i: i32, %3: i32, %a: i32):
           %b = arith.addi %a, %i : i32
           %i_0 = arith.addi %i, %c4_i32_0 : i32
           %b_0 = arith.addi %b, %i_0 : i32
           %4 = arith.addi %i, %c8_i32 : i32
           scf.yield %4, %b_0
         }
         %sum_0 = scf.for %2, %n, %c4, %sum {tt.num_stages = 1} : i32 {
         ^(%i_1: i32, %a_0: i32):
           %b_1 = arith.addi %a_0, %i_1 : i32
           scf.yield %b_1
         }
         tt.store %p, %sum_0`,
      ),
    ));

  test('leaves no rest where the count is a multiple', () =>
    expect(unrolled('%c0, %c16, %c4').match(/scf\.for/g)).toHaveLength(1));

  test('begins a rest of known count at a constant', () =>
    expect(unrolled('%c0, %c20, %c4')).toMatch(/= arith.addi %c0, %c16_i32 : i32\n/));

  test('computes a bound that may leave i32 in i64', () => {
    for (const bounds of ['%n, %s, %c4', '%c0, %n, %s'])
      expect(unrolled(bounds)).toMatch(/arith\.maxsi .*: i64\n(.*\n)*.*arith\.trunci/);
  });

  test('leaves loops with fewer iterations than the factor, and loops of i64 that it cannot bound', () => {
    for (const text of [loop('%c0, %c4, %c4'), loop('%n, %s, %c4', 2, 'i64')])
      expect(after(text, unroll_loops)!.match(/scf\.for/g)).toHaveLength(1);
  });

  test('leaves loops without a factor', () =>
    stays(unroll_loops, loop('%c0, %n, %c4').replace(/ \{tt\.loop_unroll_factor = 2\}/, '')));
});

/** The number that the kernel stores for these arguments. */
function stored(text: string, n: number, s: number): number {
  const bytes = new Uint8Array(4);
  const memory = [{ address: 65536, bytes }];
  const func = parseFunc(text);
  runInterpreter({ func, args: [65536, n, s], memory, grid: [1, 1, 1], budget: 1e6 });
  return new Int32Array(bytes.buffer)[0]!;
}

describe('an unrolled loop has the iterations of the loop', () => {
  const [LEAST, MOST] = [-(2 ** 31), 2 ** 31 - 1];
  it.each([2, 3, 4, 7])('by %i, of any count, from any start', (factor) => {
    const checks: readonly (readonly [string, readonly number[], readonly number[]])[] = [
      ['%c0, %n, %c4', [LEAST, -1, 0, 1, 4, 5, 8, 9, 27, 28, 29, 101], [0]],
      ['%n, %s, %c4', [LEAST, LEAST + 3, -9, 0], [LEAST, LEAST + 9, LEAST + 30, -9]],
      ['%n, %s, %c4', [MOST - 50, MOST - 9, MOST - 4], [MOST - 4, MOST - 3]],
      ['%c0, %n, %s', [-5, 0, 1, 10, 29, 2 ** 30], [1, 2, 7, 2 ** 28 + 1]],
    ];
    for (const [bounds, ns, ss] of checks)
      for (const n of ns)
        for (const s of ss) {
          if (bounds.startsWith('%n') && s - n > 1000) continue;
          if (bounds.endsWith('%s') && n / s > 1000) continue;
          const text = loop(bounds, factor);
          const wanted = stored(text, n, s);
          const found = stored(after(text, unroll_loops)!, n, s);
          expect(found, `${bounds} of ${n}, ${s}`).toBe(wanted);
        }
  });
});
