"""Adds a bias to each row, and takes the positive part."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import sweep, tensor


@triton.jit
def bias_kernel(x_ptr, bias_ptr, out_ptr, M, N, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    columns = tl.program_id(1) * B + tl.arange(0, B)
    mask = (rows[:, None] < M) & (columns[None, :] < N)
    x = tl.load(x_ptr + rows[:, None] * N + columns[None, :], mask=mask)
    bias = tl.load(bias_ptr + columns, mask=columns < N)
    tl.store(out_ptr + rows[:, None] * N + columns[None, :], tl.maximum(x + bias[None, :], 0.0), mask=mask)


def bias_relu(x, bias):
    x, bias = x.contiguous(), bias.contiguous()
    M, N = x.shape
    out = torch.empty_like(x)
    bias_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](x, bias, out, M, N, B=16)
    return out


x, bias = torch.randn(20, 20, device="cuda"), torch.randn(20, device="cuda")
print(torch.allclose(bias_relu(x, bias), torch.relu(x + bias), rtol=1e-4, atol=1e-5))
sweep(
    bias_relu, lambda x, bias: torch.relu(x + bias),
    x=tensor("M", "N", values=("normal", "integers", "zeros", "huge", "inf")),
    bias=tensor("N", values=("normal", "integers", "zeros")), elements=2**11, cases=25, raises=False,
)
