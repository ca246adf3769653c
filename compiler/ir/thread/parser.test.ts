/**
 * The parser reads what the printer of thread IR writes: the gallery's kernels on targets that
 * differ.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../../1-parse/parser';
import { testParser } from '../../1-parse/testing/testParser';
import { galleryKernels, KINDS, lowerToThreads } from '../../testing/gallery';
import { walk } from '../ir';
import { parseThreads } from './parser';
import { printThreadFunc, printThreads } from './printer';
import { verifyThreads } from './verifier';

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

/** For each operation in order: its text, with the values numbered. */
function facts(func: Parameters<typeof printThreads>[0]): unknown[] {
  const list: unknown[] = [];
  walk(func.body, ({ name, attributes, results, regions }) =>
    list.push([name, attributes, results.map(({ type }) => type), regions.length]),
  );
  return list;
}

describe('the printed form of thread IR', () => {
  it.each(KINDS)('parses back for every kernel of the gallery, on $name', (target) => {
    let count = 0;
    for (const { file, name, request } of galleryKernels(parser, target)) {
      const { func } = lowerToThreads(parser, request).threads;
      count++;
      const { text, locations } = printThreadFunc(func);
      const parsed = parseThreads(text);
      expect(printThreads(parsed) === text, `${file}: ${name} prints as before`).toBe(true);
      expect(facts(parsed), `${file}: ${name}`).toEqual(facts(func));
      expect(parsed.parameters).toEqual(func.parameters);
      expect(verifyThreads(parsed), `${file}: ${name}`).toEqual([]);
      expect(locations.length).toBe(text.split('\n').length);
    }
    expect(count).toBeGreaterThanOrEqual(49);
  });

  const round = (text: string): void => expect(printThreads(parseThreads(text))).toBe(text);
  it('keeps every kind of type, attribute and region', () => {
    round(`thread.func @k(
  %x: memref<?xvec4<f32>, storage> {group = 0, written = true},
  %words: memref<?xu32, storage> {group = "shared", written = true},
  %n: u32 {word = {kind = "scalar", path = [1, 0], dtype = "int32", word = 0}}
) attributes {threads = 64, subgroupSize = 32} {
  %parts = thread.alloc : memref<2x16xvec4<u32>, workgroup>
  %count = thread.alloc : memref<atomic<u32>, workgroup>
  %cst = thread.constant 0.5 : f32
  %cst_0 = thread.constant -0.0 : f16
  %cst_1 = thread.constant nan : f32
  %cst_2 = thread.constant -inf : vec2<f32>
  %cst_3 = thread.constant 1e-7 : f32
  %true = thread.constant true : bool
  %c_3_i32 = thread.constant -3 : i32
  %c0_u32 = thread.constant 0 : u32
  thread.barrier {workgroup = true, storage = false}
  thread.print_iteration
  %0 = thread.matrix_load %parts, %c0_u32, %c0_u32 {stride = 2, transposed = false} : !thread.left<f16, 16x8>
  %old, %done = thread.atomic_cas %count, %c0_u32, %n : u32, bool
  thread.if %true {
    thread.atomic_store %count, %n
    thread.yield
  } else {
    thread.yield
  }
  %sum = thread.for %n, %cst {test = "top"} : f32 {
  ^(%k: u32, %acc: f32):
    thread.yield %acc
  } then {
  ^(%k_0: u32, %acc_0: f32):
    %1 = thread.add %acc_0, %cst : f32
    thread.yield %1
  }
  %last = thread.while %sum : f32 {
  ^(%v: f32):
    %2 = thread.lt %v, %cst : bool
    thread.condition %2, %v
  } do {
  ^(%w: f32):
    thread.yield %w
  }
  %3 = thread.swizzle %cst_2 {indices = [1, 0]} : vec2<f32>
  thread.return
}
`);
  });
  it.each([
    ['an unknown operation', '  thread.nothing', 'line 2: no operation thread.nothing'],
    ['a use before the definition', '  thread.yield %x', 'line 2: %x is not defined here'],
    ['a type that does not exist', '  %x = thread.constant 1 : u64', 'line 2: no type u64'],
    ['too few types', '  %x, %y = thread.constant 1 : u32', 'line 2: 2 results, 1 types'],
  ])('refuses %s, with its line', (_, line, message) => {
    expect(() => parseThreads(`thread.func @k() {\n${line}\n}`)).toThrow(message);
  });
  it('gives each operation its line', () => {
    const func = parseThreads('thread.func @k() {\n  thread.print_iteration\n  thread.return\n}');
    expect(func.body.ops.map(({ location }) => location.line)).toEqual([2, 3]);
  });
});
