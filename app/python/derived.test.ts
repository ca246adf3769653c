/**
 * Comparisons judged by rounding alone, on the interpreter: sums in another order pass, sums in
 * float16 do not, and where no reference can be computed in float64 the verdict says so.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNodeRunner } from '../cli/programProcess';
import type { DerivedVerdict, ProgramEvent, RunOptions } from '../events';
import type { Runner } from '../runtime/runner';

let runner: Runner;
beforeAll(async () => {
  runner = await createNodeRunner(join(import.meta.dirname, '..', '..'), () => {});
}, 120_000);
afterAll(() => runner?.dispose());

const HEAD = `
import torch, triton
import triton.language as tl


@triton.jit
def row_sum(x, out, N: tl.constexpr, DTYPE: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((16,), dtype=DTYPE)
    for i in range(0, N, 16):
        acc += tl.load(x + row * N + i + tl.arange(0, 16)).to(DTYPE)
    tl.store(out + row, tl.sum(acc, axis=0))


@triton.jit
def softmax(x, out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    v = tl.load(x + at).to(tl.float32)
    v = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + at, v / tl.sum(v, axis=0))


@triton.jit
def matmul(a, b, c, M: tl.constexpr, DTYPE: tl.constexpr):
    i = tl.arange(0, M)
    acc = tl.zeros((M, M), dtype=DTYPE)
    for k in range(0, M, 16):
        kk = k + tl.arange(0, 16)
        acc += tl.dot(
            tl.load(a + i[:, None] * M + kk[None, :]), tl.load(b + kk[:, None] * M + i[None, :]), out_dtype=DTYPE
        )
    tl.store(c + i[:, None] * M + i[None, :], acc)


@triton.jit
def add_one(x, N: tl.constexpr):
    at = tl.arange(0, N)
    tl.store(x + at, tl.load(x + at) + 1)


@triton.jit
def exponential(x, out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + at, tl.exp(tl.load(x + at).to(tl.float32)))


@triton.jit
def shifted(x, out, N: tl.constexpr):
    at = tl.program_id(0) * N + tl.arange(0, N)
    tl.store(out + at, tl.load(x + at).to(tl.float32) * 3 - 2)


@triton.jit
def write_at(table, N: tl.constexpr):
    to = tl.load(table).to(tl.pointer_type(tl.float32))
    tl.store(to + tl.arange(0, N), tl.arange(0, N).to(tl.float32) * 0.37)


def sums(x, dtype=tl.float32):
    out = torch.empty(x.shape[0], device="cuda")
    row_sum[(x.shape[0],)](x, out, x.shape[1], dtype)
    return out


def product(a, b, dtype=tl.float32):
    c = torch.empty_like(a)
    matmul[(1,)](a, b, c, a.shape[0], dtype)
    return c


x = torch.randn(8, 1024, device="cuda")
half = torch.randn(64, 64, device="cuda").half()
`;

/** The verdicts of the program's comparisons, and whether each passed. */
async function verdicts(
  text: string,
): Promise<readonly { passed: boolean; derived: DerivedVerdict | null | undefined }[]> {
  const events: ProgramEvent[] = [];
  const options: RunOptions = {
    ...{ adapter: 'interpreter', maxBytes: null, check: false, seed: 0, measures: false },
  };
  await runner.run({ 'main.py': HEAD + text }, 'main.py', options, (event) => events.push(event));
  expect(events.flatMap((e) => (e.type === 'diagnostic' ? [e.diagnostic.message] : []))).toEqual(
    [],
  );
  return events.flatMap((event) =>
    event.type === 'comparison' ? [{ passed: event.passed, derived: event.derived }] : [],
  );
}

/** Comparisons whose errors rounding explains, though they are none of 0. */
const RIGHT: Readonly<Record<string, string>> = {
  'a sum in another order': 'torch.equal(sums(x), x.sum(dim=1))',
  'a sum that is asked for on the other side': 'torch.equal(x.sum(dim=1), sums(x))',
  'a sum beside one that a loop makes in place': `
ref = torch.zeros(8, device="cuda")
for i in range(1024):
    ref += x[:, i]
torch.equal(sums(x), ref)`,
  'a sum of what the kernel reads rounded': `
y = (torch.randn(8, 256, device="cuda") * 3).half()
torch.equal(sums(y), y.float().sum(dim=1))`,
  'a softmax': `
out = torch.empty_like(x)
softmax[(8,)](x, out, 1024)
torch.equal(out, torch.softmax(x, dim=1))`,
  'a product of float16': 'torch.equal(product(half, half), half @ half)',
  'a product that is compared in float32':
    'torch.equal(product(half, half).float(), half.float() @ half.float())',
  'a result that torch sums on': 'torch.allclose(sums(x).sum(), x.sum(), rtol=0, atol=0)',
  'a reference that was made before the kernel ran': `
ref = torch.softmax(x, dim=1)
out = torch.empty_like(x)
softmax[(8,)](x, out, 1024)
torch.equal(out, ref)`,
  'a reference written row by row': `
ref = torch.empty_like(x)
for i in range(8):
    ref[i] = torch.exp(x[i] - x[i].max())
    ref[i] /= ref[i].sum()
out = torch.empty_like(x)
softmax[(8,)](x, out, 1024)
torch.equal(out, ref)`,
};

it.each(Object.entries(RIGHT))('explains %s', { timeout: 60_000 }, async (_, text) => {
  const [found] = await verdicts(text);
  expect(found?.derived?.reason).toMatch(/rounding/);
  expect(found?.derived).toMatchObject({ verdict: 'rounding' });
});

/** Comparisons that pass with a wide tolerance, whose errors are those of narrower sums. */
const WRONG: Readonly<Record<string, string>> = {
  'a sum in float16': 'torch.allclose(sums(x, tl.float16), x.sum(dim=1), atol=1.0)',
  'a product with sums in float16':
    'torch.testing.assert_close(product(half, half, tl.float16), half @ half, atol=1.0, rtol=1.0)',
  'a float32 product with sums in float16': `
c = torch.empty(64, 64, device="cuda")
matmul[(1,)](half, half, c, 64, tl.float16)
torch.testing.assert_close(c, half.float() @ half.float(), atol=1.0, rtol=1.0)`,
};

it.each(Object.entries(WRONG))('does not explain %s', { timeout: 60_000 }, async (_, text) => {
  const [found] = await verdicts(text);
  expect(found?.passed).toBe(true);
  expect(found?.derived).toMatchObject({ verdict: 'above' });
  expect(found?.derived?.reason).toContain('far above rounding');
  expect(found?.derived?.reason).toContain('sums in float16 have such errors');
  expect(found!.derived!.times!).toBeGreaterThan(5);
});

/** Right programs in float16: a wide tolerance, and no sum that is rounded to it. */
const HALVES: Readonly<Record<string, string>> = {
  'halves between two kernels': `
out = torch.empty_like(half)
exponential[(64,)](half, out, 64)
scaled = torch.empty_like(half)
shifted[(64,)](out, scaled, 64)
torch.allclose(scaled, (half.float().exp() * 3 - 2).half(), atol=1, rtol=1)`,
  'halves between two kernels, of which one sums': `
out = torch.empty_like(half)
exponential[(64,)](half, out, 64)
torch.allclose(sums(out), half.float().exp().sum(dim=1), atol=1, rtol=1)`,
  'arithmetic of halves without a sum': `
y = torch.randn(8, 64, device="cuda")
rounded = y.exp().half()
out = torch.empty_like(rounded)
shifted[(8,)](rounded, out, 64)
torch.allclose(out, (y.exp() * 3 - 2).half(), atol=1, rtol=1)`,
};

it.each(Object.entries(HALVES))('names no sum of %s', { timeout: 60_000 }, async (_, text) => {
  const [found] = await verdicts(text);
  expect(found?.derived?.verdict).toMatch(/rounding|above/);
  expect(found?.derived).toMatchObject({ narrow: false });
  expect(found?.derived?.reason).not.toContain('sums in float16');
});

it('takes what a kernel wrote by address for a kernel’s', { timeout: 60_000 }, async () => {
  const found = await verdicts(`
y = torch.empty(64, device="cuda")
table = torch.tensor([y.data_ptr()], device="cuda")
write_at[(1,)](table, 64)
torch.equal(y, torch.arange(64, device="cuda") * 0.37)
`);
  expect(found).toMatchObject([{ passed: true, derived: { verdict: 'rounding' } }]);
});

describe('without a reference in float64', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['both sides of kernels', 'torch.allclose(sums(x), sums(x))', 'what kernels stored'],
    [
      'inputs that changed since',
      'ref = x.sum(dim=1)\nout = sums(x)\nx += 1\ntorch.equal(out, ref)',
      'has changed since',
    ],
    [
      'inputs that a kernel changed',
      'ref = x.sum(dim=1)\nout = sums(x)\nadd_one[(1,)](x, 1024)\ntorch.equal(out, ref)',
      'has changed since',
    ],
    [
      'expected numbers',
      'torch.allclose(sums(x), torch.tensor([v + 1e-3 for v in x.sum(dim=1).tolist()], device="cuda"), atol=1)',
      'are data',
    ],
  ];
  it.each(cases)('says so of %s', { timeout: 60_000 }, async (_, text, reason) => {
    const [found] = await verdicts(text);
    expect(found?.derived).toMatchObject({ verdict: 'unknown', ulp: null, index: null });
    expect(found?.derived?.reason).toContain(reason);
  });
});

it('says nothing of integers, and of torch beside torch', async () => {
  const found = await verdicts(`
torch.equal(torch.arange(4), torch.arange(4))
torch.allclose(x.sum(dim=1), x.double().sum(dim=1).float())
`);
  expect(found.map(({ derived }) => derived)).toEqual([null, null]);
}, 60_000);

it('leaves random numbers and gradients as they are', async () => {
  const [found] = await verdicts(`
torch.manual_seed(3)
first = torch.randn(4, device="cuda")
torch.manual_seed(3)
torch.equal(sums(x), x.sum(dim=1))
assert torch.equal(torch.randn(4, device="cuda"), first)
w = torch.randn(8, 16, device="cuda", requires_grad=True)
torch.equal(sums(w.detach() * 1), w.sum(dim=1))
w.sum().backward()
assert w.grad.eq(1).all()
`);
  expect(found?.derived?.verdict).toBe('rounding');
}, 60_000);
