/** Barriers around workgroup memory, around the back edge of loops too. */
import { expect, test } from 'vitest';
import { stage_operands } from './stage_operands';
import { insert_barriers } from './insert_barriers';
import { allocate_shared_memory } from './allocate_shared_memory';
import { DOTS, PREPARED, after, onlyLoop, plain } from './testing/passes';

test('two per K slice, around the back edge too', () => {
  const passes = [...PREPARED, stage_operands, allocate_shared_memory, insert_barriers];
  expect(onlyLoop(plain(after(DOTS, passes, { kSlice: 8, buffers: 1 })))).toMatchInlineSnapshot(`
    "  %sum = scf.for %c0_i32, %n, %c16_i32, %zero : tensor<16x16xf32> {
      ^(%i: i32, %acc: tensor<16x16xf32>):
        %is = tt.splat %i : tensor<16x16xi32>
        %qi = tt.addptr %q, %is : tensor<16x16x!tt.ptr<f16>>
        %b = tt.load %qi : tensor<16x16xf16>
        %3 = arith.extf %b : tensor<16x16xf32>
        %4 = ttg.local_alloc {offset = 1280} : !ttg.memdesc<8x16xf32, order = [1, 0], pad = 4>
        gpu.barrier
        ttg.local_store %3, %4 {slice = [0, 0]}
        gpu.barrier
        %5 = tt.dot %1, %4, %acc {inputPrecision = "ieee", unroll = 8} : tensor<16x16xf32>
        gpu.barrier
        ttg.local_store %3, %4 {slice = [8, 0]}
        gpu.barrier
        %d = tt.dot %2, %4, %5 {inputPrecision = "ieee", unroll = 8} : tensor<16x16xf32>
        scf.yield %d
      }
    "
  `);
});

test('with two buffers one is enough', () => {
  const passes = [...PREPARED, stage_operands, allocate_shared_memory, insert_barriers];
  const printed = onlyLoop(plain(after(DOTS, passes, { kSlice: 4, buffers: 2 })));
  expect(printed.split('\n').filter((line) => /barrier|local_store|dot/.test(line)))
    .toMatchInlineSnapshot(`
    [
      "    ttg.local_store %5, %6 {slice = [0, 0]}",
      "    gpu.barrier",
      "    %8 = tt.dot %1, %6, %acc {inputPrecision = "ieee", unroll = 4} : tensor<16x16xf32>",
      "    ttg.local_store %5, %7 {slice = [4, 0]}",
      "    gpu.barrier",
      "    %9 = tt.dot %2, %7, %8 {inputPrecision = "ieee", unroll = 4} : tensor<16x16xf32>",
      "    ttg.local_store %5, %6 {slice = [8, 0]}",
      "    gpu.barrier",
      "    %10 = tt.dot %3, %6, %9 {inputPrecision = "ieee", unroll = 4} : tensor<16x16xf32>",
      "    ttg.local_store %5, %7 {slice = [12, 0]}",
      "    gpu.barrier",
      "    %d = tt.dot %4, %7, %10 {inputPrecision = "ieee", unroll = 4} : tensor<16x16xf32>",
    ]
  `);
});
