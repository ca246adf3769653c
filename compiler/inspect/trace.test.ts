/** Whether the accesses of a kernel depend on the contents of memory. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { createCompiler, type Compiler } from '../pipeline';
import { requestFor } from './testing/launches';
import { lowered, maskedAdd } from './testing/kernels';
import { dependsOnContents } from './trace';

let parser: Parser;
let compiler: Compiler;
beforeAll(async () => {
  parser = await testParser();
  compiler = createCompiler(parser);
});

describe('a trace', () => {
  it('finds when contents do not matter', () => {
    expect(dependsOnContents(lowered(compiler, maskedAdd(parser).request))).toBe(false);
    const indirect = requestFor(
      parser,
      `def pick(i_ptr, x_ptr, BLOCK: tl.constexpr):
    i = tl.load(i_ptr + tl.arange(0, BLOCK))
    tl.store(x_ptr + i, 1.0)
`,
      { i_ptr: '*i32', x_ptr: '*fp32', BLOCK: 16 },
    );
    expect(dependsOnContents(lowered(compiler, indirect))).toBe(true);
    const counted = requestFor(
      parser,
      `def loop(n_ptr, x_ptr, BLOCK: tl.constexpr):
    n = tl.load(n_ptr)
    for k in range(n):
        tl.store(x_ptr + k * BLOCK + tl.arange(0, BLOCK), 1.0)
`,
      { n_ptr: '*i32', x_ptr: '*fp32', BLOCK: 16 },
    );
    expect(dependsOnContents(lowered(compiler, counted))).toBe(true);
  });
});
