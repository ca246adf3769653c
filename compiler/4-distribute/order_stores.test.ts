/** Barriers before stores on software adapters. */
import { expect, test } from 'vitest';
import type { Target } from '../target';
import { choose_threads } from './choose_threads';
import { propagate_layouts } from './propagate_layouts';
import { insert_barriers } from './insert_barriers';
import { allocate_shared_memory } from './allocate_shared_memory';
import { order_stores } from './order_stores';
import { SMALL, after } from './testing/passes';

test('on a software adapter a store waits for what others load from its tensor', () => {
  const reverse = `tt.func @reverse(%x: !tt.ptr<f32>) {
    %i = tt.make_range {start = 0, end = 64} : tensor<64xi32>
    %last = arith.constant 63 : tensor<64xi32>
    %back = arith.subi %last, %i : tensor<64xi32>
    %xs = tt.splat %x : tensor<64x!tt.ptr<f32>>
    %from = tt.addptr %xs, %back : tensor<64x!tt.ptr<f32>>
    %to = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>>
    %v = tt.load %from : tensor<64xf32>
    tt.store %to, %v
    tt.return
  }`;
  const passes = [
    choose_threads,
    propagate_layouts,
    allocate_shared_memory,
    insert_barriers,
    order_stores,
  ];
  const barriers = (text: string, target: Target): number =>
    after(text, passes, { threads: 16 }, target).split('gpu.barrier').length - 1;
  const software = { ...SMALL, name: 'SwiftShader' };
  expect(barriers(reverse, software)).toBe(1);
  // A thread's own elements; threads of a GPU; one subgroup alone.
  expect(barriers(reverse.replace('load %from', 'load %to'), software)).toBe(0);
  expect(barriers(reverse, SMALL)).toBe(0);
  expect(barriers(reverse, { ...software, subgroupSize: 16 })).toBe(0);
});
