"""Transposes a matrix, a square tile a program."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def transpose_kernel(x_ptr, out_ptr, M, N, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.program_id(1) * B + tl.arange(0, B)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :], mask=mask)
    tl.store(out_ptr + columns[None, :] * M + rows[:, None], x, mask=mask)


def transpose(x, B=16):
    x = x.contiguous()
    M, N = x.shape
    out = torch.empty((N, M), dtype=x.dtype, device=x.device)
    transpose_kernel[(triton.cdiv(M, B), triton.cdiv(N, B))](x, out, M, N, B=B)
    return out


x = torch.randn(40, 40, device="cuda")
print(torch.allclose(transpose(x), x.T, rtol=1e-4, atol=1e-5))
sweep(
    transpose, lambda x: x.T, x=tensor("M", "N"), B=one_of(16, 32), elements=2**11, cases=25, raises=False,
)
