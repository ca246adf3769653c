"""
Split-K matmul
==============

A product with few rows and columns but a long K has too few tiles to fill a GPU. So several programs share one tile, each takes a
part of K, and they add up with atomics.

Teaches: tl.atomic_add on a tile, results that depend on the order of additions.
Costs: the output is zeroed first, and written once for each split.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def tile_product(a_ptr, b_ptr, row, col, begin, end, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The tile (row, col) of A @ B, summed over k from `begin` to `end`; row-major A and B."""
    rows = row * BM + tl.arange(0, BM)
    cols = col * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(begin, end, BK):
        ks = k + tl.arange(0, BK)
        a = tl.load(a_ptr + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < end), other=0.0)
        b = tl.load(b_ptr + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < end) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    return acc


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, share, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, col = tl.program_id(0), tl.program_id(1)
    begin = tl.program_id(2) * share
    end = tl.minimum(begin + share, K)
    acc = tile_product(a_ptr, b_ptr, row, col, begin, end, M, N, K, BM, BN, BK)
    rows = row * BM + tl.arange(0, BM)
    cols = col * BN + tl.arange(0, BN)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.atomic_add(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=mask)


def matmul(a, b, splits=4):
    (M, K), N = a.shape, b.shape[1]
    c = torch.zeros(M, N, device=a.device)
    share = triton.cdiv(triton.cdiv(K, splits), 32) * 32
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32), splits)
    matmul_kernel[grid](a, b, c, M, N, K, share, BM=32, BN=32, BK=32)
    return c


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
M, N, K = 60, 50, 3073
a = torch.randn(M, K, device=DEVICE)
b = torch.randn(K, N, device=DEVICE)
c = matmul(a, b)
# 3,073 products are summed in float32, in two orders; the atomics add theirs as they come.
print("as torch computes it:", torch.allclose(c, a @ b, atol=2e-3, rtol=0))
measure("matmul", lambda: matmul(a, b), 2 * M * N * K, "GFLOP/s")
