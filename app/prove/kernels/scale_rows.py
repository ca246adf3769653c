"""Multiplies each row of a matrix of any strides by its own factor, a tile of rows and columns a program."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def scale_kernel(x_ptr, w_ptr, out_ptr, M, N, stride_m, stride_n, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.program_id(1) * B + tl.arange(0, B)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    x = tl.load(x_ptr + rows[:, None] * stride_m + columns[None, :] * stride_n, mask=mask)
    w = tl.load(w_ptr + rows, mask=rows < M)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], x * w[:, None], mask=mask)


def scale_rows(x, w, B=16):
    M, N = x.shape
    out = torch.empty((M, N), dtype=x.dtype, device=x.device)
    scale_kernel[(triton.cdiv(M, B), triton.cdiv(N, B))](x, w.contiguous(), out, M, N, *x.stride(), B=B)
    return out


x, w = torch.randn(20, 20, device="cuda"), torch.randn(20, device="cuda")
print(torch.allclose(scale_rows(x, w), x * w[:, None], rtol=1e-4, atol=1e-5))
sweep(
    scale_rows, lambda x, w: x * w[:, None], x=tensor("M", "N"), w=tensor("M"), B=one_of(16, 32),
    elements=2**11, cases=25, raises=False,
)
