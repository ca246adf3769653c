/** eliminate_dead_registers by printed IR before and after. */
import { expect, it } from 'vitest';
import { parseThreads } from '../ir/thread/parser';
import { printThreads } from '../ir/thread/printer';
import { assertValidThreads } from '../ir/thread/verifier';
import { eliminate_dead_registers } from './eliminate_dead_registers';

const kernel = (body: string): string => `thread.func @k(
  %x: memref<?xf32, storage> {group = 0, written = true},
  %n: u32 {word = {kind = "grid", axis = 0}}
) attributes {threads = 32} {
${body}  thread.return
}
`;
/** The kernel after the pass, which says whether it changed it. */
function after(body: string): { readonly text: string; readonly changed: boolean } {
  const func = parseThreads(kernel(body));
  const changed = eliminate_dead_registers(func);
  assertValidThreads(func, 'eliminate_dead_registers');
  return { text: printThreads(func), changed };
}

it('removes a load that nothing uses, with its address', () => {
  const { text, changed } = after(`  %c0_u32 = thread.constant 0 : u32
  %tid = thread.thread_id : u32
  %at = thread.add %tid, %n : u32
  %v = thread.load %x, %at : f32
  %w = thread.load %x, %tid : f32
  thread.store %x, %c0_u32, %w
`);
  expect(changed).toBe(true);
  expect(text).toBe(
    kernel(`  %c0_u32 = thread.constant 0 : u32
  %tid = thread.thread_id : u32
  %w = thread.load %x, %tid : f32
  thread.store %x, %c0_u32, %w
`),
  );
});

it('removes a branch that is left empty, with its condition', () => {
  const { text, changed } = after(`  %tid = thread.thread_id : u32
  %inside = thread.lt %tid, %n : bool
  thread.if %inside {
    %v = thread.load %x, %tid : f32
    thread.yield
  } else {
    thread.yield
  }
`);
  expect(changed).toBe(true);
  expect(text).toBe(kernel(''));
});

it('drops what a loop carries and a branch gives where nothing reads it', () => {
  const loop = (carried: string, results: string, types: string, args: string, yields: string) =>
    `  %c0_u32 = thread.constant 0 : u32
  %cst = thread.constant 0.0 : f32
${carried}  ${results} = thread.for %n, ${types}
  ^(${args}):
    %v = thread.load %x, %k : f32
    %next = thread.add %sum, %v : f32
    thread.yield ${yields}
  }
  thread.store %x, %c0_u32, %r0
`;
  const { text, changed } = after(
    loop(
      '  %first = thread.load %x, %n : f32\n',
      '%r0, %r1',
      '%cst, %first {test = "top"} : f32, f32 {',
      '%k: u32, %sum: f32, %last: f32',
      '%next, %v',
    ) +
      `  %tid = thread.thread_id : u32
  %inside = thread.lt %tid, %n : bool
  %y = thread.if %inside : f32 {
    %w = thread.load %x, %tid : f32
    thread.yield %w
  } else {
    thread.yield %cst
  }
`,
  );
  expect(changed).toBe(true);
  expect(text).toBe(
    kernel(loop('', '%r0', '%cst {test = "top"} : f32 {', '%k: u32, %sum: f32', '%next')),
  );
});

it('keeps what a loop carries from one iteration to the next', () => {
  const body = `  %cst = thread.constant 0.0 : f32
  %r0 = thread.for %n, %cst {test = "top"} : f32 {
  ^(%k: u32, %last: f32):
    thread.store %x, %k, %last
    %v = thread.load %x, %n : f32
    thread.yield %v
  }
`;
  expect(after(body)).toEqual({ text: kernel(body), changed: false });
});

it('keeps stores, atomics and barriers', () => {
  const body = `  %c0_u32 = thread.constant 0 : u32
  %cst = thread.constant 1.0 : f32
  %tid = thread.thread_id : u32
  %inside = thread.lt %tid, %n : bool
  thread.barrier {storage = true, workgroup = true}
  thread.if %inside {
    thread.store %x, %c0_u32, %cst
    thread.yield
  } else {
    thread.yield
  }
`;
  expect(after(body)).toEqual({ text: kernel(body), changed: false });
});
