"""Moves each number one place to the left; the last stays."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def shift_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    source = tl.minimum(offsets + 1, n - 1)
    x = tl.load(x_ptr + source, mask=offsets < n)
    tl.store(out_ptr + offsets, x, mask=offsets < n)


def shift(x, BLOCK=32):
    x = x.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    shift_kernel[(triton.cdiv(n, BLOCK),)](x, out, n, BLOCK=BLOCK)
    return out


x = torch.randn(100, device="cuda")
print(torch.allclose(shift(x), torch.cat([x[1:], x[-1:]]), rtol=1e-4, atol=1e-5))
sweep(
    shift, lambda x: torch.cat([x[1:], x[-1:]]), x=tensor("N"), BLOCK=one_of(32, 64),
    sizes={"N": range(1, 300)}, elements=2**11, cases=25, raises=False,
)
