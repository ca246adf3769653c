"""
A prefix sum longer than a tile
===============================

Each element becomes the sum of all before it and itself. Three launches: sums within blocks, a scan of the blocks' totals, and the totals
added back.

Teaches: tl.cumsum, and how programs that cannot wait for each other work together: by launches.
Costs: the data is read twice and written twice.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def block_kernel(x_ptr, out_ptr, total_ptr, n, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    offsets = block * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.store(out_ptr + offsets, tl.cumsum(x, axis=0), mask=offsets < n)
    tl.store(total_ptr + block, tl.sum(x, axis=0))


@triton.jit
def total_kernel(total_ptr, blocks, BLOCK: tl.constexpr):
    carry = 0
    for start in range(0, blocks, BLOCK):
        offsets = start + tl.arange(0, BLOCK)
        x = tl.load(total_ptr + offsets, mask=offsets < blocks, other=0)
        # Exclusive: what came before the block.
        tl.store(total_ptr + offsets, carry + tl.cumsum(x, axis=0) - x, mask=offsets < blocks)
        carry += tl.sum(x, axis=0)


@triton.jit
def add_kernel(out_ptr, total_ptr, n, BLOCK: tl.constexpr):
    block = tl.program_id(0)
    offsets = block * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(out_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, x + tl.load(total_ptr + block), mask=offsets < n)


def prefix_sum(x):
    n = x.numel()
    blocks = triton.cdiv(n, 512)
    out = torch.empty_like(x)
    totals = torch.empty(blocks, dtype=x.dtype, device=x.device)
    block_kernel[(blocks,)](x, out, totals, n, BLOCK=512)
    total_kernel[(1,)](totals, blocks, BLOCK=64)
    add_kernel[(blocks,)](out, totals, n, BLOCK=512)
    return out


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x = torch.randint(-50, 50, (100_001,), device=DEVICE).to(torch.int32)
print("as torch computes it:", torch.equal(prefix_sum(x).to(torch.int64), torch.cumsum(x, dim=0)))
measure("prefix sum", lambda: prefix_sum(x), 4 * x.numel() * 4, "GB/s")
