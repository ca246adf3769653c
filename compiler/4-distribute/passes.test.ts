/** Each pass on small kernels: printed IR before and after. */
import { describe, expect, test } from 'vitest';
import { parseFunc } from '../ir/parser';
import { printIr } from '../ir/printer';
import { assertValid } from '../ir/verifier';
import { BASELINE_TARGET, type Target } from '../target';
import { allocate_workgroup_memory } from './allocate_workgroup_memory';
import { assign_layouts } from './assign_layouts';
import { choose_threads } from './choose_threads';
import type { DistributePass } from './context';
import { type Choices, distributeContext } from './index';
import { place_barriers } from './place_barriers';
import { prefetch_loads } from './prefetch_loads';
import { remove_conversions } from './remove_conversions';
import { scalarize_carried_offsets } from './scalarize_carried_offsets';
import { set_vector_width } from './set_vector_width';
import { stage_dots } from './stage_dots';

/** Lanes of 4, so that layouts are short to read. */
const SMALL: Target = { ...BASELINE_TARGET, name: 'small', subgroupSize: 4 };

/** The function after the last pass; the ones before it only prepare. */
function after(
  text: string,
  passes: readonly DistributePass[],
  choices: Partial<Choices> = {},
  target = SMALL,
): string {
  const func = parseFunc(text);
  assertValid(func, 'parsing');
  const context = distributeContext(target, 1, choices);
  for (const pass of passes) {
    pass(func, context);
    assertValid(func, pass.name);
  }
  return printIr(func);
}

const COPY = `tt.func @copy(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32>) {
  %range = tt.make_range {start = 0, end = 64} : tensor<64xi32>
  %xs = tt.splat %x : tensor<64x!tt.ptr<f32>>
  %from = tt.addptr %xs, %range : tensor<64x!tt.ptr<f32>>
  %ys = tt.splat %y : tensor<64x!tt.ptr<f32>>
  %to = tt.addptr %ys, %range : tensor<64x!tt.ptr<f32>>
  %v = tt.load %from : tensor<64xf32>
  tt.store %to, %v
  tt.return
}
`;

describe('choose_threads', () => {
  test('writes the workgroup and subgroup size', () => {
    expect(after(COPY, [choose_threads]).split('\n')[0]).toMatchInlineSnapshot(
      `"tt.func @copy(%x: !tt.ptr<f32> {tt.divisibility = 16}, %y: !tt.ptr<f32>) attributes {threads = 32, subgroupSize = 4} {"`,
    );
  });
  test.each([
    [
      'a workgroup smaller than a subgroup has no lanes',
      { subgroupSize: 128, maxInvocations: 64 },
      64,
      0,
    ],
    ['at least a subgroup', { subgroupSize: 64 }, 64, 64],
    ['no subgroups', { subgroupSize: 'none' }, 32, 0],
  ] as const)('%s', (_, limits, threads, subgroupSize) => {
    const text = after(COPY, [choose_threads], {}, { ...SMALL, ...limits });
    expect(text).toContain(`{threads = ${threads}, subgroupSize = ${subgroupSize}}`);
  });
});

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

const PREPARED = [choose_threads, assign_layouts] as const;

describe('assign_layouts', () => {
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
});

test('set_vector_width: by alignment, contiguity and mask', () => {
  const text = `tt.func @widths(%x: !tt.ptr<f16> {tt.divisibility = 16}, %y: !tt.ptr<f16>, %n: i32 {tt.divisibility = 16}, %m: i32) {
  %range = tt.make_range {start = 0, end = 256} : tensor<256xi32>
  %xs = tt.splat %x : tensor<256x!tt.ptr<f16>>
  %p = tt.addptr %xs, %range : tensor<256x!tt.ptr<f16>>
  %ns = tt.splat %n : tensor<256xi32>
  %even = arith.cmpi %range, %ns {predicate = "slt"} : tensor<256xi1>
  %ms = tt.splat %m : tensor<256xi32>
  %odd = arith.cmpi %range, %ms {predicate = "slt"} : tensor<256xi1>
  %ys = tt.splat %y : tensor<256x!tt.ptr<f16>>
  %q = tt.addptr %ys, %range : tensor<256x!tt.ptr<f16>>
  %a = tt.load %p, %even : tensor<256xf16>
  %b = tt.load %p, %odd : tensor<256xf16>
  %c = tt.load %q : tensor<256xf16>
  %d = arith.addf %a, %b : tensor<256xf16>
  %e = arith.addf %c, %d : tensor<256xf16>
  tt.store %p, %e
  tt.return
}
`;
  const printed = after(text, [...PREPARED, set_vector_width]);
  const widths = printed.split('\n').filter((line) => /tt\.(load|store)/.test(line));
  expect(widths.map((line) => line.trim().replace(/ : .*/, ''))).toMatchInlineSnapshot(`
    [
      "%a = tt.load %p, %even {vector = 8}",
      "%b = tt.load %p, %odd {vector = 1, run = 8}",
      "%c = tt.load %q {vector = 1}",
      "tt.store %p, %e {vector = 8}",
    ]
  `);
});

const DOTS = `tt.func @dots(%x: !tt.ptr<f16> {tt.divisibility = 16}, %y: !tt.ptr<f16> {tt.divisibility = 16}, %z: !tt.ptr<f32> {tt.divisibility = 16}, %n: i32) {
  %c0_i32 = arith.constant 0 : i32
  %c16_i32 = arith.constant 16 : i32
  %r = tt.make_range {start = 0, end = 16} : tensor<16xi32>
  %r1 = tt.expand_dims %r {axis = 1} : tensor<16x1xi32>
  %c1 = tt.expand_dims %r {axis = 0} : tensor<1x16xi32>
  %c16 = arith.constant dense<16> : tensor<16x1xi32>
  %r2 = arith.muli %r1, %c16 : tensor<16x1xi32>
  %r3 = tt.broadcast %r2 : tensor<16x16xi32>
  %c2 = tt.broadcast %c1 : tensor<16x16xi32>
  %offs = arith.addi %r3, %c2 : tensor<16x16xi32>
  %xs = tt.splat %x : tensor<16x16x!tt.ptr<f16>>
  %p = tt.addptr %xs, %offs : tensor<16x16x!tt.ptr<f16>>
  %a = tt.load %p : tensor<16x16xf16>
  %ys = tt.splat %y : tensor<16x16x!tt.ptr<f16>>
  %q = tt.addptr %ys, %offs : tensor<16x16x!tt.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %sum = scf.for %c0_i32, %n, %c16_i32, %zero : tensor<16x16xf32> {
  ^(%i: i32, %acc: tensor<16x16xf32>):
    %is = tt.splat %i : tensor<16x16xi32>
    %qi = tt.addptr %q, %is : tensor<16x16x!tt.ptr<f16>>
    %b = tt.load %qi : tensor<16x16xf16>
    %d = tt.dot %a, %b, %acc {inputPrecision = "ieee"} : tensor<16x16xf32>
    scf.yield %d
  }
  %zs = tt.splat %z : tensor<16x16x!tt.ptr<f32>>
  %o = tt.addptr %zs, %offs : tensor<16x16x!tt.ptr<f32>>
  tt.store %o, %sum
  tt.return
}
`;
const onlyLoop = (text: string): string =>
  text.slice(text.lastIndexOf('\n', text.indexOf('scf.for')) + 1, text.lastIndexOf('  }\n') + 4);
/** Without layouts, which other tests are about. */
const plain = (text: string): string => text.replaceAll(/, #L\d+/g, '').replaceAll(/^#L.*\n/gm, '');

test('stage_dots: pieces of K; what a loop does not change is staged before it', () => {
  const text = after(DOTS, [...PREPARED, set_vector_width, stage_dots], { kPiece: 8 });
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

test('prefetch_loads: a tile whose place a table names is read ahead, and the table with it', () => {
  const named = DOTS.replace('%n: i32)', '%n: i32, %t: !tt.ptr<i32>)').replace(
    '%is = tt.splat %i',
    `%ti = tt.addptr %t, %i : !tt.ptr<i32>
    %place = tt.load %ti : i32
    %is = tt.splat %place`,
  );
  const passes = [...PREPARED, set_vector_width, stage_dots, prefetch_loads];
  for (const maskedAhead of [false, true]) {
    const loop = onlyLoop(after(named, passes, { kPiece: 8, prefetchWords: 32, maskedAhead }));
    // Both loads of an iteration stand in the branch that asks whether there is a next one.
    const [own, ahead] = loop.split('scf.if');
    expect(own).not.toContain('tt.load');
    expect(ahead?.match(/%place.* = tt\.load|%b.* = tt\.load/g)).toHaveLength(2);
  }
});

test('prefetch_loads: without a branch, a mask asks whether there is a next iteration', () => {
  const masked = DOTS.replace(
    '%b = tt.load %qi :',
    `%bound = tt.splat %n : tensor<16x16xi32>
    %in = arith.cmpi %is, %bound {predicate = "slt"} : tensor<16x16xi1>
    %b = tt.load %qi, %in :`,
  );
  const passes = [...PREPARED, set_vector_width, stage_dots, prefetch_loads];
  const choices = { kPiece: 16, prefetchWords: 32, maskedAhead: true };
  const ahead = (text: string): string[] => {
    const loop = onlyLoop(plain(after(text, passes, choices)));
    expect(loop).not.toContain('scf.if');
    const lines = loop
      .split('\n')
      .filter((line) => /ugt|tt\.load|andi|: tensor<16x16xi1>/.test(line));
    return lines.map((line) => line.trim());
  };
  expect(ahead(DOTS)).toMatchInlineSnapshot(`
    [
      "%8 = arith.cmpi %7, %c16_i32 {predicate = "ugt"} : i1",
      "%10 = tt.splat %8 : tensor<16x16xi1>",
      "%b_1 = tt.load %qi_0, %10 {vector = 4, ahead = true} : tensor<16x16xf16>",
    ]
  `);
  expect(ahead(masked)).toMatchInlineSnapshot(`
    [
      "%8 = arith.cmpi %7, %c16_i32 {predicate = "ugt"} : i1",
      "%in_0 = arith.cmpi %is_0, %bound_0 {predicate = "slt"} : tensor<16x16xi1>",
      "%10 = tt.splat %8 : tensor<16x16xi1>",
      "%11 = arith.andi %in_0, %10 : tensor<16x16xi1>",
      "%b_1 = tt.load %qi_0, %11 {vector = 4, ahead = true} : tensor<16x16xf16>",
    ]
  `);
});

/** Keys and values, whose places one table names. */
const PAGED = DOTS.replace('%n: i32)', '%n: i32, %t: !tt.ptr<i32>)')
  .replace(
    '%is = tt.splat %i',
    `%ti = tt.addptr %t, %i : !tt.ptr<i32>
    %place = tt.load %ti : i32
    %is = tt.splat %place`,
  )
  .replace(
    'scf.yield %d',
    `%pi = tt.addptr %p, %is : tensor<16x16x!tt.ptr<f16>>
    %v = tt.load %pi : tensor<16x16xf16>
    %e = tt.dot %a, %v, %d {inputPrecision = "ieee"} : tensor<16x16xf32>
    scf.yield %e`,
  );

test('prefetch_loads: a place that a table names for two loads is read once an iteration', () => {
  const passes = [...PREPARED, set_vector_width, stage_dots, prefetch_loads];
  const loopOf = (prefetchWords: number): string =>
    onlyLoop(after(PAGED, passes, { kPiece: 16, prefetchWords }));
  const places = (text: string): number => text.match(/%place\w* = tt\.load/g)?.length ?? 0;
  // The keys alone are loaded ahead: the place goes round for the values.
  const [body, ahead] = loopOf(4).split('scf.if') as [string, string];
  expect([places(body), places(ahead)]).toEqual([0, 1]);
  expect(body + ahead).toMatch(/%v\w* = tt\.load/);
  expect(ahead).toMatch(/scf\.yield %b\w*, %place/);
  // Both are: behind the values' staging the place is known.
  const [none, keys, values] = loopOf(32).split('scf.if') as [string, string, string];
  expect([places(none), places(keys), places(values)]).toEqual([0, 1, 0]);
  expect([keys, values].map((text) => text.match(/ = tt\.load/g)?.length)).toEqual([2, 1]);
  // Or both at once, where the keys' registers are free: the values' of this iteration are not yet.
  const atOnce = onlyLoop(
    after(PAGED, passes, { kPiece: 16, prefetchWords: 32, issueAtOnce: true }),
  );
  const branches = atOnce.split('scf.if');
  expect(branches.map((text) => text.match(/ = tt\.load/g)?.length ?? 0)).toEqual([0, 3]);
});

test('prefetch_loads: guarded by the loop, issued after the registers are free', () => {
  const passes = [...PREPARED, set_vector_width, stage_dots, prefetch_loads];
  expect(plain(after(DOTS, passes, { kPiece: 8, prefetchWords: 32 }))).toMatchInlineSnapshot(`
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
      %3 = arith.cmpi %c0_i32, %n {predicate = "slt"} : i1
      %4 = scf.if %3 : tensor<16x16xf16> {
        %is = tt.splat %c0_i32 : tensor<16x16xi32>
        %qi = tt.addptr %q, %is : tensor<16x16x!tt.ptr<f16>>
        %b = tt.load %qi {vector = 4, ahead = true} : tensor<16x16xf16>
        scf.yield %b
      } else {
        %cst = arith.constant dense<0.0> : tensor<16x16xf16>
        scf.yield %cst
      }
      %sum, %5 = scf.for %c0_i32, %n, %c16_i32, %zero, %4 : tensor<16x16xf32>, tensor<16x16xf16> {
      ^(%i: i32, %acc: tensor<16x16xf32>, %b_0: tensor<16x16xf16>):
        %6 = arith.extf %b_0 : tensor<16x16xf32>
        %7 = ttg.local_alloc : !ttg.memdesc<8x16xf32, order = [1, 0], pad = 4>
        ttg.local_store %6, %7 {slice = [0, 0]}
        %8 = tt.dot %1, %7, %acc {inputPrecision = "ieee", unroll = 8} : tensor<16x16xf32>
        ttg.local_store %6, %7 {slice = [8, 0]}
        %9 = arith.subi %n, %i : i32
        %10 = arith.cmpi %9, %c16_i32 {predicate = "ugt"} : i1
        %11 = scf.if %10 : tensor<16x16xf16> {
          %12 = arith.addi %i, %c16_i32 : i32
          %is_0 = tt.splat %12 : tensor<16x16xi32>
          %qi_0 = tt.addptr %q, %is_0 : tensor<16x16x!tt.ptr<f16>>
          %b_1 = tt.load %qi_0 {vector = 4, ahead = true} : tensor<16x16xf16>
          scf.yield %b_1
        } else {
          scf.yield %b_0
        }
        %d = tt.dot %2, %7, %8 {inputPrecision = "ieee", unroll = 8} : tensor<16x16xf32>
        scf.yield %d, %11
      }
      %zs = tt.splat %z : tensor<16x16x!tt.ptr<f32>>
      %o = tt.addptr %zs, %offs_0 : tensor<16x16x!tt.ptr<f32>>
      tt.store %o, %sum {vector = 4}
      tt.return
    }
    "
  `);
});

test('prefetch_loads: a carried offset advances once, before the loads; their barrier stands before them', () => {
  const carried = DOTS.replace('%n: i32)', '%n: i32, %by: i32)')
    .replace(
      '%sum = scf.for %c0_i32, %n, %c16_i32, %zero : tensor<16x16xf32>',
      () => '%sum, %last = scf.for %c0_i32, %n, %c16_i32, %zero, %c0_i32 : tensor<16x16xf32>, i32',
    )
    .replace('%acc: tensor<16x16xf32>)', '%acc: tensor<16x16xf32>, %at: i32)')
    .replace('tt.splat %i ', 'tt.splat %at ')
    .replace(
      'scf.yield %d',
      '%step = arith.muli %by, %c16_i32 : i32\n    %next = arith.addi %at, %step : i32\n    scf.yield %d, %next',
    );
  const passes = [...PREPARED, set_vector_width, stage_dots, prefetch_loads];
  const all = [...passes, allocate_workgroup_memory, place_barriers];
  const loop = onlyLoop(plain(after(carried, all, { kPiece: 16, prefetchWords: 32 })));
  const lines = loop
    .split('\n')
    .filter((line) => /barrier|local_store|%next|%step|= tt\.|yield/.test(line));
  expect(lines.map((line) => line.trim())).toMatchInlineSnapshot(`
    [
      "gpu.barrier",
      "ttg.local_store %5, %6 {slice = [0, 0]}",
      "gpu.barrier",
      "%step = arith.muli %by, %c16_i32 : i32",
      "%next = arith.addi %at, %step : i32",
      "%is_0 = tt.splat %next : tensor<16x16xi32>",
      "%qi_0 = tt.addptr %q, %is_0 : tensor<16x16x!tt.ptr<f16>>",
      "%b_1 = tt.load %qi_0 {vector = 4, ahead = true} : tensor<16x16xf16>",
      "scf.yield %b_1",
      "scf.yield %b_0",
      "%d = tt.dot %1, %6, %acc {inputPrecision = "ieee", unroll = 8} : tensor<16x16xf32>",
      "scf.yield %d, %next, %9",
    ]
  `);
});

test('place_barriers and allocate_workgroup_memory: two per piece, around the back edge too', () => {
  const passes = [...PREPARED, stage_dots, allocate_workgroup_memory, place_barriers];
  expect(onlyLoop(plain(after(DOTS, passes, { kPiece: 8, buffers: 1 })))).toMatchInlineSnapshot(`
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

test('place_barriers: with two buffers one is enough', () => {
  const passes = [...PREPARED, stage_dots, allocate_workgroup_memory, place_barriers];
  const printed = onlyLoop(plain(after(DOTS, passes, { kPiece: 4, buffers: 2 })));
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

test('remove_conversions: there and back, and before workgroup memory', () => {
  const text = `#L0 = #linear<{register = [[1]], lane = [[2], [4]], subgroup = [[8], [0], [0]]}>
#L1 = #linear<{register = [[8]], lane = [[1], [2]], subgroup = [[4], [0], [0]]}>
tt.func @k(%x: !tt.ptr<f32>) attributes {threads = 32, subgroupSize = 4} {
  %c = arith.constant dense<1.0> : tensor<16xf32, #L0>
  %d = ttg.convert_layout %c : tensor<16xf32, #L1>
  %e = ttg.convert_layout %d : tensor<16xf32, #L0>
  %m = ttg.local_alloc : !ttg.memdesc<16xf32, order = [0], pad = 4>
  ttg.local_store %d, %m
  %xs = tt.splat %x : tensor<16x!tt.ptr<f32>, #L0>
  tt.store %xs, %e
  tt.return
}
`;
  expect(after(text, [remove_conversions])).toMatchInlineSnapshot(`
    "#L0 = #linear<{register = [[1]], lane = [[2], [4]], subgroup = [[8], [0], [0]]}>
    tt.func @k(%x: !tt.ptr<f32>) attributes {threads = 32, subgroupSize = 4} {
      %c = arith.constant dense<1.0> : tensor<16xf32, #L0>
      %m = ttg.local_alloc : !ttg.memdesc<16xf32, order = [0], pad = 4>
      ttg.local_store %c, %m
      %xs = tt.splat %x : tensor<16x!tt.ptr<f32>, #L0>
      tt.store %xs, %c
      tt.return
    }
    "
  `);
});

test('place_barriers: on a software adapter a store waits for what others load from its tensor', () => {
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
  const passes = [choose_threads, assign_layouts, allocate_workgroup_memory, place_barriers];
  const barriers = (text: string, target: Target): number =>
    after(text, passes, { threads: 16 }, target).split('gpu.barrier').length - 1;
  const software = { ...SMALL, name: 'SwiftShader' };
  expect(barriers(reverse, software)).toBe(1);
  // A thread's own elements; threads of a GPU; one subgroup alone.
  expect(barriers(reverse.replace('load %from', 'load %to'), software)).toBe(0);
  expect(barriers(reverse, SMALL)).toBe(0);
  expect(barriers(reverse, { ...software, subgroupSize: 16 })).toBe(0);
});
