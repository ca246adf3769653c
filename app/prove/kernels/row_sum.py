"""Sums each row, in pieces of a block."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def sum_kernel(x_ptr, out_ptr, N, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + row * stride + columns, mask=columns < N, other=0.0)
    tl.store(out_ptr + row, tl.sum(acc, axis=0))


def row_sum(x, BLOCK=32):
    if x.stride(1) != 1:
        x = x.contiguous()
    M, N = x.shape
    out = torch.empty((M,), dtype=x.dtype, device=x.device)
    sum_kernel[(M,)](x, out, N, x.stride(0), BLOCK=BLOCK)
    return out


x = torch.randn(5, 100, device="cuda")
print(torch.allclose(row_sum(x), x.sum(1), rtol=1e-4, atol=1e-5))
sweep(
    row_sum, lambda x: x.sum(1), x=tensor("M", "N"), BLOCK=one_of(32, 64), terms="N", elements=2**11,
    cases=25, raises=False,
)
