/**
 * Loops without an end in kernels: the launch ends by itself, an error names the loop, and the
 * next launch works. Loops that end compute what the interpreter computes, whatever decides how
 * often they run.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runtime/runner';
import { account, playFiles, startLessons } from '../tutorials/testing';

const HEAD = `
import torch
import triton
import triton.language as tl

`;
/** After it, a launch that works. */
const NEXT = `

@triton.jit
def fill(out_ptr):
    at = tl.arange(0, 64)
    tl.store(out_ptr + at, at)

try:
    print(int(x.sum()))
except RuntimeError as error:
    print("caught")
y = torch.zeros(64, dtype=torch.int32, device="cuda")
fill[(1,)](y)
print(int(y.sum()))
`;

const ENDLESS = {
  'whose condition never fails': `
@triton.jit
def kernel(x_ptr):
    value = tl.load(x_ptr)
    while value > 0:  # HERE
        value = value % 1000 + 1
    tl.store(x_ptr, value)

x = torch.ones(1, dtype=torch.int32, device="cuda")
kernel[(1,)](x)
`,
  'in every one of many programs': `
@triton.jit
def kernel(x_ptr):
    value = tl.load(x_ptr)
    while value > 0:  # HERE
        value = value % 1000 + 1
    tl.store(x_ptr + tl.program_id(0), value)

x = torch.ones(4096, dtype=torch.int32, device="cuda")
kernel[(4096,)](x)
`,
  'with barriers': `
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + at)
    while tl.max(value) > 0:  # HERE
        value = value % 1000 + 1
    tl.store(x_ptr + at, value)

x = torch.ones(1024, dtype=torch.int32, device="cuda")
kernel[(16,)](x, BLOCK=64)
`,
  'inside of one with barriers': `
@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x_ptr + at)
    while tl.max(value) > 0:
        k = tl.load(x_ptr)
        while k > 0:  # HERE
            k = k % 1000 + 1
        value = value % 1000 + k
    tl.store(x_ptr + at, value)

x = torch.ones(64, dtype=torch.int32, device="cuda")
kernel[(16,)](x, BLOCK=64)
`,
  'as often as memory says': `
@triton.jit
def kernel(x_ptr):
    total = 0
    for i in range(tl.load(x_ptr)):  # HERE
        total += i ^ tl.load(x_ptr + 1)
    tl.store(x_ptr + 1, total)

x = torch.full((2,), 2**31 - 1, dtype=torch.int32, device="cuda")
kernel[(64,)](x)
`,
};

const FINITE = `
@triton.jit
def kernel(x_ptr, n_ptr, out_ptr, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    at = program * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + at)
    steps = 0
    while tl.max(value) > 1:
        value = tl.where(value > 1, tl.where(value % 2 == 0, value // 2, 3 * value + 1), value)
        steps += 1
    total = 0
    for i in range(0, tl.load(n_ptr + program), 3):
        k = tl.load(x_ptr + i)
        while k > 1:
            k = tl.where(k % 2 == 0, k // 2, 3 * k + 1)
            total += 1
    tl.store(out_ptr + program * 2, steps)
    tl.store(out_ptr + program * 2 + 1, total)

def collatz(x):
    steps = 0
    while x > 1:
        x = x // 2 if x % 2 == 0 else 3 * x + 1
        steps += 1
    return steps

x = torch.arange(1, 513, dtype=torch.int32)
n = torch.tensor([0, 1, 7, 40, 100, 3, 2, 11], dtype=torch.int32)
out = torch.empty(16, dtype=torch.int32, device="cuda")
kernel[(8,)](x.cuda(), n.cuda(), out, BLOCK=64)
steps = [collatz(i) for i in range(1, 513)]
expected = [[max(steps[p * 64 : p * 64 + 64]), sum(steps[0 : int(n[p]) : 3])] for p in range(8)]
assert out.reshape(8, 2).tolist() == expected, (out.tolist(), expected)
`;

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

it.each(Object.entries(ENDLESS))('ends a loop %s, and names it', async (_, program) => {
  const text = HEAD + program + NEXT;
  const line = text.split('\n').findIndex((each) => each.endsWith('# HERE')) + 1;
  const record = await playFiles(runner, { 'main.py': text }, 'main.py', 'webgpu');
  expect(record.adapter?.kind).toBe('webgpu');
  const printed = record.output.map((item) => (item.kind === 'print' ? item.text : '')).join('');
  expect(printed, account(record)).toBe('caught\n2016\n');
  expect(record.outcome).toBe('ok');
  const uncaught = await playFiles(
    runner,
    { 'main.py': `${HEAD}${program}torch.cuda.synchronize()\n` },
    'main.py',
    'webgpu',
  );
  expect(uncaught.outcome).toBe('error');
  const reported = uncaught.diagnostics.map((found) => `${found.code} ${found.location.line}`);
  expect(reported).toContain(`HC8016 ${line}`);
});

describe.each(['interpreter', 'webgpu'] as const)('on %s', (adapter) => {
  it('leaves loops that end as they are', async () => {
    const record = await playFiles(runner, { 'main.py': HEAD + FINITE }, 'main.py', adapter);
    expect(record.adapter?.kind).toBe(adapter);
    expect(record.outcome, account(record)).toBe('ok');
  });
});
