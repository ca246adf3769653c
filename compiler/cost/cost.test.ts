import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { beforeAll, describe, expect, test } from 'vitest';
import { createParser, type Parser } from '../1-parse/parser';
import { type ArgumentText, lowerText } from '../2-lower/testing/lowerText';
import { OPTIMIZE_PASSES } from '../3-optimize/index';
import { type Argument, CostModel, memoryBytes, requestedBytes } from './index';

let parser: Parser;
beforeAll(async () => {
  const require = createRequire(import.meta.url);
  const bytes = (name: string) => new Uint8Array(readFileSync(require.resolve(name)));
  parser = await createParser(
    bytes('web-tree-sitter/web-tree-sitter.wasm'),
    bytes('tree-sitter-python/tree-sitter-python.wasm'),
  );
});

const constexpr = (value: number | boolean): ArgumentText => ({
  constexpr:
    typeof value === 'boolean' ? { kind: 'bool', value } : { kind: 'int', value: String(value) },
});
const HEAD = 'import triton\nimport triton.language as tl\n\n';
const example = (name: string): string =>
  readFileSync(new URL(`../../public/examples/${name}.py`, import.meta.url), 'utf8');

function model(text: string, kernel: string, args: Record<string, ArgumentText>): CostModel {
  const { func, diagnostics } = lowerText(parser, text, kernel, args);
  if (!func) throw new Error(diagnostics[0]?.message);
  for (const pass of OPTIMIZE_PASSES) pass.run(func);
  return new CostModel(func);
}

describe('vector add', () => {
  const args = {
    x_ptr: '*fp32:16',
    y_ptr: '*fp32:16',
    out_ptr: '*fp32:16',
    n: 'i32:16',
    BLOCK: constexpr(1024),
  };
  const text = `${HEAD}@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)
`;
  test('moves 12 bytes an element, and no more of a tensor than it has', () => {
    const n = 98_432;
    const { tally, uncertain } = model(text, 'add', args).count([null, null, null, n], [97, 1, 1]);
    expect(uncertain).toBeNull();
    expect(requestedBytes(tally)).toBe(97 * 1024 * 12);
    const reach = [0, 1, 2].map((argument) => ({ argument, storage: argument, bytes: 4 * n }));
    expect(memoryBytes(tally, reach)).toEqual({ read: 8 * n, written: 4 * n });
    expect(tally.computed('f32')).toBe(97 * 1024);
  });
  test('of one tensor with itself, reads it once', () => {
    const { tally } = model(text, 'add', args).count([null, null, null, 1024], [1, 1, 1]);
    const reach = [0, 1, 2].map((argument) => ({ argument, storage: 'one', bytes: 4096 }));
    expect(memoryBytes(tally, reach)).toEqual({ read: 4096, written: 4096 });
  });
});

describe('matmul', () => {
  const text = `${HEAD}@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * K + depth[None, :]
    b_ptrs = b_ptr + depth[:, None] * N + columns[None, :]
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=depth[None, :] < K - k * BK, other=0.0)
        b = tl.load(b_ptrs, mask=depth[:, None] < K - k * BK, other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += BK
        b_ptrs += BK * N
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc)
`;
  const args = (type: string, k: number): Record<string, ArgumentText> => ({
    a_ptr: `*${type}`,
    b_ptr: `*${type}`,
    c_ptr: '*fp32',
    M: 'i32',
    N: 'i32',
    K: 'i32',
    BM: constexpr(64),
    BN: constexpr(32),
    BK: constexpr(k),
  });
  test('computes 2MNK, by the bounds of this launch', () => {
    const cost = model(text, 'matmul', args('fp32', 16));
    for (const [m, n, k] of [
      [128, 256, 512],
      [64, 32, 16],
    ] as const) {
      const { tally, uncertain } = cost.count([null, null, null, m, n, k], [m / 64, n / 32, 1]);
      expect(uncertain).toBeNull();
      expect(tally.computed('f32')).toBe(2 * m * n * k);
      expect(tally.computed('f16')).toBe(0);
      const reach = [m * k, k * n, m * n].map((elements, argument) => ({
        argument,
        storage: argument,
        bytes: 4 * elements,
      }));
      const bytes = memoryBytes(tally, reach);
      expect(bytes).toEqual({ read: 4 * (m * k + k * n), written: 4 * m * n });
      // A is read once for every column of tiles, B once for every row of them.
      const asked = (m * k * n) / 32 + (k * n * m) / 64 + m * n;
      expect(requestedBytes(tally)).toBe(4 * asked);
    }
  });
  test('counts the last piece of K whole, and f16 by its own rate', () => {
    const cost = model(text, 'matmul', args('fp16', 32));
    const { tally } = cost.count([null, null, null, 64, 32, 40], [1, 1, 1]);
    expect(tally.computed('f16')).toBe(2 * 64 * 32 * 64);
  });
});

describe('what depends on the program', () => {
  test('a causal attention counts the blocks up to the diagonal', () => {
    const args = (causal: boolean): Record<string, ArgumentText> => ({
      q_ptr: '*fp32',
      k_ptr: '*fp32',
      v_ptr: '*fp32',
      out_ptr: '*fp32',
      scale: 'fp32',
      stride_head: 'i32',
      stride_row: 'i32',
      length: 'i32',
      HEAD_DIM: constexpr(64),
      BLOCK_M: constexpr(64),
      BLOCK_N: constexpr(32),
      CAUSAL: constexpr(causal),
    });
    const count = (causal: boolean) =>
      model(example('fused_attention'), 'attention_kernel', args(causal)).count(
        [null, null, null, null, 0.125, 512 * 64, 64, 512],
        [8, 4, 1],
      );
    const [causal, full] = [count(true), count(false)];
    expect(causal.uncertain).toBeNull();
    // Blocks of keys a block of queries visits: 2, 4, … 16, against 16 for each of the 8.
    const products = (blocks: number) => 4 * blocks * (2 * 64 * 32 * 64) * 2;
    const [few, many] = [products(72), products(128)];
    expect(causal.tally.computed('f32')).toBeGreaterThan(few);
    expect(causal.tally.computed('f32')).toBeLessThan(few * 1.15);
    expect(full.tally.computed('f32')).toBeGreaterThan(many);
    expect(full.tally.computed('f32') / causal.tally.computed('f32')).toBeCloseTo(128 / 72, 1);
  });
  const persistent = `${HEAD}@triton.jit
def rows(x_ptr, n_rows, BLOCK: tl.constexpr):
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        at = x_ptr + row * BLOCK + tl.arange(0, BLOCK)
        tl.store(at, tl.load(at) * 2.0)
`;
  test('rows that programs share out are counted once each', () => {
    const cost = model(persistent, 'rows', { x_ptr: '*fp32', n_rows: 'i32', BLOCK: constexpr(64) });
    for (const [rows, programs] of [
      [100, 7],
      [5, 16],
      [4096, 4096],
    ] as const) {
      const { tally, uncertain } = cost.count([null, rows], [programs, 1, 1]);
      expect(uncertain).toBeNull();
      expect(tally.computed('f32')).toBe(rows * 64);
      expect(tally.writtenThrough(0)).toBe(rows * 64 * 4);
    }
    expect(cost.count([null, 9000], [9000, 1, 1]).uncertain).toMatch('estimated from');
  });
  test('loops inside loops, and branches, follow the counters', () => {
    const text = `${HEAD}@triton.jit
def triangle(x_ptr, n, BLOCK: tl.constexpr):
    at = x_ptr + tl.arange(0, BLOCK)
    x = tl.load(at)
    for i in range(n):
        for j in range(i):
            x = x * 2.0
        if i % 3 == 0:
            x = x + 1.0
    tl.store(at, x)
`;
    const cost = model(text, 'triangle', { x_ptr: '*fp32', n: 'i32', BLOCK: constexpr(16) });
    const { tally, uncertain } = cost.count([null, 10], [1, 1, 1]);
    expect(uncertain).toBeNull();
    expect(tally.computed('f32')).toBe((45 + 4) * 16);
  });
  test('values in memory are called uncertain', () => {
    const text = `${HEAD}@triton.jit
def ragged(x_ptr, n_ptr, BLOCK: tl.constexpr):
    at = x_ptr + tl.arange(0, BLOCK)
    for i in range(tl.load(n_ptr)):
        tl.store(at, tl.load(at) * 2.0)
`;
    const cost = model(text, 'ragged', { x_ptr: '*fp32', n_ptr: '*i32', BLOCK: constexpr(16) });
    const { tally, uncertain } = cost.count([null, null], [1, 1, 1]);
    expect(uncertain).toMatch('depends on data');
    expect(tally.computed('f32')).toBe(16);
  });
  test('a while loop runs as its arguments say', () => {
    const text = `${HEAD}@triton.jit
def halve(x_ptr, n, BLOCK: tl.constexpr):
    at = x_ptr + tl.arange(0, BLOCK)
    x = tl.load(at)
    while n > 1:
        x = x * 0.5
        n = n // 2
    tl.store(at, x)
`;
    const cost = model(text, 'halve', { x_ptr: '*fp32', n: 'i32', BLOCK: constexpr(16) });
    const counted = (n: Argument) => cost.count([null, n], [1, 1, 1]).tally.computed('f32');
    expect([counted(64), counted(1), counted(65)]).toEqual([6 * 16, 0, 6 * 16]);
  });
  test('what operations of several results leave to the next iteration is not known', () => {
    const text = `${HEAD}@triton.jit
def walk(x_ptr, i_ptr, n, BLOCK: tl.constexpr):
    at = 0
    for i in range(0, n):
        left = tl.load(x_ptr + at)
        while left > 1.0:
            at += 1
            left = tl.load(x_ptr + at)
        top, place = tl.max(tl.load(x_ptr + tl.arange(0, BLOCK)), 0, return_indices=True)
        at = tl.where(top > 0, at, place)
        tl.store(i_ptr + i, at)
        if at > 3:
            tl.store(i_ptr + i, at + 1)
`;
    const args = { x_ptr: '*fp32', i_ptr: '*i32', n: 'i32', BLOCK: constexpr(16) };
    const { uncertain } = model(text, 'walk', args).count([null, null, 4], [1, 1, 1]);
    expect(uncertain).toMatch('depends on data');
  });
});

test('reductions and pairs of a fused multiply-add count by element', () => {
  const text = `${HEAD}@triton.jit
def total(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK)).to(tl.float32)
    tl.store(out_ptr, tl.sum(tl.fma(x, x, x), axis=0))
`;
  const args = { x_ptr: '*bf16', out_ptr: '*fp32', BLOCK: constexpr(256) };
  const { tally } = model(text, 'total', args).count([null, null], [3, 1, 1]);
  expect(tally.computed('f32')).toBe(3 * (2 * 256 + 255));
  expect(requestedBytes(tally)).toBe(3 * (256 * 2 + 4));
});
