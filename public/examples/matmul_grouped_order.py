"""
Matmul in grouped order
=======================

Programs run roughly in the order of their ids. Going along a whole row of tiles, they read all of B before any of it is used
again. Going through a group of rows column by column, they keep a small part of A and B in the cache.

Teaches: program ids are yours to rearrange.
Costs: a division or two for each program; it pays where the matrices exceed the cache.
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
def store_tile(c_ptr, acc, row, col, M, N, BM: tl.constexpr, BN: tl.constexpr):
    rows = row * BM + tl.arange(0, BM)
    cols = col * BN + tl.arange(0, BN)
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=mask)


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr):
    down, across = tl.cdiv(M, BM), tl.cdiv(N, BN)
    pid = tl.program_id(0)
    group = pid // (GROUP * across)
    first = group * GROUP
    height = min(down - first, GROUP)
    within = pid % (GROUP * across)
    row, col = first + within % height, within // height
    acc = tile_product(a_ptr, b_ptr, row, col, 0, K, M, N, K, BM, BN, BK)
    store_tile(c_ptr, acc, row, col, M, N, BM, BN)


def matmul(a, b, group=4):
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty(M, N, device=a.device)
    grid = (triton.cdiv(M, 32) * triton.cdiv(N, 32),)
    matmul_kernel[grid](a, b, c, M, N, K, BM=32, BN=32, BK=32, GROUP=group)
    return c


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
M, N, K = 300, 250, 200
a = torch.randn(M, K, device=DEVICE)
b = torch.randn(K, N, device=DEVICE)
c = matmul(a, b)
# 200 products are summed in float32, in two orders.
print("as torch computes it:", torch.allclose(c, a @ b, atol=2e-4, rtol=0))
measure("matmul", lambda: matmul(a, b), 2 * M * N * K, "GFLOP/s")
