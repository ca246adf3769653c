"""A matrix product, a tile of the result a program, any strides."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, B: tl.constexpr, BK: tl.constexpr):
    m = tl.program_id(0) * B + tl.arange(0, B)
    n = tl.program_id(1) * B + tl.arange(0, B)
    acc = tl.zeros((B, B), tl.float32)
    for start in range(0, K, BK):
        k = start + tl.arange(0, BK)
        a = tl.load(a_ptr + m[:, None] * stride_am + k[None, :] * stride_ak, mask=(m[:, None] < M) & (k[None, :] < K), other=0.0)
        b = tl.load(b_ptr + k[:, None] * stride_bk + n[None, :] * stride_bn, mask=(k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))


def matmul(a, b, BK=16):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=a.dtype, device=a.device)
    matmul_kernel[(triton.cdiv(M, 16), triton.cdiv(N, 16))](a, b, c, M, N, K, *a.stride(), *b.stride(), B=16, BK=BK)
    return c


a, b = torch.randn(32, 32, device="cuda"), torch.randn(32, 32, device="cuda")
print(torch.allclose(matmul(a, b), a @ b, rtol=1e-4, atol=1e-5))
sweep(
    matmul, lambda a, b: a @ b, a=tensor("M", "K"), b=tensor("K", "N"), BK=one_of(16, 32),
    sizes={"M": range(36), "N": range(36), "K": range(260)}, terms="K", elements=2**11, cases=25,
    raises=False,
)
