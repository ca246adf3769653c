/**
 * Prefetched loads through a table whose addresses two groups of loads need as pointers, not as
 * numbers: the same at every pass of distribution. Nothing of the table is read past its end, and
 * nothing behind the last page.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import { lowerSigned } from '../5-threads/testing/lowerSigned';
import { runInterpreter } from '../interpret/index';
import { cloneFunc } from '../ir/builder';
import type { Func } from '../ir/ir';
import { assertValid } from '../ir/verifier';
import { BASELINE_TARGET } from '../target';
import { DISTRIBUTE_PASSES, distributeContext } from './index';

const source = (pages: string): string => `import triton
import triton.language as tl
@triton.jit
def kernel(a_ptr, b_ptr, c_ptr, table_ptr, COUNT, D: tl.constexpr):
    rows = tl.arange(0, D)
    block = rows[:, None] * D + rows[None, :]
    a = tl.load(a_ptr + block)
    acc = tl.zeros((D, D), dtype=tl.float32)
    for i in range(0, COUNT):
${pages}
        acc += tl.dot(tl.dot(a, x), y)
    tl.store(c_ptr + block, acc)
`;
const BODIES = {
  'scalar pointers': `        page = b_ptr + tl.load(table_ptr + i) * D * D
        x = tl.load(page + block)
        y = tl.load(page + rows[None, :] * D + rows[:, None])`,
  'tiles of pointers': `        page = b_ptr + tl.load(table_ptr + i) * D * D + block
        x = tl.load(page)
        y = tl.load(page + D * D)`,
  'tiles of a table': `        page = b_ptr + (tl.load(table_ptr + i + rows * 0) * D * D)[:, None] + block
        x = tl.load(page)
        y = tl.load(page + D * D)`,
};
const D = 32;
const TABLE = [3, 0, 2, 1];

function run(func: Func, count: number): Float32Array {
  const tile = (n: number): Uint8Array<ArrayBuffer> =>
    new Uint8Array(Float32Array.from({ length: n }, (_, i) => ((i * 7) % 5) - 2).buffer);
  const memory = [
    tile(D * D),
    tile(D * D * 5),
    new Uint8Array(new Float32Array(D * D).fill(NaN).buffer),
    new Uint8Array(Int32Array.from(TABLE.slice(0, count)).buffer),
  ].map((bytes, i) => ({ address: 2 ** 22 * (i + 1), bytes }));
  const args = [...memory.map(({ address }) => address), count];
  runInterpreter({ func, args, memory, grid: [1, 1, 1] });
  return new Float32Array(memory[2]!.bytes.buffer);
}

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

describe.each(Object.entries(BODIES))('%s', (_, body) => {
  it.each([
    { prefetchRegisters: 128 },
    { prefetchRegisters: 128, clusterLoads: true, mergeBoundsGuards: true },
    { prefetchRegisters: 128, predicatedPrefetch: true },
    { prefetchRegisters: 16 },
  ])('leave the same: %j', (choices) => {
    const types = { a_ptr: '*fp32:16', b_ptr: '*fp32:16', c_ptr: '*fp32:16', table_ptr: '*i32:16' };
    const func = lowerSigned(parser, source(body), { ...types, COUNT: 'i32', D });
    for (const pass of OPTIMIZE_PASSES) pass.run(func);
    const before = [0, 1, 4].map((count) => run(cloneFunc(func), count));
    const context = distributeContext(BASELINE_TARGET, 4, choices);
    for (const pass of DISTRIBUTE_PASSES) {
      if (!pass.run(func, context)) continue;
      assertValid(func, pass.name);
      [0, 1, 4].forEach((count, i) => expect(run(func, count), pass.name).toEqual(before[i]));
    }
  });
});
