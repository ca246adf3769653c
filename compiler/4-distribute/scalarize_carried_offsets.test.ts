/** Tiles of pointers that loops carry become scalar offsets. */
import { expect, test } from 'vitest';
import { scalarize_carried_offsets } from './scalarize_carried_offsets';
import { after } from './testing/passes';

test('scalarize_carried_offsets', () => {
  const text = `tt.func @walk(%x: !tt.ptr<f32>, %n: i32) {
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %range = tt.make_range {start = 0, end = 64} : tensor<64xi32>
  %xs = tt.splat %x : tensor<64x!tt.ptr<f32>>
  %start = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>
  %by = tt.splat %c64_i32 : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %last, %sum = scf.for %c0_i32, %n, %c64_i32, %start, %zero : tensor<64x!tt.ptr<f32>>, tensor<64xf32> {
  ^(%i: i32, %p: tensor<64x!tt.ptr<f32>>, %acc: tensor<64xf32>):
    %v = tt.load %p : tensor<64xf32>
    %next = arith.addf %acc, %v : tensor<64xf32>
    %moved = tt.addptr %p, %by : tensor<64x!tt.ptr<f32>>
    scf.yield %moved, %next
  }
  tt.store %last, %sum
  tt.return
}
`;
  expect(after(text, [scalarize_carried_offsets])).toMatchInlineSnapshot(`
    "tt.func @walk(%x: !tt.ptr<f32>, %n: i32) {
      %c0_i32 = arith.constant 0 : i32
      %c64_i32 = arith.constant 64 : i32
      %range = tt.make_range {start = 0, end = 64} : tensor<64xi32>
      %xs = tt.splat %x : tensor<64x!tt.ptr<f32>>
      %start = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>
      %zero = arith.constant dense<0.0> : tensor<64xf32>
      %c0_i32_0 = arith.constant 0 : i32
      %last, %sum = scf.for %c0_i32, %n, %c64_i32, %c0_i32_0, %zero : i32, tensor<64xf32> {
      ^(%i: i32, %p: i32, %acc: tensor<64xf32>):
        %0 = tt.splat %p : tensor<64xi32>
        %p_0 = tt.addptr %start, %0 : tensor<64x!tt.ptr<f32>>
        %v = tt.load %p_0 : tensor<64xf32>
        %next = arith.addf %acc, %v : tensor<64xf32>
        %1 = arith.addi %p, %c64_i32 : i32
        scf.yield %1, %next
      }
      %2 = tt.splat %last : tensor<64xi32>
      %3 = tt.addptr %start, %2 : tensor<64x!tt.ptr<f32>>
      tt.store %3, %sum
      tt.return
    }
    "
  `);
});

test('a tile that the loop also hands on stays a tile', () => {
  const text = `tt.func @last(%x: !tt.ptr<i32>, %n: i32) {
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %a = tt.make_range {start = 0, end = 64} : tensor<64xi32>
  %by = tt.splat %n : tensor<64xi32>
  %before, %now = scf.for %c0_i32, %n, %c1_i32, %a, %a : tensor<64xi32>, tensor<64xi32> {
  ^(%i: i32, %old: tensor<64xi32>, %p: tensor<64xi32>):
    %moved = arith.addi %p, %by : tensor<64xi32>
    scf.yield %p, %moved
  }
  %xs = tt.splat %x : tensor<64x!tt.ptr<i32>>
  %to = tt.addptr %xs, %now : tensor<64x!tt.ptr<i32>>
  tt.store %to, %before
  tt.return
}
`;
  expect(after(text, [scalarize_carried_offsets])).toContain(
    `    %0 = tt.splat %p : tensor<64xi32>
    %p_0 = arith.addi %a, %0 : tensor<64xi32>
    %1 = arith.addi %p, %n : i32
    scf.yield %p_0, %1`,
  );
});
