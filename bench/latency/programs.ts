/**
 * The programs that the latencies are measured on: large ones, where a page that does too much
 * shows it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Near what the compiler lets a kernel unroll to: its first IR has about 100,000 lines. */
export const LONG = `
import torch
import triton
import triton.language as tl


@triton.jit
def long(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    for i in tl.static_range(12490):
        x = tl.where(x > i, x - 0.25, x)
    tl.store(out_ptr + offsets, x, mask=mask)


n: int = 256
x = torch.rand(n, device="cuda")
out = torch.empty_like(x)
long[(1,)](x, out, n, BLOCK=256)
`;

/** 16,777,216 elements a tensor, and a comparison of two of them. */
export const LARGE = `
import torch
import triton
import triton.language as tl


@triton.jit
def ramp(out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, offsets.to(tl.float32), mask=offsets < n)


out = torch.zeros(4096, 4096, device="cuda")
ramp[(triton.cdiv(out.numel(), 1024),)](out, out.numel(), BLOCK=1024)
expected = torch.arange(out.numel(), dtype=torch.float32).reshape(4096, 4096)
expected[17, 4000] += 5
print(torch.allclose(out.cpu(), expected))
`;

/** Three kernels' files of the gallery in one: what a person keeps who writes real kernels. */
export function kernelFile(root: string): string {
  return ['fused_attention.py', 'matmul.py', 'attention_backward.py']
    .map((name) => readFileSync(join(root, 'public', 'examples', name), 'utf8'))
    .join('\n\n');
}

/** A small one, for what should take no time at all. */
export const SMALL = `
import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * 2.0, mask=mask)


x = torch.rand(5000, device="cuda")
out = torch.empty_like(x)
double[(triton.cdiv(5000, 256),)](x, out, 5000, BLOCK=256)
print("done")
`;
