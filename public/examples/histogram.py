"""
A histogram
===========

Each program counts its own elements with tl.histogram, and adds its counts to the total with one atomic for each bin: far fewer than one
for each element.

Teaches: tl.histogram, privatization before atomics.
Costs: one read of the data; atomics by bins and programs, not by elements.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def histogram_kernel(x_ptr, counts_ptr, n, low, high, BINS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=low)
    bins = ((x - low) * (BINS / (high - low))).to(tl.int32)
    bins = tl.minimum(tl.maximum(bins, 0), BINS - 1)
    counts = tl.histogram(bins, BINS, mask=mask)
    tl.atomic_add(counts_ptr + tl.arange(0, BINS), counts)


def histogram(x, low, high, bins=64):
    counts = torch.zeros(bins, dtype=torch.int32, device=x.device)
    n = x.numel()
    histogram_kernel[(triton.cdiv(n, 1024),)](x, counts, n, low, high, BINS=bins, BLOCK=1024)
    return counts


def reference(x, low, high, bins=64):
    place = ((x - low) * (bins / (high - low))).to(torch.int64).clamp(0, bins - 1)
    return (place[:, None] == torch.arange(bins, device=x.device)[None, :]).sum(dim=0).to(torch.int32)


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x = torch.randn(10_000, device=DEVICE)
counts = histogram(x, -4.0, 4.0)
print("all are counted:", int(counts.sum()) == 10_000)
print("as torch counts:", torch.equal(counts, reference(x, -4.0, 4.0)))
for i in range(0, 64, 8):
    print(f"{-4 + i / 8:5.1f} " + "█" * (int(counts[i : i + 8].sum()) // 80))
measure("histogram", lambda: histogram(x, -4.0, 4.0), x.numel() * 4, "GB/s")
