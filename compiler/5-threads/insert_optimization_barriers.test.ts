/** insert_optimization_barriers by printed IR before and after. */
import { describe, expect, it } from 'vitest';
import { parseThreads } from '../ir/thread/parser';
import { printThreads } from '../ir/thread/printer';
import { assertValidThreads } from '../ir/thread/verifier';
import { insert_optimization_barriers } from './insert_optimization_barriers';

const ZERO = ',\n  %zero: u32 {word = {kind = "zero"}}';
const kernel = (body: string, zero = ''): string => `thread.func @k(
  %x: memref<?xf32, storage> {group = 0, written = true}${zero}
) attributes {threads = 32} {
${body}  thread.return
}
`;
/** The kernel after the pass, which says whether it changed it. */
function after(body: string): { readonly text: string; readonly changed: boolean } {
  const func = parseThreads(kernel(body));
  const changed = insert_optimization_barriers(func);
  assertValidThreads(func, 'insert_optimization_barriers');
  return { text: printThreads(func), changed };
}

describe('insert_optimization_barriers', () => {
  it('hides a sum of which a term is taken away', () => {
    const { text, changed } = after(`  %tid = thread.thread_id : u32
  %a = thread.load %x, %tid : f32
  %b = thread.load %x, %tid : f32
  %s = thread.add %a, %b : f32
  %d = thread.sub %s, %a : f32
  thread.store %x, %tid, %d
`);
    expect(changed).toBe(true);
    expect(text).toBe(
      kernel(
        `  %tid = thread.thread_id : u32
  %a = thread.load %x, %tid : f32
  %b = thread.load %x, %tid : f32
  %s = thread.add %a, %b : f32
  %0 = thread.optimization_barrier %s, %zero : f32
  %d = thread.sub %0, %a : f32
  thread.store %x, %tid, %d
`,
        ZERO,
      ),
    );
  });

  it('hides a constant once, in front of the loop that multiplies by it', () => {
    const { text } = after(`  %c4_u32 = thread.constant 4 : u32
  %cst = thread.constant 0.0 : f32
  %tid = thread.thread_id : u32
  thread.for %c4_u32 {test = "top"} {
  ^(%k: u32):
    %a = thread.load %x, %k : f32
    %p = thread.mul %a, %cst : f32
    %q = thread.add %p, %cst : f32
    thread.store %x, %k, %q
    thread.yield
  }
`);
    expect(text).toBe(
      kernel(
        `  %c4_u32 = thread.constant 4 : u32
  %cst = thread.constant 0.0 : f32
  %hidden = thread.optimization_barrier %cst, %zero : f32
  %tid = thread.thread_id : u32
  thread.for %c4_u32 {test = "top"} {
  ^(%k: u32):
    %a = thread.load %x, %k : f32
    %p = thread.mul %a, %hidden : f32
    %q = thread.add %p, %hidden : f32
    thread.store %x, %k, %q
    thread.yield
  }
`,
        ZERO,
      ),
    );
  });

  it.each([
    ['a difference of a value and itself', '%r = thread.sub %a, %a : f32', '%a, %a'],
    ['a logarithm in an exponential', '%l = thread.log %a : f32\n  %r = thread.exp %l : f32', '%l'],
    [
      'a logarithm in an exponential, by library functions',
      `%l = thread.call %a {callee = "f32_log"} : f32
  %r = thread.call %l {callee = "f32_exp"} : f32`,
      '%l',
    ],
    ['a square in a root', '%s = thread.mul %a, %a : f32\n  %r = thread.sqrt %s : f32', '%s'],
    [
      'a sum with its sign bit flipped',
      `%s = thread.add %b, %a : f32
  %w = thread.bitcast %s : u32
  %f = thread.xor %w, %c2147483648_u32 : u32
  %n = thread.bitcast %f : f32
  %r = thread.add %n, %a : f32`,
      '%n, %a',
    ],
  ])('hides the operand of %s', (_, lines, operands) => {
    const body = `  %c2147483648_u32 = thread.constant 2147483648 : u32
  %tid = thread.thread_id : u32
  %a = thread.load %x, %tid : f32
  %b = thread.load %x, %tid : f32
  ${lines}
  thread.store %x, %tid, %r
`;
    const [hidden, ...others] = operands.split(', ');
    const { text } = after(body);
    expect(text).toContain(`%0 = thread.optimization_barrier ${hidden!}, %zero : f32\n`);
    expect(text).toMatch(new RegExp(`%r = thread.* ${['%0', ...others].join(', ')} `));
  });

  it.each([
    ['a sum of other terms', '%r = thread.add %a, %b : f32'],
    ['a value without zero', '%r = thread.sub %a, %cst : f32'],
    ['a test for NaN', '%t = thread.eq %a, %a : bool\n  %r = thread.select %t, %a, %b : f32'],
    ['a rounding in integers', rounded('f16_round')],
    ['integers', '%w = thread.sub %tid, %tid : u32\n  %r = thread.bitcast %w : f32'],
  ])('leaves %s alone', (_, lines) => {
    const body = `  %cst = thread.constant 0.0 : f32
  %tid = thread.thread_id : u32
  %a = thread.load %x, %tid : f32
  %b = thread.load %x, %tid : f32
  ${lines}
  thread.store %x, %tid, %r
`;
    expect(after(body)).toEqual({ text: printThreads(parseThreads(kernel(body))), changed: false });
  });

  const choice = (one: string, other: string): string => `  %one = thread.constant ${one} : f32
  %other = thread.constant ${other} : f32
  %tid = thread.thread_id : u32
  %a = thread.load %x, %tid : f32
  %p = thread.lt %a, %a : bool
  %r = thread.select %p, %one, %other : f32
  thread.store %x, %tid, %r
`;
  it.each([
    ['-1.0', '0.0', '%cst, %hidden'],
    ['0.0', '-1.0', '%hidden, %cst_0'],
    ['1.0', '-0.0', '%cst, %hidden'],
  ])('hides the zero of a choice between %s and %s', (one, other, operands) => {
    expect(after(choice(one, other)).text).toContain(`thread.select %p, ${operands} : f32`);
  });
  it.each([
    ['1.0', '0.0'],
    ['-0.0', '-1.0'],
    ['-2.0', '0.0'],
    ['-1.0', '1.0'],
  ])('leaves a choice between %s and %s alone', (one, other) => {
    expect(after(choice(one, other)).changed).toBe(false);
  });

  it('looks through a rounding that a driver may leave out', () => {
    const body = (callee: string): string => `  %tid = thread.thread_id : u32
  %a = thread.load %x, %tid : f32
  %b = thread.load %x, %tid : f32
  ${rounded(callee)}
  thread.store %x, %tid, %r
`;
    expect(after(body('f16_repack')).changed).toBe(true);
    expect(after(body('f16_round')).changed).toBe(false);
  });
});

/** The error of a sum that is rounded to f16. */
function rounded(callee: string): string {
  return `%s = thread.add %a, %b : f32
  %h = thread.call %s {callee = "${callee}"} : f32
  %r = thread.sub %h, %a : f32`;
}
