/** lower_tiles by printed IR: a masked copy, with and without bounds guards. */
import { expect, it } from 'vitest';
import { parseFunc } from '../ir/parser';
import { printThreads } from '../ir/thread/printer';
import { verifyThreads } from '../ir/thread/verifier';
import { BASELINE_TARGET } from '../target';
import { lower_tiles } from './lower_tiles';
import { distribute, requestFor } from './testing/run';

/** Each thread has four elements of a tile of 128: a run that one access reads. */
const COPY = `
tt.func @copy(%x: !tt.ptr<f32> {tt.divisibility = 16}, %n: i32 {tt.divisibility = 16}) {
  %at = tt.make_range {start = 0, end = 128} : tensor<128xi32>
  %sizes = tt.splat %n : tensor<128xi32>
  %mask = arith.cmpi %at, %sizes {predicate = "slt"} : tensor<128xi1>
  %xs = tt.splat %x : tensor<128x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<128x!tt.ptr<f32>>
  %v = tt.load %p, %mask : tensor<128xf32>
  %w = arith.addf %v, %v : tensor<128xf32>
  tt.store %p, %w, %mask
  tt.return
}`;

function lowered(checkBounds: boolean): string {
  const launch = { options: { checkBounds }, numWarps: 1 };
  const func = distribute(parseFunc(COPY), BASELINE_TARGET, launch);
  const { func: threads } = lower_tiles(func, requestFor(func, BASELINE_TARGET, launch));
  return printThreads(threads);
}

it('gives each register its arithmetic, and each run one access', () => {
  expect(lowered(false)).toMatchInlineSnapshot(`
    "thread.func @copy(
      %x: memref<?xvec4<f32>, storage> {group = 0, written = true},
      %offset: u32 {word = {kind = "offset", path = [0]}},
      %argument: u32 {word = {kind = "scalar", path = [1], dtype = "i32", word = 0}}
    ) attributes {threads = 32} {
      %c32_u32 = thread.constant 32 : u32
      %c4_u32 = thread.constant 4 : u32
      %c0_i32 = thread.constant 0 : i32
      %false = thread.constant false : bool
      %cst = thread.constant 0.0 : f32
      %cst_0 = thread.constant 0.0 : vec4<f32>
      %x_start = thread.convert %offset : i32
      %n = thread.convert %argument : i32
      %tid = thread.thread_id : u32
      %at = thread.mul %tid, %c4_u32 : u32
      %at_0 = thread.convert %at : i32
      %mask = thread.lt %at_0, %n : bool
      %p = thread.add %x_start, %at_0 : i32
      %v = thread.if %mask : vec4<f32> {
        %0 = thread.convert %p : u32
        %1 = thread.div %0, %c4_u32 : u32
        %load = thread.load %x, %1 : vec4<f32>
        %2 = thread.extract %load {index = 3} : f32
        %3 = thread.extract %load {index = 2} : f32
        %4 = thread.extract %load {index = 1} : f32
        %5 = thread.extract %load {index = 0} : f32
        thread.yield %load
      } else {
        thread.yield %cst_0
      }
      %6 = thread.extract %v {index = 3} : f32
      %7 = thread.extract %v {index = 2} : f32
      %8 = thread.extract %v {index = 1} : f32
      %9 = thread.extract %v {index = 0} : f32
      %w = thread.add %9, %9 : f32
      %w_0 = thread.add %8, %8 : f32
      %w_1 = thread.add %7, %7 : f32
      %w_2 = thread.add %6, %6 : f32
      thread.if %mask {
        %10 = thread.convert %p : u32
        %11 = thread.div %10, %c4_u32 : u32
        %12 = thread.construct %w, %w_0, %w_1, %w_2 : vec4<f32>
        thread.store %x, %11, %12
        thread.yield
      } else {
        thread.yield
      }
      thread.return
    }
    "
  `);
});

it('gives a run a guard of its own, with what it reports', () => {
  const text = lowered(true);
  expect(text).toContain('thread.report_guards %program_index');
  const guarded = text.slice(text.indexOf('%distance ='), text.indexOf('%w ='));
  expect(guarded).toMatchInlineSnapshot(`
    "%distance = thread.convert %5 : u32
      %6 = thread.guard %mask, %true, %distance, %whole, %length {access = 0, half = 0, by = "length", vector = 4, times = 1, operation = 0} : bool
      %v = thread.if %6 : vec4<f32> {
        %7 = thread.convert %p : u32
        %8 = thread.div %7, %c4_u32 : u32
        %load = thread.load %x, %8 : vec4<f32>
        %9 = thread.extract %load {index = 3} : f32
        %10 = thread.extract %load {index = 2} : f32
        %11 = thread.extract %load {index = 1} : f32
        %12 = thread.extract %load {index = 0} : f32
        thread.yield %load
      } else {
        thread.yield %cst_0
      }
      %13 = thread.extract %v {index = 3} : f32
      %14 = thread.extract %v {index = 2} : f32
      %15 = thread.extract %v {index = 1} : f32
      %16 = thread.extract %v {index = 0} : f32
      "
  `);
});

/** A loop that ends at a maximum, and reduces in its body. */
const REDUCED = `
tt.func @sums(%x: !tt.ptr<i32> {tt.divisibility = 16}) {
  %at = tt.make_range {start = 0, end = 32} : tensor<32xi32>
  %xs = tt.splat %x : tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %xs, %at : tensor<32x!tt.ptr<i32>>
  %v = tt.load %p : tensor<32xi32>
  %end = tt.reduce %v {axis = 0} : i32 {
  ^(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tt.reduce.return %c
  }
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %zero, %end, %one {
  ^(%i: i32):
    %w = tt.load %p : tensor<32xi32>
    %sum = tt.reduce %w {axis = 0} : i32 {
    ^(%d: i32, %e: i32):
      %f = arith.addi %d, %e : i32
      tt.reduce.return %f
    }
    tt.store %x, %sum
    scf.yield
  }
  tt.return
}`;

it('takes the first lane for a bound on which operations of a subgroup depend', () => {
  const target = { ...BASELINE_TARGET, subgroupSize: 32 } as const;
  const launch = { numWarps: 1 };
  const func = distribute(parseFunc(REDUCED), target, launch);
  const { func: threads } = lower_tiles(func, requestFor(func, target, launch));
  expect(verifyThreads(threads)).toEqual([]);
  expect(printThreads(threads)).toContain('thread.subgroup_shuffle ');
});

/** A loop to a loaded end; each thread reduces rows of its own in its body. */
const REDUCED_IN_THREADS = `
tt.func @sums(%x: !tt.ptr<i32> {tt.divisibility = 16}) {
  %end = tt.load %x : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %at = tt.make_range {start = 0, end = 32} : tensor<32xi32>
  %xs = tt.splat %x : tensor<32x!tt.ptr<i32>>
  %p = tt.addptr %xs, %at : tensor<32x!tt.ptr<i32>>
  scf.for %zero, %end, %one {
  ^(%i: i32):
    %rows = tt.splat %i : tensor<32x1xi32>
    %sum = tt.reduce %rows {axis = 1} : tensor<32xi32> {
    ^(%d: i32, %e: i32):
      %f = arith.addi %d, %e : i32
      tt.reduce.return %f
    }
    tt.store %p, %sum
    scf.yield
  }
  tt.return
}`;

it('takes no lane where the size of subgroups is not known', () => {
  const launch = { numWarps: 1 };
  const func = distribute(parseFunc(REDUCED_IN_THREADS), BASELINE_TARGET, launch);
  const { func: threads } = lower_tiles(func, requestFor(func, BASELINE_TARGET, launch));
  expect(verifyThreads(threads)).toEqual([]);
  expect(printThreads(threads)).not.toContain('subgroup_shuffle');
});
