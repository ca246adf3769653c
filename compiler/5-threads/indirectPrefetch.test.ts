/**
 * Tables that are prefetched by two iterations, for small-M dots: at places that a loop counts,
 * carries, or finds in the table itself, in loops of no iteration, one and more. The interpreter
 * runs the IR after each pass, on memory that ends where the kernel's reads do.
 */
import { beforeAll, expect, it } from 'vitest';
import type { Parser } from '../1-parse/parser';
import { testParser } from '../1-parse/testing/testParser';
import { DISTRIBUTE_PASSES, distributeContext } from '../4-distribute/index';
import { runInterpreter } from '../interpret/index';
import { cloneFunc } from '../ir/builder';
import { type Func, walk } from '../ir/ir';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import { MATRIX_TARGET } from '../testing/targets';
import { lowerSigned } from './testing/lowerSigned';

const kernel = (before: string, place: string, after: string): string => `import triton
import triton.language as tl
@triton.jit
def kernel(a_ptr, b_ptr, table_ptr, c_ptr, first, last):
    rows = tl.arange(0, 16)
    d = tl.arange(0, 32)
    a = tl.load(a_ptr + rows[:, None] * 32 + d[None, :])
    acc = tl.zeros((16, 32), dtype=tl.float32)
    ${before}
    for i in range(first, last, 3):
        page = ${place}
        b = tl.load(b_ptr + page * 1024 + d[:, None] * 32 + d[None, :])
        acc = tl.dot(a, b, acc)
        ${after}
    tl.store(c_ptr + rows[:, None] * 32 + d[None, :], acc)
`;
const SOURCES = {
  counted: kernel('pass', 'tl.load(table_ptr + i)', 'pass'),
  carried: kernel('at = table_ptr + first', 'tl.load(at)', 'at += 3'),
  chased: kernel('at = first', 'tl.load(table_ptr + at)', 'at = page'),
  'under a mask': kernel(
    'pass',
    'tl.load(table_ptr + i + d % 2, mask=i + d % 2 < last, other=2)',
    'pass',
  ).replace('page *', 'page[:, None] *'),
};
const PAGES = 4;
const half = (values: number[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Float16Array.from(values).buffer);

let parser: Parser;
beforeAll(async () => {
  parser = await testParser();
});

function run(func: Func, table: readonly number[], first: number, last: number): Float32Array {
  const memory = [
    half(Array.from({ length: 512 }, (_, i) => (i * 7) % 5)),
    half(Array.from({ length: 1024 * PAGES }, (_, i) => ((i * 11) % 13) + Math.floor(i / 1024))),
    new Uint8Array(Int32Array.from(table).buffer),
    new Uint8Array(new Float32Array(512).fill(NaN).buffer),
  ].map((bytes, i) => ({ address: 2 ** 20 * (i + 1), bytes }));
  const args = [...memory.map(({ address }) => address), first, last];
  runInterpreter({ func, args, memory, grid: [1, 1, 1] });
  return new Float32Array(memory.at(-1)!.bytes.buffer);
}

it.each(Object.entries(SOURCES))('%s', (name, source) => {
  const types = { a_ptr: '*fp16:16', b_ptr: '*fp16:16', table_ptr: '*i32', c_ptr: '*fp32:16' };
  const func = lowerSigned(parser, source, { ...types, first: 'i32', last: 'i32' });
  for (const pass of OPTIMIZE_PASSES) pass.run(func);
  const after = cloneFunc(func);
  const context = distributeContext(MATRIX_TARGET, 4, { overlapStoresWithMma: false });
  for (const pass of DISTRIBUTE_PASSES) pass.run(after, context);
  let tables = 0;
  walk(after.body, (op) => {
    tables += Number(op.name === 'tt.load' && op.result.name === 'page');
  });
  expect(tables, 'before the loop for two iterations, and in it').toBeGreaterThanOrEqual(3);
  for (const [first, last] of [
    [0, 0],
    [2, 1],
    [1, 2],
    [1, 4],
    [1, 5],
    [0, 8],
    [2, 12],
  ] as const) {
    const count = name === 'chased' ? 12 : Math.max(1, last);
    const table = Array.from({ length: count }, (_, i) => (i * 3 + 1) % PAGES);
    expect(run(after, table, first, last), `${first} to ${last}`).toEqual(
      run(func, table, first, last),
    );
  }
});
