/** Loads that are prefetched by an iteration, and what guards them. */
import { expect, test } from 'vitest';
import { set_vector_width } from './set_vector_width';
import { stage_operands } from './stage_operands';
import { allocate_shared_memory } from './allocate_shared_memory';
import { insert_barriers } from './insert_barriers';
import { pipeline_loads } from './pipeline_loads';
import { DOTS, PREPARED, SMALL_MATRICES, after, onlyLoop, plain } from './testing/passes';

test('a tile whose place a table names is prefetched, and the table with it', () => {
  const named = DOTS.replace('%n: i32)', '%n: i32, %t: !tt.ptr<i32>)').replace(
    '%is = tt.splat %i',
    `%ti = tt.addptr %t, %i : !tt.ptr<i32>
    %place = tt.load %ti : i32
    %is = tt.splat %place`,
  );
  const passes = [...PREPARED, set_vector_width, stage_operands, pipeline_loads];
  for (const predicatedPrefetch of [false, true]) {
    const loop = onlyLoop(
      after(named, passes, { kSlice: 8, prefetchRegisters: 32, predicatedPrefetch }),
    );
    // Both loads of an iteration stand in the branch that tests whether there is a next one.
    const [own, prefetch] = loop.split('scf.if');
    expect(own).not.toContain('tt.load');
    expect(prefetch?.match(/%place.* = tt\.load|%b.* = tt\.load/g)).toHaveLength(2);
  }
});

test('without a branch, a mask tests whether there is a next iteration', () => {
  const masked = DOTS.replace(
    '%b = tt.load %qi :',
    `%bound = tt.splat %n : tensor<16x16xi32>
    %in = arith.cmpi %is, %bound {predicate = "slt"} : tensor<16x16xi1>
    %b = tt.load %qi, %in :`,
  );
  const passes = [...PREPARED, set_vector_width, stage_operands, pipeline_loads];
  const choices = { kSlice: 16, prefetchRegisters: 32, predicatedPrefetch: true };
  const prefetch = (text: string): string[] => {
    const loop = onlyLoop(plain(after(text, passes, choices)));
    expect(loop).not.toContain('scf.if');
    const lines = loop
      .split('\n')
      .filter((line) => /ugt|tt\.load|andi|: tensor<16x16xi1>/.test(line));
    return lines.map((line) => line.trim());
  };
  expect(prefetch(DOTS)).toMatchInlineSnapshot(`
    [
      "%8 = arith.cmpi %7, %c16_i32 {predicate = "ugt"} : i1",
      "%10 = tt.splat %8 : tensor<16x16xi1>",
      "%b_1 = tt.load %qi_0, %10 {vector = 4, prefetched = true} : tensor<16x16xf16>",
    ]
  `);
  expect(prefetch(masked)).toMatchInlineSnapshot(`
    [
      "%8 = arith.cmpi %7, %c16_i32 {predicate = "ugt"} : i1",
      "%in_0 = arith.cmpi %is_0, %bound_0 {predicate = "slt"} : tensor<16x16xi1>",
      "%10 = tt.splat %8 : tensor<16x16xi1>",
      "%11 = arith.andi %in_0, %10 : tensor<16x16xi1>",
      "%b_1 = tt.load %qi_0, %11 {vector = 4, prefetched = true} : tensor<16x16xf16>",
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

test('a place that a table names for two loads is read once an iteration', () => {
  const passes = [...PREPARED, set_vector_width, stage_operands, pipeline_loads];
  const loopOf = (prefetchRegisters: number): string =>
    onlyLoop(after(PAGED, passes, { kSlice: 16, prefetchRegisters }));
  const places = (text: string): number => text.match(/%place\w* = tt\.load/g)?.length ?? 0;
  // The keys alone are prefetched: the place goes round for the values.
  const [body, prefetch] = loopOf(4).split('scf.if') as [string, string];
  expect([places(body), places(prefetch)]).toEqual([0, 1]);
  expect(body + prefetch).toMatch(/%v\w* = tt\.load/);
  expect(prefetch).toMatch(/scf\.yield %b\w*, %place/);
  // Both are: behind the values' staging the place is known.
  const [none, keys, values] = loopOf(32).split('scf.if') as [string, string, string];
  expect([places(none), places(keys), places(values)]).toEqual([0, 1, 0]);
  expect([keys, values].map((text) => text.match(/ = tt\.load/g)?.length)).toEqual([2, 1]);
  // Or both at once, where the keys' registers are free: the values' of this iteration are not yet.
  const atOnce = onlyLoop(
    after(PAGED, passes, { kSlice: 16, prefetchRegisters: 32, clusterLoads: true }),
  );
  const branches = atOnce.split('scf.if');
  expect(branches.map((text) => text.match(/ = tt\.load/g)?.length ?? 0)).toEqual([0, 3]);
});

test('guarded by the loop, issued after the registers are free', () => {
  const passes = [...PREPARED, set_vector_width, stage_operands, pipeline_loads];
  expect(plain(after(DOTS, passes, { kSlice: 8, prefetchRegisters: 32 }))).toMatchInlineSnapshot(`
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
        %b = tt.load %qi {vector = 4, prefetched = true} : tensor<16x16xf16>
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
          %b_1 = tt.load %qi_0 {vector = 4, prefetched = true} : tensor<16x16xf16>
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

test('a carried offset advances once, before the loads; their barrier stands before them', () => {
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
  const passes = [...PREPARED, set_vector_width, stage_operands, pipeline_loads];
  const all = [...passes, allocate_shared_memory, insert_barriers];
  const loop = onlyLoop(plain(after(carried, all, { kSlice: 16, prefetchRegisters: 32 })));
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
      "%b_1 = tt.load %qi_0 {vector = 4, prefetched = true} : tensor<16x16xf16>",
      "scf.yield %b_1",
      "scf.yield %b_0",
      "%d = tt.dot %1, %6, %acc {inputPrecision = "ieee", unroll = 8} : tensor<16x16xf32>",
      "scf.yield %d, %next, %9",
    ]
  `);
});

test('fragments for the loop are loaded behind its first tiles', () => {
  const passes = [...PREPARED, set_vector_width, stage_operands, pipeline_loads];
  const choices = { threads: 16, hoistedRegisters: 64, prefetchRegisters: 64 };
  const lines = plain(after(DOTS, passes, choices, SMALL_MATRICES)).split('\n');
  const order = lines.flatMap((line) => /scf\.if|scf\.for|load_fragments/.exec(line)?.[0] ?? []);
  expect(order).toEqual(['scf.if', 'load_fragments', 'scf.for', 'scf.if']);
});
