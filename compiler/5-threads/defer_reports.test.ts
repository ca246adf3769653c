/** defer_reports by printed IR before and after. */
import { expect, it } from 'vitest';
import { parseThreads } from '../ir/thread/parser';
import { printThreads } from '../ir/thread/printer';
import { assertValidThreads } from '../ir/thread/verifier';
import { defer_reports } from './defer_reports';

/** A loop over the rows of a tensor; `facts` of its guard. */
const kernel = (facts: string, masksBranches: boolean): string => `thread.func @k(
  %x: memref<?xf32, storage> {group = 0, written = true},
  %length: u32 {word = {kind = "grid", axis = 0}},
  %m: u32 {word = {kind = "grid", axis = 1}}
) attributes {${masksBranches ? 'masksBranches = true, ' : ''}threads = 32} {
  %c0_u32 = thread.constant 0 : u32
  %c32_u32 = thread.constant 32 : u32
  %true = thread.constant true : bool
  %tid = thread.thread_id : u32
  %mask = thread.lt %tid, %m : bool
  thread.for %m {test = "top"} {
  ^(%k: u32):
    %row = thread.mul %k, %c32_u32 : u32
    %distance = thread.add %row, %tid : u32
    %some = thread.guard %mask, %true, %distance, %length, %length {access = 0, by = "length", half = 0, operation = 0, ${facts}times = 1, vector = 1} : bool
    %at = thread.select %some, %distance, %c0_u32 : u32
    %v = thread.load %x, %at : f32
    thread.store %x, %tid, %v
    thread.yield
  }
  thread.report_guards %m
  thread.return
}
`;
function after(facts: string, masksBranches: boolean): { text: string; changed: boolean } {
  const func = parseThreads(kernel(facts, masksBranches));
  assertValidThreads(func, 'the test');
  const changed = defer_reports(func);
  assertValidThreads(func, 'defer_reports');
  return { text: printThreads(func), changed };
}

it('keeps the least distance of a loop where branches are masked, and guards it at the end', () => {
  const { text, changed } = after('repeated = true, ', true);
  expect(changed).toBe(true);
  expect(text.slice(text.indexOf('  %mask'))).toMatchInlineSnapshot(`
    "  %mask = thread.lt %tid, %m : bool
      thread.for %m {test = "top"} {
      ^(%k: u32):
        %row = thread.mul %k, %c32_u32 : u32
        %distance = thread.add %row, %tid : u32
        %inside = thread.lt %distance, %length : bool
        %some = thread.and %mask, %inside : bool
        %at = thread.select %some, %distance, %c0_u32 : u32
        %0 = thread.load %least_0 : u32
        %1 = thread.sub %distance, %length : u32
        %2 = thread.select %mask, %1, %c4294967295_u32 : u32
        %3 = thread.min %0, %2 : u32
        thread.store %least_0, %3
        %v = thread.load %x, %at : f32
        thread.store %x, %tid, %v
        thread.yield
      }
      %4 = thread.load %least_0 : u32
      %5 = thread.ne %4, %c4294967295_u32 : bool
      %distance_0 = thread.add %4, %length : u32
      %6 = thread.guard %5, %true, %distance_0, %length, %length {access = 0, half = 0, by = "length", vector = 1, times = 1, operation = 0, counted = false, deferred = true} : bool
      thread.report_guards %m
      thread.return
    }
    "
  `);
});

it('defers the report of a predicated load on every adapter', () => {
  const { text, changed } = after('predicated = true, ', false);
  expect(changed).toBe(true);
  expect(text).toContain('deferred = true');
});

it('leaves other guards', () => {
  expect(after('repeated = true, ', false).changed).toBe(false);
  expect(after('', true).changed).toBe(false);
});
