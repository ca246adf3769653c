/**
 * For tests of triton: what their programs begin with, and a Python that starts before the first
 * test of the file that imports this.
 */
import { beforeAll, expect } from 'vitest';
import { startPython, type TestPython } from './python';

export const HEAD = `
import torch, triton
import triton.language as tl
`;
/** A kernel of every kind of argument, and a tensor for it. */
export const KERNEL = `${HEAD}
@triton.jit
def k(x_ptr, n, alpha, flag, none, BLOCK: tl.constexpr, MODE: tl.constexpr = "relu"):
    pass
x = torch.empty(100, device="cuda")
`;

export let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 120_000);

/** Output of a program without a warning. */
export function ok(source: string, files?: Record<string, string>): string {
  const result = python.run(source, files ? { files } : {});
  expect(result.errors).toBe('');
  return result.output;
}
