/**
 * Which tiles take registers with names, by kernels in a loop that carries one of their pointers.
 */
import { expect, test } from 'vitest';
import { parseFunc } from '../ir/parser';
import { largestNamed } from './loopForm';

/** Loads rows of 1024 from a pointer that the loop moves, and stores them through an argument. */
const rows = (
  target: 'x' | 'y',
): string => `tt.func @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c1024 = arith.constant 1024 : i32
  %range = tt.make_range {start = 0, end = 1024} : tensor<1024xi32>
  %r = scf.for %c0, %n, %c1, %x : !tt.ptr<f32> {
  ^(%i: i32, %row: !tt.ptr<f32>):
    %rows = tt.splat %row : tensor<1024x!tt.ptr<f32>>
    %from = tt.addptr %rows, %range : tensor<1024x!tt.ptr<f32>>
    %value = tt.load %from : tensor<1024xf32>
    %out = tt.splat %${target} : tensor<1024x!tt.ptr<f32>>
    %to = tt.addptr %out, %range : tensor<1024x!tt.ptr<f32>>
    tt.store %to, %value
    %next = tt.addptr %row, %c1024 : !tt.ptr<f32>
    scf.yield %next
  }
  tt.return
}
`;

test('a load through a pointer that a loop moves, from a tensor that is stored to', () => {
  expect(largestNamed(parseFunc(rows('y')))).toBe(0);
  expect(largestNamed(parseFunc(rows('x')))).toBe(1024);
});

test('a row that is broadcast outside of a loop has the registers of a row', () => {
  const func = parseFunc(`tt.func @k(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tt.make_range {start = 0, end = 64} : tensor<64xi32>
  %rows = tt.splat %x : tensor<64x!tt.ptr<f32>>
  %at = tt.addptr %rows, %range : tensor<64x!tt.ptr<f32>>
  %row = tt.load %at : tensor<64xf32>
  %one = tt.expand_dims %row {axis = 0} : tensor<1x64xf32>
  %all = tt.broadcast %one : tensor<32x64xf32>
  %out = tt.splat %y : tensor<32x64x!tt.ptr<f32>>
  %r = scf.for %c0, %n, %c1, %c0 : i32 {
  ^(%i: i32, %carried: i32):
    %twice = arith.addf %all, %all : tensor<32x64xf32>
    tt.store %out, %twice
    scf.yield %carried
  }
  tt.return
}
`);
  expect(largestNamed(func)).toBe(64);
});
