/** Operands of dots in workgroup memory. */
import { expect, test } from 'vitest';
import { set_vector_width } from './set_vector_width';
import { stage_operands } from './stage_operands';
import { parseFunc } from '../ir/parser';
import { printIr } from '../ir/printer';
import { DOTS, PREPARED, SMALL_MATRICES, after, plain } from './testing/passes';

test('slices of K; what a loop does not change is staged before it', () => {
  const text = after(DOTS, [...PREPARED, set_vector_width, stage_operands], { kSlice: 8 });
  expect(plain(text)).toMatchInlineSnapshot(`
    "tt.func @dots(%x: !tt.ptr<f16> {tt.divisibility = 16}, %y: !tt.ptr<f16> {tt.divisibility = 16}, %z: !tt.ptr<f32> {tt.divisibility = 16}, %n: i32) attributes {threads = 64, subgroupSize = 4} {
      %c0_i32 = arith.constant 0 : i32
      %c16_i32 = arith.constant 16 : i32
      %r = tt.make_range {start = 0, end = 16} : tensor<16xi32>
      %r_0 = tt.make_range {start = 0, end = 16} : tensor<16xi32>
      %r_1 = tt.make_range {start = 0, end = 16} : tensor<16xi32>
      %r_2 = tt.make_range {start = 0, end = 16} : tensor<16xi32>
      %r_3 = tt.make_range {start = 0, end = 16} : tensor<16xi32>
      %r_4 = tt.make_range {start = 0, end = 16} : tensor<16xi32>
      %r1 = tt.expand_dims %r {axis = 1} : tensor<16x1xi32>
      %r1_0 = tt.expand_dims %r_1 {axis = 1} : tensor<16x1xi32>
      %r1_1 = tt.expand_dims %r_3 {axis = 1} : tensor<16x1xi32>
      %c1 = tt.expand_dims %r_4 {axis = 0} : tensor<1x16xi32>
      %c1_0 = tt.expand_dims %r_0 {axis = 0} : tensor<1x16xi32>
      %c1_1 = tt.expand_dims %r_2 {axis = 0} : tensor<1x16xi32>
      %c16 = arith.constant dense<16> : tensor<16x1xi32>
      %c16_0 = arith.constant dense<16> : tensor<16x1xi32>
      %c16_1 = arith.constant dense<16> : tensor<16x1xi32>
      %r2 = arith.muli %r1, %c16 : tensor<16x1xi32>
      %r2_0 = arith.muli %r1_0, %c16_0 : tensor<16x1xi32>
      %r2_1 = arith.muli %r1_1, %c16_1 : tensor<16x1xi32>
      %r3 = tt.broadcast %r2 : tensor<16x16xi32>
      %r3_0 = tt.broadcast %r2_0 : tensor<16x16xi32>
      %r3_1 = tt.broadcast %r2_1 : tensor<16x16xi32>
      %c2 = tt.broadcast %c1 : tensor<16x16xi32>
      %c2_0 = tt.broadcast %c1_0 : tensor<16x16xi32>
      %c2_1 = tt.broadcast %c1_1 : tensor<16x16xi32>
      %offs = arith.addi %r3, %c2 : tensor<16x16xi32>
      %offs_0 = arith.addi %r3_0, %c2_0 : tensor<16x16xi32>
      %offs_1 = arith.addi %r3_1, %c2_1 : tensor<16x16xi32>
      %xs = tt.splat %x : tensor<16x16x!tt.ptr<f16>>
      %p = tt.addptr %xs, %offs : tensor<16x16x!tt.ptr<f16>>
      %a = tt.load %p {vector = 4} : tensor<16x16xf16>
      %ys = tt.splat %y : tensor<16x16x!tt.ptr<f16>>
      %q = tt.addptr %ys, %offs_1 : tensor<16x16x!tt.ptr<f16>>
      %zero = arith.constant dense<0.0> : tensor<16x16xf32>
      %0 = arith.extf %a : tensor<16x16xf32>
      %1 = ttg.local_alloc : !ttg.memdesc<16x8xf32, order = [0, 1], pad = 4>
      ttg.local_store %0, %1 {slice = [0, 0]}
      %2 = ttg.local_alloc : !ttg.memdesc<16x8xf32, order = [0, 1], pad = 4>
      ttg.local_store %0, %2 {slice = [0, 8]}
      %sum = scf.for %c0_i32, %n, %c16_i32, %zero : tensor<16x16xf32> {
      ^(%i: i32, %acc: tensor<16x16xf32>):
        %is = tt.splat %i : tensor<16x16xi32>
        %qi = tt.addptr %q, %is : tensor<16x16x!tt.ptr<f16>>
        %b = tt.load %qi {vector = 4} : tensor<16x16xf16>
        %3 = arith.extf %b : tensor<16x16xf32>
        %4 = ttg.local_alloc : !ttg.memdesc<8x16xf32, order = [1, 0], pad = 4>
        ttg.local_store %3, %4 {slice = [0, 0]}
        %5 = tt.dot %1, %4, %acc {inputPrecision = "ieee", unroll = 8} : tensor<16x16xf32>
        ttg.local_store %3, %4 {slice = [8, 0]}
        %d = tt.dot %2, %4, %5 {inputPrecision = "ieee", unroll = 8} : tensor<16x16xf32>
        scf.yield %d
      }
      %zs = tt.splat %z : tensor<16x16x!tt.ptr<f32>>
      %o = tt.addptr %zs, %offs_0 : tensor<16x16x!tt.ptr<f32>>
      tt.store %o, %sum {vector = 4}
      tt.return
    }
    "
  `);
});

test('fragments of the left operand are loaded before the loop that does not change it', () => {
  const choices = { threads: 16, hoistedRegisters: 64 };
  const passes = [...PREPARED, set_vector_width, stage_operands];
  const text = after(DOTS, passes, choices, SMALL_MATRICES);
  expect(printIr(parseFunc(text))).toBe(text);
  const lines = plain(text).split('\n');
  expect(lines.filter((line) => /local_|fragments|tt.dot|scf/.test(line)).join('\n'))
    .toMatchInlineSnapshot(`
      "  %0 = ttg.local_alloc : !ttg.memdesc<16x16xf16, order = [1, 0], pad = 8, slabs = [0, 2]>
        ttg.local_store %a, %0 {slice = [0, 0]}
        %1 = ttg.load_fragments %0 : !ttg.fragments<16x16xf16, block = [8, 16], matrix = [8, 8], across = 2>
        %sum = scf.for %c0_i32, %n, %c16_i32, %zero : tensor<16x16xf32> {
          %cst = arith.constant 0.0 : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>
          %2 = ttg.local_alloc : !ttg.memdesc<16x16xf16, order = [1, 0], pad = 8, slabs = [1, 2]>
          ttg.local_store %b, %2 {slice = [0, 0]}
          %3 = tt.dot %1, %2, %cst {inputPrecision = "ieee", strategy = "matrices", matrix = [8, 8, 8], block = [8, 8], unroll = 8} : !ttg.fragments<16x16xf32, block = [8, 8], matrix = [8, 8]>
          %4 = ttg.read_fragments %3 : tensor<16x16xf32>
          scf.yield %d"
    `);
});
