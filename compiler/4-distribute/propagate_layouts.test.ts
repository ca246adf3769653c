/** Layouts of small kernels, and where they are converted. */
import { describe, expect, test } from 'vitest';
import { parseFunc } from '../ir/parser';
import { checkContract } from './testing/checkContract';
import { COPY, PREPARED, SMALL, after } from './testing/passes';

describe('propagate_layouts', () => {
  test('a copy: runs of 16 bytes, neighbouring threads', () => {
    expect(after(COPY, PREPARED)).toMatchInlineSnapshot(`
      "#L0 = #linear<{register = [[1]], lane = [[2], [4]], subgroup = [[8], [16], [32]]}>
      tt.func @copy(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32>) attributes {threads = 32, subgroupSize = 4} {
        %range = tt.make_range {start = 0, end = 64} : tensor<64xi32, #L0>
        %xs = tt.splat %x : tensor<64x!tt.ptr<f32>, #L0>
        %from = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>, #L0>
        %ys = tt.splat %y : tensor<64x!tt.ptr<f32>, #L0>
        %to = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>, #L0>
        %v = tt.load %from : tensor<64xf32, #L0>
        tt.store %to, %v
        tt.return
      }
      "
    `);
  });

  test('a row reduction is broadcast back without a conversion', () => {
    const text = `tt.func @rows(%x: !tt.ptr<f32> {tt.divisibility = 16}) {
  %r = tt.make_range {start = 0, end = 8} : tensor<8xi32>
  %c = tt.make_range {start = 0, end = 16} : tensor<16xi32>
  %r1 = tt.expand_dims %r {axis = 1} : tensor<8x1xi32>
  %c1 = tt.expand_dims %c {axis = 0} : tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<8x1xi32>
  %r2 = arith.muli %r1, %c16 : tensor<8x1xi32>
  %r3 = tt.broadcast %r2 : tensor<8x16xi32>
  %c2 = tt.broadcast %c1 : tensor<8x16xi32>
  %offs = arith.addi %r3, %c2 : tensor<8x16xi32>
  %xs = tt.splat %x : tensor<8x16x!tt.ptr<f32>>
  %p = tt.addptr %xs, %offs : tensor<8x16x!tt.ptr<f32>>
  %v = tt.load %p : tensor<8x16xf32>
  %sum = tt.reduce %v {axis = 1} : tensor<8xf32> {
  ^(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s
  }
  %s1 = tt.expand_dims %sum {axis = 1} : tensor<8x1xf32>
  %s2 = tt.broadcast %s1 : tensor<8x16xf32>
  %d = arith.divf %v, %s2 : tensor<8x16xf32>
  tt.store %p, %d
  tt.return
}
`;
    const printed = after(text, PREPARED);
    expect(printed).not.toContain('convert_layout');
    expect(printed).toMatchInlineSnapshot(`
      "#L0 = #linear<{register = [], lane = [[0], [0]], subgroup = [[1], [2], [4]]}>
      #L1 = #linear<{register = [[1], [2]], lane = [[4], [8]], subgroup = [[0], [0], [0]]}>
      #L2 = #linear<{register = [], lane = [[0, 0], [0, 0]], subgroup = [[1, 0], [2, 0], [4, 0]]}>
      #L3 = #linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8]], subgroup = [[0, 0], [0, 0], [0, 0]]}>
      #L4 = #linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8]], subgroup = [[1, 0], [2, 0], [4, 0]]}>
      tt.func @rows(%x: !tt.ptr<f32> {tt.divisibility = 16}) attributes {threads = 32, subgroupSize = 4} {
        %r = tt.make_range {start = 0, end = 8} : tensor<8xi32, #L0>
        %c = tt.make_range {start = 0, end = 16} : tensor<16xi32, #L1>
        %r1 = tt.expand_dims %r {axis = 1} : tensor<8x1xi32, #L2>
        %c1 = tt.expand_dims %c {axis = 0} : tensor<1x16xi32, #L3>
        %c16 = arith.constant dense<16> : tensor<8x1xi32, #L2>
        %r2 = arith.muli %r1, %c16 : tensor<8x1xi32, #L2>
        %r3 = tt.broadcast %r2 : tensor<8x16xi32, #L4>
        %c2 = tt.broadcast %c1 : tensor<8x16xi32, #L4>
        %offs = arith.addi %r3, %c2 : tensor<8x16xi32, #L4>
        %xs = tt.splat %x : tensor<8x16x!tt.ptr<f32>, #L4>
        %p = tt.addptr %xs, %offs : tensor<8x16x!tt.ptr<f32>, #L4>
        %v = tt.load %p : tensor<8x16xf32, #L4>
        %sum = tt.reduce %v {axis = 1} : tensor<8xf32, #L0> {
        ^(%a: f32, %b: f32):
          %s = arith.addf %a, %b : f32
          tt.reduce.return %s
        }
        %s1 = tt.expand_dims %sum {axis = 1} : tensor<8x1xf32, #L2>
        %s2 = tt.broadcast %s1 : tensor<8x16xf32, #L4>
        %d = arith.divf %v, %s2 : tensor<8x16xf32, #L4>
        tt.store %p, %d
        tt.return
      }
      "
    `);
  });

  test('indices are computed again in a second layout, loaded values are converted', () => {
    const text = `tt.func @turn(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32> {tt.divisibility = 16}) {
  %r = tt.make_range {start = 0, end = 16} : tensor<16xi32>
  %r1 = tt.expand_dims %r {axis = 1} : tensor<16x1xi32>
  %c1 = tt.expand_dims %r {axis = 0} : tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %r2 = arith.muli %r1, %c16 : tensor<16x1xi32>
  %r3 = tt.broadcast %r2 : tensor<16x16xi32>
  %c2 = tt.broadcast %c1 : tensor<16x16xi32>
  %offs = arith.addi %r3, %c2 : tensor<16x16xi32>
  %xs = tt.splat %x : tensor<16x16x!tt.ptr<f32>>
  %p = tt.addptr %xs, %offs : tensor<16x16x!tt.ptr<f32>>
  %v = tt.load %p : tensor<16x16xf32>
  %t = tt.trans %v {order = [1, 0]} : tensor<16x16xf32>
  %ys = tt.splat %y : tensor<16x16x!tt.ptr<f32>>
  %q = tt.addptr %ys, %offs : tensor<16x16x!tt.ptr<f32>>
  tt.store %q, %t
  tt.return
}
`;
    expect(after(text, PREPARED)).toMatchInlineSnapshot(`
      "#L0 = #linear<{register = [[8]], lane = [[0], [0]], subgroup = [[1], [2], [4]]}>
      #L1 = #linear<{register = [[1], [2]], lane = [[4], [8]], subgroup = [[0], [0], [0]]}>
      #L2 = #linear<{register = [[8, 0]], lane = [[0, 0], [0, 0]], subgroup = [[1, 0], [2, 0], [4, 0]]}>
      #L3 = #linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0]], subgroup = [[0, 0], [0, 0], [0, 0]]}>
      #L4 = #linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8]], subgroup = [[0, 0], [0, 0], [0, 0]]}>
      #L5 = #linear<{register = [[0, 8]], lane = [[0, 0], [0, 0]], subgroup = [[0, 1], [0, 2], [0, 4]]}>
      #L6 = #linear<{register = [[0, 1], [0, 2], [8, 0]], lane = [[0, 4], [0, 8]], subgroup = [[1, 0], [2, 0], [4, 0]]}>
      #L7 = #linear<{register = [[1, 0], [2, 0], [0, 8]], lane = [[4, 0], [8, 0]], subgroup = [[0, 1], [0, 2], [0, 4]]}>
      tt.func @turn(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32> {tt.divisibility = 16}) attributes {threads = 32, subgroupSize = 4} {
        %r = tt.make_range {start = 0, end = 16} : tensor<16xi32, #L0>
        %r_0 = tt.make_range {start = 0, end = 16} : tensor<16xi32, #L1>
        %r1 = tt.expand_dims %r {axis = 1} : tensor<16x1xi32, #L2>
        %r1_0 = tt.expand_dims %r_0 {axis = 1} : tensor<16x1xi32, #L3>
        %c1 = tt.expand_dims %r_0 {axis = 0} : tensor<1x16xi32, #L4>
        %c1_0 = tt.expand_dims %r {axis = 0} : tensor<1x16xi32, #L5>
        %c16 = arith.constant dense<16> : tensor<16x1xi32, #L2>
        %c16_0 = arith.constant dense<16> : tensor<16x1xi32, #L3>
        %r2 = arith.muli %r1, %c16 : tensor<16x1xi32, #L2>
        %r2_0 = arith.muli %r1_0, %c16_0 : tensor<16x1xi32, #L3>
        %r3 = tt.broadcast %r2 : tensor<16x16xi32, #L6>
        %r3_0 = tt.broadcast %r2_0 : tensor<16x16xi32, #L7>
        %c2 = tt.broadcast %c1 : tensor<16x16xi32, #L6>
        %c2_0 = tt.broadcast %c1_0 : tensor<16x16xi32, #L7>
        %offs = arith.addi %r3, %c2 : tensor<16x16xi32, #L6>
        %offs_0 = arith.addi %r3_0, %c2_0 : tensor<16x16xi32, #L7>
        %xs = tt.splat %x : tensor<16x16x!tt.ptr<f32>, #L6>
        %p = tt.addptr %xs, %offs : tensor<16x16x!tt.ptr<f32>, #L6>
        %v = tt.load %p : tensor<16x16xf32, #L6>
        %t = tt.trans %v {order = [1, 0]} : tensor<16x16xf32, #L7>
        %ys = tt.splat %y : tensor<16x16x!tt.ptr<f32>, #L7>
        %q = tt.addptr %ys, %offs_0 : tensor<16x16x!tt.ptr<f32>, #L7>
        tt.store %q, %t
        tt.return
      }
      "
    `);
  });

  test('conversions that nothing needs break the contract', () => {
    const conversions = (text: string): string[] => {
      const func =
        parseFunc(`#L0 = #linear<{register = [[1]], lane = [[2], [4]], subgroup = [[8], [0], [0]]}>
#L1 = #linear<{register = [[8]], lane = [[1], [2]], subgroup = [[4], [0], [0]]}>
tt.func @k(%x: !tt.ptr<f32>) attributes {threads = 32, subgroupSize = 4} {
  %c = arith.constant dense<1.0> : tensor<16xf32, #L0>
  %xs = tt.splat %x : tensor<16x!tt.ptr<f32>, #L1>
  ${text}
  tt.return
}
`);
      return checkContract(func, SMALL, false);
    };
    const there = '%d = ttg.convert_layout %c : tensor<16xf32, #L1>';
    const fault = ['ttg.convert_layout: not needed'];
    expect(conversions(`${there}\n  tt.store %xs, %d`)).toEqual([]);
    expect(conversions('%d = ttg.convert_layout %c : tensor<16xf32, #L0>')).toEqual(fault);
    const again = '%e = ttg.convert_layout %d : tensor<16xf32, #L0>';
    expect(conversions(`${there}\n  tt.store %xs, %d\n  ${again}`)).toEqual(fault);
    const memory = '%m = ttg.local_alloc : !ttg.memdesc<16xf32, order = [0], pad = 4>';
    expect(conversions(`${memory}\n  ${there}\n  ttg.local_store %d, %m`)).toEqual(fault);
  });
});
