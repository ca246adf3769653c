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
