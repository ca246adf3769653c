/** Barriers around workgroup memory, around the back edge of loops too. */
import { expect, test } from 'vitest';
import { parseFunc } from '../ir/parser';
import { printIr } from '../ir/printer';
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

/** Each element goes to memory in an iteration and comes back; another tile's went there before. */
const STORE_THEN_LOAD = (second: string): string => `
tt.func @kernel(%x: tensor<4xf32>, %n: i32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %m = ttg.local_alloc {offset = 0} : !ttg.memdesc<4xf32, order = [0], pad = 0>
  %k = ttg.local_alloc {offset = 16} : !ttg.memdesc<4xf32, order = [0], pad = 0>
  ttg.local_store %x, %m
  %y = ttg.local_load %m : tensor<4xf32>
  %sum = scf.for %zero, %n, %one, %y : tensor<4xf32> {
    ^(%i: i32, %acc: tensor<4xf32>):
      ttg.local_store %acc, %m
      %z = ttg.local_load %m : tensor<4xf32>
${second}      scf.yield %z
  }
  tt.return
}`;
function barriers(text: string): string {
  const func = parseFunc(text);
  insert_barriers(func);
  const lines = printIr(func).split('\n');
  return lines.filter((line) => /local_(store|load)|barrier|scf/.test(line)).join('\n');
}

test('a hazard with accesses before a loop takes one barrier, before it', () => {
  // Behind the loads from %k a barrier separates an iteration from the next.
  const other = '      ttg.local_store %z, %k\n      %w = ttg.local_load %k : tensor<4xf32>\n';
  expect(barriers(STORE_THEN_LOAD(other))).toMatchInlineSnapshot(`
    "  ttg.local_store %x, %m
      gpu.barrier
      %y = ttg.local_load %m : tensor<4xf32>
      gpu.barrier
      %sum = scf.for %zero, %n, %one, %y : tensor<4xf32> {
        ttg.local_store %acc, %m
        gpu.barrier
        %z = ttg.local_load %m : tensor<4xf32>
        ttg.local_store %z, %k
        gpu.barrier
        %w = ttg.local_load %k : tensor<4xf32>
        scf.yield %z"
  `);
});

test('a hazard between iterations takes one in the loop, and none before it', () => {
  expect(barriers(STORE_THEN_LOAD(''))).toMatchInlineSnapshot(`
    "  ttg.local_store %x, %m
      gpu.barrier
      %y = ttg.local_load %m : tensor<4xf32>
      %sum = scf.for %zero, %n, %one, %y : tensor<4xf32> {
        gpu.barrier
        ttg.local_store %acc, %m
        gpu.barrier
        %z = ttg.local_load %m : tensor<4xf32>
        scf.yield %z"
  `);
});
