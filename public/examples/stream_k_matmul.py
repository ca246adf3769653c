"""
Stream-K matmul
===============

The work of a matmul is tiles times steps along K. Stream-K gives every program the same number of *steps*, also when that means that
it ends in the middle of a tile and another program finishes it. Nobody waits for a last, half-empty wave of programs.

Teaches: work that is cut without regard to tiles; partial sums merged by atomics.
Costs: tiles that are shared are added up atomically; the output is zeroed first.
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
    across, depth = tl.cdiv(N, BN), tl.cdiv(K, BK)
    step = tl.program_id(0) * share
    last = tl.minimum(step + share, tl.cdiv(M, BM) * across * depth)
    while step < last:
        tile = step // depth
        row, col = tile // across, tile % across
        # As far as this tile or this program's share goes.
        until = tl.minimum(last, (tile + 1) * depth)
        begin = (step - tile * depth) * BK
        end = tl.minimum((until - tile * depth) * BK, K)
        acc = tile_product(a_ptr, b_ptr, row, col, begin, end, M, N, K, BM, BN, BK)
        rows = row * BM + tl.arange(0, BM)
        cols = col * BN + tl.arange(0, BN)
        mask = (rows[:, None] < M) & (cols[None, :] < N)
        tl.atomic_add(c_ptr + rows[:, None] * N + cols[None, :], acc, mask=mask)
        step = until


def matmul(a, b, programs=12):
    (M, K), N = a.shape, b.shape[1]
    c = torch.zeros(M, N, device=a.device)
    steps = triton.cdiv(M, 32) * triton.cdiv(N, 32) * triton.cdiv(K, 32)
    matmul_kernel[(programs,)](a, b, c, M, N, K, triton.cdiv(steps, programs), BM=32, BN=32, BK=32)
    return c


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
M, N, K = 130, 100, 500
a = torch.randn(M, K, device=DEVICE)
b = torch.randn(K, N, device=DEVICE)
c = matmul(a, b)
# 500 products are summed in float32, in two orders; the atomics add theirs as they come.
print("as torch computes it:", torch.allclose(c, a @ b, atol=4e-4, rtol=0))
measure("matmul", lambda: matmul(a, b), 2 * M * N * K, "GFLOP/s")
