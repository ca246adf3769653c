"""The sum of all numbers: a program a block, added with atomics."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def total_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    tl.atomic_add(out_ptr, tl.sum(x.to(tl.float32), axis=0))


def split_sum(x, BLOCK=32):
    x = x.contiguous()
    out = torch.zeros((), dtype=torch.float32, device=x.device)
    n = x.numel()
    total_kernel[(triton.cdiv(n, BLOCK),)](x, out, n, BLOCK=BLOCK)
    return out


x = torch.ones(200, device="cuda")
print(torch.allclose(split_sum(x), x.sum(), rtol=1e-4, atol=1e-5))
sweep(
    split_sum, lambda x: x.sum(), x=tensor("N"), BLOCK=one_of(32, 64), terms="N", elements=2**11, cases=25,
    raises=False,
)
