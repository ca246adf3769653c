"""
Batched matmul
==============

Many small products of the same shape in one launch: the batch is one more dimension of the grid. Strides are given for every
dimension, so that transposed and broadcast batches need no copy.

Teaches: three-dimensional grids, strides of views; a stride of 0 repeats a matrix.
Costs: the same as one matmul of the total size, if tiles fit.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def bmm_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, ab, am, ak, bb, bk, bn, cb, cm, cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):
    batch = tl.program_id(2)
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ks = k + tl.arange(0, BK)
        a = tl.load(
            a_ptr + batch * ab + rows[:, None] * am + ks[None, :] * ak,
            mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0,
        )
        b = tl.load(
            b_ptr + batch * bb + ks[:, None] * bk + cols[None, :] * bn,
            mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0,
        )
        acc = tl.dot(a, b, acc, input_precision="ieee")
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + batch * cb + rows[:, None] * cm + cols[None, :] * cn, acc, mask=mask)


def bmm(a, b):
    B, M, K = a.shape
    N = b.shape[2]
    c = torch.empty(B, M, N, device=a.device)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32), B)
    bmm_kernel[grid](a, b, c, M, N, K, *a.stride(), *b.stride(), *c.stride(), BM=32, BN=32, BK=32)
    return c


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
a = torch.randn(6, 70, 50, device=DEVICE)
b = torch.randn(6, 50, 40, device=DEVICE)
# 50 products are summed in float32, in two orders.
tolerance = {"atol": 4e-5, "rtol": 0}
print("batched:", torch.allclose(bmm(a, b), a @ b, **tolerance))
at = torch.randn(6, 50, 70, device=DEVICE).transpose(1, 2)
bt = torch.randn(6, 40, 50, device=DEVICE).transpose(1, 2)
print("transposed:", torch.allclose(bmm(at, bt), at @ bt, **tolerance))
one = torch.randn(1, 50, 40, device=DEVICE)
print("one matrix for all:", torch.allclose(bmm(a, one.expand(6, 50, 40)), a @ one, **tolerance))
measure("bmm", lambda: bmm(a, b), 2 * 6 * 70 * 40 * 50, "GFLOP/s")
