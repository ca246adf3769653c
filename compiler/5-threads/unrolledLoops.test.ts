/**
 * Loops unrolled by two are innermost ones: what is found before a loop of its loads holds there
 * alone.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import { MATRIX_TARGET } from '../testing/targets';
import { lowerSigned } from './testing/lowerSigned';
import { compileFunc } from './testing/run';

/** Small-M dots, whose left operand an outer loop loads and whose right one an inner loop does. */
const NESTED = `import triton
import triton.language as tl
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, N, M, D: tl.constexpr):
    rows = tl.arange(0, 16)
    d = tl.arange(0, D)
    acc = tl.zeros((16, D), dtype=tl.float32)
    for i in range(0, N):
        a = tl.load(a_ptr + i * 16 * D + rows[:, None] * D + d[None, :])
        for j in range(0, M):
            block = (d[:, None] * D + d[None, :]) ^ i
            acc = tl.dot(a, tl.load(b_ptr + j * D * D + block), acc)
    tl.store(c_ptr + rows[:, None] * D + d[None, :], acc)
`;

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

it('of loops in each other the inner one is written out', () => {
  const types = { a_ptr: '*fp16:16', b_ptr: '*fp16:16', c_ptr: '*fp32:16' };
  const func = lowerSigned(parser, NESTED, { ...types, N: 'i32', M: 'i32', D: 64 });
  for (const pass of OPTIMIZE_PASSES) pass.run(func);
  const { wgsl } = compileFunc(func, MATRIX_TARGET, { choices: { overlapStoresWithMma: false } });
  const steps = [...wgsl.matchAll(/^( *)k_\d+\+\+;$/gm)].map(([, indent]) => indent!.length);
  expect(steps).toEqual([6]);
});
