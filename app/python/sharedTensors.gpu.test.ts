/**
 * Kernels that read and write one tensor, through several arguments or through pointers that a loop
 * exchanges: what a program reads before it writes is what was there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runtime/runner';
import { account, playFiles, startLessons } from '../tutorials/testing';

const HEAD = `
import torch
import triton
import triton.language as tl

def numbers(*shape):
    return torch.randint(-3, 4, shape, device="cuda").float()

`;

const PROGRAMS = {
  'a product over one of its factors': `
@triton.jit
def multiply(x, y, out, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    tl.store(out + at, tl.dot(tl.load(x + at), tl.load(y + at), input_precision="ieee"))

for B in (16, 32, 64):
    x, y = numbers(B, B), numbers(B, B)
    for first in (True, False):
        out = (x if first else y).clone()
        multiply[(1,)](out if first else x, y if first else out, out, B)
        assert torch.equal(out, x @ y), (B, first)
`,
  'pointers that a loop exchanges': `
@triton.jit
def exchange(x, y, out, steps, B: tl.constexpr):
    at = tl.arange(0, B)
    source, target = x, y
    for _ in range(steps):
        tl.store(target + (at + 1) % B, tl.load(source + at) + 1)
        tl.debug_barrier()
        source, target = target, source
    tl.store(out + at, tl.load(source + at))

for steps in range(5):
    for B in (64, 1024):
        x = numbers(B)
        expected = x.clone()
        for _ in range(steps):
            expected = torch.roll(expected, 1) + 1
        out = torch.zeros_like(x)
        exchange[(1,)](x, torch.zeros_like(x), out, steps, B)
        assert torch.equal(out, expected), (steps, B)
`,
  'products between two tensors in turn': `
@triton.jit
def power(x, y, w, out, steps, B: tl.constexpr):
    at = tl.arange(0, B)[:, None] * B + tl.arange(0, B)[None, :]
    source, target = x, y
    for _ in range(steps):
        product = tl.dot(tl.load(source + at), tl.load(w + at), input_precision="ieee")
        tl.store(target + at, product)
        tl.debug_barrier()
        source, target = target, source
    tl.store(out + at, tl.load(source + at))

for B in (16, 32):
    for steps in range(4):
        x, w = numbers(B, B), numbers(B, B).sign()
        expected = x.clone()
        for _ in range(steps):
            expected = expected @ w
        out = torch.zeros_like(x)
        power[(1,)](x.clone(), torch.zeros_like(x), w, out, steps, B)
        assert torch.equal(out, expected), (steps, B)
`,
};

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

describe.each(['interpreter', 'webgpu'] as const)('on %s', (adapter) => {
  it.each(Object.entries(PROGRAMS))('%s', async (_, program) => {
    const record = await playFiles(runner, { 'main.py': HEAD + program }, 'main.py', adapter);
    expect(record.adapter?.kind).toBe(adapter);
    expect(record.outcome, account(record)).toBe('ok');
    expect(record.diagnostics.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });
});
