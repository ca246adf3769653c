/** merge_guards by printed IR before and after. */
import { expect, it } from 'vitest';
import { parseThreads } from '../ir/thread/parser';
import { printThreads } from '../ir/thread/printer';
import { assertValidThreads } from '../ir/thread/verifier';
import { merge_guards } from './merge_guards';

/** A load of a loop with its guard: `n` in names, from `offset` on. */
const load = (n: number, offset: string, mask: string): string => `
    %difference${n} = thread.sub ${offset}, %begin : i32
    %distance${n} = thread.convert %difference${n} : u32
    %some${n} = thread.guard ${mask}, %true, %distance${n}, %length, %length {access = 0, by = "length", half = 0, operation = 0, section = 0, times = 1, vector = 1} : bool
    %v${n} = thread.if %some${n} : f32 {
      %at${n} = thread.convert ${offset} : u32
      %load${n} = thread.load %x, %at${n} : f32
      thread.yield %load${n}
    } else {
      thread.yield %cst
    }`;
const kernel = (body: string): string => `thread.func @k(
  %x: memref<?xf32, storage> {group = 0, written = false},
  %out: memref<?xf32, storage> {group = 1, written = true},
  %length: u32 {word = {kind = "grid", axis = 0}},
  %m: u32 {word = {kind = "grid", axis = 1}}
) attributes {threads = 32} {
  %c8_i32 = thread.constant 8 : i32
  %begin = thread.constant 64 : i32
  %cst = thread.constant 0.0 : f32
  %true = thread.constant true : bool
  %tid = thread.thread_id : u32
  %mask = thread.lt %tid, %m : bool
  %near = thread.convert %tid : i32
  %far = thread.add %near, %c8_i32 : i32
  thread.for %m {test = "top"} {
  ^(%k: u32):
    %base = thread.convert %k : i32
    %p0 = thread.add %base, %near : i32
    %p1 = thread.add %base, %far : i32${body}
    thread.yield
  }
  thread.report_guards %m
  thread.return
}
`;
const SUM = `
    %sum = thread.add %v0, %v1 : f32
    thread.store %out, %tid, %sum`;

function after(body: string): { readonly text: string; readonly changed: boolean } {
  const func = parseThreads(kernel(body));
  assertValidThreads(func, 'the test');
  const changed = merge_guards(func);
  assertValidThreads(func, 'merge_guards');
  return { text: printThreads(func), changed };
}

it('tests the runs of a load in a loop by one range', () => {
  const { text, changed } = after(load(0, '%p0', '%true') + load(1, '%p1', '%true') + SUM);
  expect(changed).toBe(true);
  expect(text.slice(text.indexOf('  %far'))).toMatchInlineSnapshot(`
    "  %far = thread.add %near, %c8_i32 : i32
      %least = thread.min %near, %far : i32
      %0 = thread.max %near, %far : i32
      %1 = thread.sub %0, %least : i32
      %span = thread.convert %1 : u32
      %2 = thread.sub %length, %span : u32
      %3 = thread.lt %span, %length : bool
      %room = thread.select %3, %2, %c0_u32 : u32
      %from = thread.sub %least, %c64_i32 : i32
      thread.for %m {test = "top"} {
      ^(%k: u32):
        %base = thread.convert %k : i32
        %p0 = thread.add %base, %near : i32
        %p1 = thread.add %base, %far : i32
        %difference0 = thread.sub %p0, %c64_i32 : i32
        %distance0 = thread.convert %difference0 : u32
        %4 = thread.add %base, %from : i32
        %5 = thread.convert %4 : u32
        %within = thread.lt %5, %room : bool
        %v0, %v1 = thread.if %within : f32, f32 {
          %at0 = thread.convert %p0 : u32
          %load0 = thread.load %x, %at0 : f32
          %difference1 = thread.sub %p1, %c64_i32 : i32
          %distance1 = thread.convert %difference1 : u32
          %at1 = thread.convert %p1 : u32
          %load1 = thread.load %x, %at1 : f32
          thread.yield %load0, %load1
        } else {
          %some0 = thread.guard %true, %true, %distance0, %length, %length {access = 0, by = "length", half = 0, operation = 0, section = 0, times = 1, vector = 1} : bool
          %v0_0 = thread.if %some0 : f32 {
            %at0_0 = thread.convert %p0 : u32
            %load0_0 = thread.load %x, %at0_0 : f32
            thread.yield %load0_0
          } else {
            thread.yield %cst
          }
          %difference1_0 = thread.sub %p1, %c64_i32 : i32
          %distance1_0 = thread.convert %difference1_0 : u32
          %some1 = thread.guard %true, %true, %distance1_0, %length, %length {access = 0, by = "length", half = 0, operation = 0, section = 0, times = 1, vector = 1} : bool
          %v1_0 = thread.if %some1 : f32 {
            %at1_0 = thread.convert %p1 : u32
            %load1_0 = thread.load %x, %at1_0 : f32
            thread.yield %load1_0
          } else {
            thread.yield %cst
          }
          thread.yield %v0_0, %v1_0
        }
        %sum = thread.add %v0, %v1 : f32
        thread.store %out, %tid, %sum
        thread.yield
      }
      thread.report_guards %m
      thread.return
    }
    "
  `);
});

it('tests masks, and runs whose offsets the loop changes, one by one', () => {
  const square = '\n    %square = thread.mul %p0, %p0 : i32';
  const body = square + load(0, '%square', '%mask') + load(1, '%p1', '%true') + SUM;
  const { text } = after(body);
  const loop = text.slice(text.indexOf('    %square'), text.indexOf('} else {'));
  expect(loop).toMatchInlineSnapshot(`
    "    %square = thread.mul %p0, %p0 : i32
        %difference0 = thread.sub %square, %c64_i32 : i32
        %distance0 = thread.convert %difference0 : u32
        %difference1 = thread.sub %p1, %c64_i32 : i32
        %distance1 = thread.convert %difference1 : u32
        %0 = thread.lt %distance0, %length : bool
        %1 = thread.lt %distance1, %length : bool
        %2 = thread.and %0, %1 : bool
        %3 = thread.and %2, %mask : bool
        %v0, %v1 = thread.if %3 : f32, f32 {
          %at0 = thread.convert %square : u32
          %load0 = thread.load %x, %at0 : f32
          %at1 = thread.convert %p1 : u32
          %load1 = thread.load %x, %at1 : f32
          thread.yield %load0, %load1
        "
  `);
});

it('leaves a section with a store in it', () => {
  const store = '\n    thread.store %out, %tid, %cst';
  const body = load(0, '%p0', '%true') + store + load(1, '%p1', '%true') + SUM;
  expect(after(body).changed).toBe(false);
});
