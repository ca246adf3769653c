/** Barriers before stores on software adapters. */
import { CPU_FACTS } from '../machine';
import { expect, test } from 'vitest';
import type { Target } from '../target';
import { choose_threads } from './choose_threads';
import { propagate_layouts } from './propagate_layouts';
import { insert_barriers } from './insert_barriers';
import { allocate_shared_memory } from './allocate_shared_memory';
import { order_stores } from './order_stores';
import { SMALL, after } from './testing/passes';

/** Reverses a tensor in place: a thread stores where another one loads. */
const REVERSE = `tt.func @reverse(%x: !tt.ptr<f32>) {
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
/** Adds a number to itself in memory: every thread loads it, one stores it. */
const SCALAR = `tt.func @double(%x: !tt.ptr<f32>) {
  %v = tt.load %x : f32
  %sum = arith.addf %v, %v : f32
  tt.store %x, %sum
  tt.return
}`;
const BEFORE = [choose_threads, propagate_layouts, allocate_shared_memory, insert_barriers];
const SOFTWARE: Target = { ...SMALL, name: 'SwiftShader', machine: CPU_FACTS };

test('prints a barrier between the load and the store of a reversal in place', () => {
  const ir = (passes: typeof BEFORE): string => after(REVERSE, passes, { threads: 16 }, SOFTWARE);
  expect(ir(BEFORE)).toMatchInlineSnapshot(`
    "#L0 = #linear<{register = [[16], [32]], lane = [[1], [2]], subgroup = [[4], [8]]}>
    tt.func @reverse(%x: !tt.ptr<f32>) attributes {threads = 16, subgroupSize = 4, scalarizedRegisters = 16, workgroupBytes = 0, histogramBytes = 0} {
      %i = tt.make_range {start = 0, end = 64} : tensor<64xi32, #L0>
      %last = arith.constant dense<63> : tensor<64xi32, #L0>
      %back = arith.subi %last, %i : tensor<64xi32, #L0>
      %xs = tt.splat %x : tensor<64x!tt.ptr<f32>, #L0>
      %from = tt.addptr %xs, %back : tensor<64x!tt.ptr<f32>, #L0>
      %to = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>, #L0>
      %v = tt.load %from : tensor<64xf32, #L0>
      tt.store %to, %v
      tt.return
    }
    "
  `);
  expect(ir([...BEFORE, order_stores])).toMatchInlineSnapshot(`
    "#L0 = #linear<{register = [[16], [32]], lane = [[1], [2]], subgroup = [[4], [8]]}>
    tt.func @reverse(%x: !tt.ptr<f32>) attributes {threads = 16, subgroupSize = 4, scalarizedRegisters = 16, workgroupBytes = 0, histogramBytes = 0} {
      %i = tt.make_range {start = 0, end = 64} : tensor<64xi32, #L0>
      %last = arith.constant dense<63> : tensor<64xi32, #L0>
      %back = arith.subi %last, %i : tensor<64xi32, #L0>
      %xs = tt.splat %x : tensor<64x!tt.ptr<f32>, #L0>
      %from = tt.addptr %xs, %back : tensor<64x!tt.ptr<f32>, #L0>
      %to = tt.addptr %xs, %i : tensor<64x!tt.ptr<f32>, #L0>
      %v = tt.load %from : tensor<64xf32, #L0>
      gpu.barrier
      tt.store %to, %v
      tt.return
    }
    "
  `);
});

test('on a software adapter a store waits for what others load from its tensor', () => {
  const barriers = (text: string, target: Target): number =>
    after(text, [...BEFORE, order_stores], { threads: 16 }, target).split('gpu.barrier').length - 1;
  expect(barriers(REVERSE, SOFTWARE)).toBe(1);
  // Fewer elements than threads; a scalar.
  const small = REVERSE.replace('load %from', 'load %to').replaceAll('64', '8');
  expect(barriers(small, SOFTWARE)).toBe(1);
  expect(barriers(SCALAR, SOFTWARE)).toBe(1);
  // A thread's own elements; threads of a GPU; one subgroup alone.
  expect(barriers(REVERSE.replace('load %from', 'load %to'), SOFTWARE)).toBe(0);
  expect(barriers(REVERSE, SMALL)).toBe(0);
  expect(barriers(REVERSE, { ...SOFTWARE, subgroupSize: 16 })).toBe(0);
});
