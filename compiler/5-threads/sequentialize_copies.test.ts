/** sequentialize_copies by printed IR before and after: which values are copied, and where. */
import { expect, it } from 'vitest';
import { parseThreads } from '../ir/thread/parser';
import { printThreads } from '../ir/thread/printer';
import { assertValidThreads } from '../ir/thread/verifier';
import { sequentialize_copies } from './sequentialize_copies';

const kernel = (body: string): string => `thread.func @k(
  %x: memref<?xf32, storage> {group = 0, written = true},
  %n: u32 {word = {kind = "grid", axis = 0}}
) attributes {threads = 32} {
  %c0_u32 = thread.constant 0 : u32
  %c1_u32 = thread.constant 1 : u32
${body}  thread.return
}
`;
/** The lines that the pass adds and removes. */
function changes(body: string): string {
  const func = parseThreads(kernel(body));
  assertValidThreads(func, 'the test');
  const before = printThreads(func).split('\n');
  const changed = sequentialize_copies(func);
  assertValidThreads(func, 'sequentialize_copies');
  const after = printThreads(func).split('\n');
  expect(changed).toBe(before.join() !== after.join());
  // A second time there is nothing left to copy.
  expect(sequentialize_copies(func)).toBe(false);
  const removed = before.filter((line) => !after.includes(line)).map((line) => `-${line.slice(1)}`);
  const added = after.filter((line) => !before.includes(line)).map((line) => `+${line.slice(1)}`);
  return [...removed, ...added].join('\n');
}

/** A loop that carries two numbers, from 0 and 1. */
const loop = (
  body: string,
): string => `  %p, %q = thread.for %n, %c0_u32, %c1_u32 {test = "top"} : u32, u32 {
  ^(%k: u32, %a: u32, %b: u32):
${body}
  }
  %e = thread.load %x, %p : f32
  thread.store %x, %q, %e
`;

it('copies one of two carried values that a loop exchanges', () => {
  expect(changes(loop('    thread.yield %b, %a'))).toMatchInlineSnapshot(`
    "-   thread.yield %b, %a
    +   %next = thread.copy %a : u32
    +   thread.yield %b, %next"
  `);
});

it('copies a sum that reads a value which the step changes', () => {
  // Fibonacci's numbers: the sum would read the new %a.
  const step = '    %sum = thread.add %a, %b : u32\n    thread.yield %b, %sum';
  expect(changes(loop(step))).toMatchInlineSnapshot(`
    "-   thread.yield %b, %sum
    +   %next = thread.copy %sum : u32
    +   thread.yield %b, %next"
  `);
  // Assigned first, it reads the old one, and only the other has to be kept.
  const first = step.replace('%b, %sum', '%sum, %a');
  expect(changes(loop(first))).toMatchInlineSnapshot(`
    "-   thread.yield %sum, %a
    +   %next = thread.copy %a : u32
    +   thread.yield %sum, %next"
  `);
});

it('leaves sums in place, and values that nothing of the step changes', () => {
  const sums = '    %1 = thread.add %a, %n : u32\n    %2 = thread.mul %b, %n : u32\n';
  expect(changes(loop(`${sums}    thread.yield %1, %2`))).toBe('');
  expect(changes(loop('    thread.yield %n, %k'))).toBe('');
});

it('copies behind the condition of a loop, and in one branch of two', () => {
  const whiles = `  %v, %w = thread.while %c0_u32, %c1_u32 : u32, u32 {
  ^(%a: u32, %b: u32):
    %go = thread.lt %a, %n : bool
    thread.condition %go, %a, %b
  } do {
  ^(%c: u32, %d: u32):
    thread.yield %d, %c
  }
  %e = thread.load %x, %v : f32
  thread.store %x, %w, %e
`;
  expect(changes(whiles)).toMatchInlineSnapshot(`
    "-   thread.yield %d, %c
    +   %next = thread.copy %c : u32
    +   thread.yield %d, %next"
  `);
  const branch = `
    %go = thread.lt %k, %c1_u32 : bool
    %1, %2 = thread.if %go : u32, u32 {
      thread.yield %a, %b
    } else {
      thread.yield %b, %a
    }
    thread.yield %1, %2`;
  expect(changes(loop(branch))).toMatchInlineSnapshot(`
    "-     thread.yield %b, %a
    +     %next = thread.copy %a : u32
    +     thread.yield %b, %next"
  `);
});
