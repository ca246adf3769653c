"""Counts numbers from 0 to 15, with atomics."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def count_kernel(x_ptr, counts_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0)
    tl.atomic_add(counts_ptr + x, 1, mask=mask)


def histogram(x, BLOCK=32):
    x = x.contiguous()
    counts = torch.zeros(16, dtype=torch.int32, device=x.device)
    n = x.numel()
    count_kernel[(triton.cdiv(n, BLOCK),)](x, counts, n, BLOCK=BLOCK)
    return counts


x = torch.randint(0, 16, (200,), dtype=torch.int32, device="cuda")
print(torch.allclose(histogram(x), torch.bincount(x, minlength=16).to(torch.int32), rtol=1e-4, atol=1e-5))
sweep(
    histogram, lambda x: torch.bincount(x.reshape(-1), minlength=16),
    x=tensor("N", dtype=torch.int32, low=0, high=16), BLOCK=one_of(32, 64), dtypes=[torch.float32],
    elements=2**11, cases=25, raises=False,
)
