import { beforeAll, describe, expect, it } from 'vitest';
import { startPython } from './testing/python';
import type { TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
});

describe('a program', () => {
  it('prints tensors', () => {
    const result = python.run(`
import time
t0 = time.perf_counter()
import triton
import triton.language as tl
t1 = time.perf_counter()
import torch
t2 = time.perf_counter()
import sys
print("import", t1 - t0, t2 - t1, file=sys.stderr)
torch.manual_seed(0)
x = torch.rand(4, device="cuda")
print(x)
print(x + 1, (x - x).abs().max())
print(torch.allclose(x, x))
`);
    console.log(result.errors, result.output);
    expect(result.outcome).toBe('ok');
  });
});
