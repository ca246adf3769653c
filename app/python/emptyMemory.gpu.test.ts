/**
 * Kernels that leave elements of their output alone, or count on what empty memory holds: their
 * comparison fails, also where the elements that are expected are 0.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runtime/runner';
import { account, playFiles, startLessons } from '../tutorials/testing';

const HEAD = `
import torch
import triton
import triton.language as tl

`;

const WRONG = {
  'the last element is never written': `
@triton.jit
def keep(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n - 1
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask), mask)

x = torch.rand(1000, device="cuda")
x[-1] = 0
out = torch.empty_like(x)
keep[(triton.cdiv(1000, 256),)](x, out, 1000, BLOCK=256)
torch.allclose(out, x)
`,
  'atomics add to empty memory': `
@triton.jit
def count(x_ptr, bins_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, at < n, 0)
    tl.atomic_add(bins_ptr + x, 1, at < n)

x = torch.randint(0, 8, (1000,), device="cuda", dtype=torch.int32)
bins = torch.empty(8, device="cuda", dtype=torch.int32)
count[(triton.cdiv(1000, 256),)](x, bins, 1000, BLOCK=256)
torch.equal(bins, torch.bincount(x.cpu(), minlength=8).to(torch.int32).cuda())
`,
  'the grid is one program short': `
@triton.jit
def relu(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.maximum(tl.load(x_ptr + at, at < n), 0.0), at < n)

x = -torch.rand(1000, device="cuda", dtype=torch.float16)
out = x.new_empty(1000)
relu[(1000 // 256,)](x, out, 1000, BLOCK=256)
torch.testing.assert_close(out, torch.relu(x))
`,
};

/** Memory that was freed and used before, large and small, and merged with others. */
const REUSED = `
@triton.jit
def touch(out_ptr):
    tl.store(out_ptr, 1.0)

@triton.jit
def keep(x_ptr, out_ptr):
    tl.store(out_ptr, tl.load(x_ptr))

def check(n, dtype):
    for _ in range(40):
        out = torch.empty(n, device="cuda", dtype=dtype)
        touch[(1,)](out)
        zeros = torch.zeros(n, device="cuda", dtype=dtype)
        touch[(1,)](zeros)
        assert out[0] == 1 and zeros[0] == 1
        if dtype.is_floating_point:
            assert bool(out[1:].isnan().all()), n
        else:
            assert bool((out[1:] == torch.iinfo(dtype).max).all()), n
        assert bool((zeros[1:] == 0).all()), n

for n, dtype in [
    (7, torch.float32), (7, torch.int32), (100, torch.float16), (33, torch.int64), (33, torch.float64),
    (20_000, torch.int8), (50_000, torch.float32), (700_000, torch.bfloat16),
]:
    check(n, dtype)
x, out = torch.zeros(4, device="cuda"), torch.ones(4, device="cuda")
never = torch.empty(4, device="cuda")
keep[(1,)](never, out)
keep[(1,)](never, x)
assert out.isnan().tolist() == x.isnan().tolist() == [True, False, False, False]
assert never.isnan().all()
`;

/** Sums of vectors that hold a tensor's end: what lies behind it is 0, however it was written. */
const PADDED = `
@triton.jit
def fill(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, at + 1, at < n)

@triton.jit
def total(x_ptr, out_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, BLOCK)).to(tl.float32)))

def sum_of(x):
    out = torch.zeros(1, device="cuda")
    total[(1,)](x, out, BLOCK=triton.next_power_of_2(x.numel()))
    return out.item()

for dtype in [torch.float32, torch.float16, torch.bfloat16, torch.int32, torch.int16, torch.int8, torch.float64]:
    for n in [5, 30, 31, 33]:
        by_kernel = torch.empty(n, device="cuda", dtype=dtype)
        fill[(1,)](by_kernel, n, BLOCK=64)
        by_host = torch.empty(n, device="cuda", dtype=dtype)
        by_host.copy_(torch.arange(1, n + 1))
        expected = n * (n + 1) / 2
        assert sum_of(by_kernel) == sum_of(by_host) == expected, (dtype, n, sum_of(by_kernel), sum_of(by_host))
`;

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

describe.each(['interpreter', 'webgpu'] as const)('on %s', (adapter) => {
  it.each(Object.entries(WRONG))('fails where %s', async (_, program) => {
    const record = await playFiles(runner, { 'main.py': HEAD + program }, 'main.py', adapter);
    expect(record.adapter?.kind).toBe(adapter);
    expect(record.comparisons, account(record)).toHaveLength(1);
    expect(record.comparisons[0]!.passed).toBe(false);
  });

  it('leaves zeros behind the end of empty memory', async () => {
    const record = await playFiles(runner, { 'main.py': HEAD + PADDED }, 'main.py', adapter);
    expect(record.outcome, account(record)).toBe('ok');
  });

  it('fills memory that was used before', async () => {
    const record = await playFiles(runner, { 'main.py': HEAD + REUSED }, 'main.py', adapter);
    expect(record.outcome, account(record)).toBe('ok');
  });
});
