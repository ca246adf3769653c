"""
Grouped GEMM
============

Products of different shapes in one launch, as in a mixture of experts: each expert gets as many rows as were sent to it. A table
lists the tiles of all products; programs find theirs there.

Teaches: one launch for uneven work; tables made on the host.
Costs: the table, and tiles that are half empty where an expert got few rows.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def grouped_kernel(
    x_ptr, w_ptr, y_ptr, expert_ptr, first_ptr, end_ptr, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):
    tile = tl.program_id(0)
    expert = tl.load(expert_ptr + tile)
    rows = tl.load(first_ptr + tile) + tl.arange(0, BM)
    exists = rows < tl.load(end_ptr + tile)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ks = k + tl.arange(0, BK)
        x = tl.load(x_ptr + rows[:, None] * K + ks[None, :], mask=exists[:, None] & (ks[None, :] < K), other=0.0)
        w = tl.load(
            w_ptr + expert * K * N + ks[:, None] * N + cols[None, :],
            mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0,
        )
        acc = tl.dot(x, w, acc, input_precision="ieee")
    tl.store(y_ptr + rows[:, None] * N + cols[None, :], acc, mask=exists[:, None] & (cols[None, :] < N))


def grouped(x, w, sizes, BM=16):
    """x: [rows, K], sorted by expert; w: [experts, K, N]; sizes: rows of each expert."""
    N, K = w.shape[2], w.shape[1]
    tiles, start = [], 0
    for expert, size in enumerate(sizes):
        tiles += [(expert, first, start + size) for first in range(start, start + size, BM)]
        start += size
    experts, firsts, ends = (torch.tensor(t, dtype=torch.int32, device=x.device) for t in zip(*tiles))
    y = torch.empty(x.shape[0], N, device=x.device)
    grid = (len(tiles), triton.cdiv(N, 32))
    grouped_kernel[grid](x, w, y, experts, firsts, ends, N, K, BM=BM, BN=32, BK=32)
    return y


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
sizes = [33, 0, 5, 90, 1]
x = torch.randn(sum(sizes), 70, device=DEVICE)
w = torch.randn(len(sizes), 70, 45, device=DEVICE)
y = grouped(x, w, sizes)
parts, start = [], 0
for expert, size in enumerate(sizes):
    parts.append(x[start : start + size] @ w[expert])
    start += size
# 70 products are summed in float32, in two orders.
print("every expert is right:", torch.allclose(y, torch.cat(parts), atol=5e-5, rtol=0))
measure("grouped", lambda: grouped(x, w, sizes), 2 * sum(sizes) * 70 * 45, "GFLOP/s")
