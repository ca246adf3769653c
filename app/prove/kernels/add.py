"""Adds two tensors, a block of elements a program."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x, y, BLOCK=64):
    x, y = x.contiguous(), y.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, BLOCK),)](x, y, out, n, BLOCK=BLOCK)
    return out


x, y = torch.randn(300, device="cuda"), torch.randn(300, device="cuda")
print(torch.allclose(add(x, y), x + y, rtol=1e-4, atol=1e-5))
sweep(
    add, lambda x, y: x + y, x=tensor("M", "N"), y=tensor("M", "N"), BLOCK=one_of(64, 32), elements=2**11,
    cases=25, raises=False,
)
