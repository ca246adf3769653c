/** The configurations of an autotuned kernel, compared with one another by a proof. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Judge } from './testing/judge';

let judge: Judge;
beforeAll(async () => {
  judge = await Judge.create(join(import.meta.dirname, '..', '..'));
}, 120_000);
afterAll(() => judge?.dispose());

/** @param bound of the loop over blocks. @param n elements of a row. */
const program = (bound: string, configs: string): string => `import torch
import triton
import triton.language as tl


@triton.autotune(configs=[${configs}], key=["n"])
@triton.jit
def row_sum(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, ${bound}, BLOCK):
        i = start + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + row * n + i, mask=i < n, other=0.0)
    tl.store(y_ptr + row, tl.sum(total))


x = torch.randn(5, 200, device="cuda")
y = torch.empty(5, device="cuda")
row_sum[(5,)](x, y, 200)
assert torch.allclose(y, x.sum(1), atol=1e-4)
`;
const config = (block: number, warps: number): string =>
  `triton.Config({"BLOCK": ${block}}, num_warps=${warps})`;

async function findings(text: string) {
  const { sections, errors } = await judge.report(text);
  expect(errors).toEqual([]);
  return sections
    .find(({ check }) => check === 'algebra')!
    .findings.map(({ verdict, subject, location }) => ({
      verdict,
      call: subject.kind === 'comparison' ? subject.call : '',
      line: location?.line,
    }));
}

it('finds them equal in the ring where each computes the same', { timeout: 60_000 }, async () => {
  const configs = [config(64, 4), config(32, 2), config(256, 8)].join();
  const found = await findings(program('n', configs));
  expect(found.map(({ verdict }) => verdict)).toEqual(['holds', 'holds', 'holds']);
  expect(found[0]!.call).toMatch(
    /^configurations of row_sum\(y_ptr with BLOCK: 32, num_warps: 2.*y_ptr with BLOCK: 64, num_warps: 4/,
  );
});

it('names the block size for which the result is another one', { timeout: 60_000 }, async () => {
  // Four blocks, whatever their size.
  const text = program('(n // 64 + 1) * BLOCK', [config(64, 4), config(8, 4)].join());
  const found = await findings(text);
  expect(found.filter(({ verdict }) => verdict === 'fails')).toMatchObject([
    {
      call: expect.stringContaining('BLOCK: 8') as string,
      line: text.split('\n').indexOf('row_sum[(5,)](x, y, 200)') + 1,
    },
  ]);
});

it('compares what a kernel adds to on copies', { timeout: 60_000 }, async () => {
  const text = program('n', [config(64, 4), config(32, 4)].join())
    .replace(
      'tl.store(y_ptr + row, tl.sum(total))',
      'tl.store(y_ptr + row, tl.load(y_ptr + row) + tl.sum(total))',
    )
    .replace('torch.empty(5, ', 'torch.zeros(5, ');
  expect((await findings(text)).map(({ verdict }) => verdict)).toEqual(['holds', 'holds']);
});

/** Two tensors that a kernel adds to, and how it gets at them. */
const adding = (parameter: string, pointer: string, given: string): string => `import torch
import triton
import triton.language as tl


@triton.autotune(configs=[${[config(64, 4), config(32, 4)].join()}], key=["n"])
@triton.jit
def add_one(${parameter}, n, BLOCK: tl.constexpr):
    p = ${pointer}
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(p + i, tl.load(p + i, mask=i < n) + 1.0, mask=i < n)


a, b = torch.zeros(100, device="cuda"), torch.zeros(100, device="cuda")
table = torch.tensor([a.data_ptr(), b.data_ptr()], device="cuda")
add_one[lambda meta: (triton.cdiv(100, meta["BLOCK"]),)](${given}, 100)
assert torch.allclose(a, torch.ones_like(a))
`;

it.each([
  ['in a tuple', adding('pair', 'pair[0]', '(a, b)'), 2],
  [
    'by its address',
    adding('table', 'tl.load(table).to(tl.pointer_type(tl.float32))', 'table'),
    // No configuration is launched.
    1,
  ],
])('writes no tensor of the program that comes %s', { timeout: 60_000 }, async (_, text, count) => {
  const found = await findings(text);
  expect(found.map(({ verdict }) => verdict)).toEqual(Array<string>(count).fill('holds'));
});

it('compares no workspace that the tuner clears', { timeout: 60_000 }, async () => {
  // As many sums as the configuration has programs.
  const text = program('BLOCK', [config(64, 4), config(32, 4)].join())
    .replace('row = tl.program_id(0)', 'row = tl.program_id(0)\n    x_ptr += row * (BLOCK - n)')
    .replace('key=["n"]', 'key=["n"], reset_to_zero=["y_ptr"]')
    .replaceAll('mask=i < n', 'mask=row * BLOCK + i < n')
    .replace('torch.randn(5, 200', 'torch.randn(1, 200')
    .replace('torch.empty(5', 'torch.empty(7')
    .replace('(5,)', 'lambda meta: (triton.cdiv(200, meta["BLOCK"]),)')
    .replace('(y, x.sum(1)', '(y.sum(), x.sum()');
  expect((await findings(text)).map(({ verdict }) => verdict)).toEqual(['holds']);
});
