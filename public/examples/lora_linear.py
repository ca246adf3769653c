"""
A linear layer with LoRA, fused
===============================

y = x W + (x A) B · alpha: a large frozen matrix W and a small trained correction of rank 16. x is loaded once for both
products; x A stays in registers.

Teaches: two accumulators in one loop, a second dot at its end.
Costs: hardly more than x W alone, against a second pass over x for the correction by itself.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def lora_kernel(
    x_ptr, w_ptr, a_ptr, b_ptr, y_ptr, alpha, M, N, K,
    RANK: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    rank = tl.arange(0, RANK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    small = tl.zeros((BM, RANK), dtype=tl.float32)
    for k in range(0, K, BK):
        ks = k + tl.arange(0, BK)
        x = tl.load(x_ptr + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)
        w = tl.load(w_ptr + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)
        a = tl.load(a_ptr + ks[:, None] * RANK + rank[None, :], mask=ks[:, None] < K, other=0.0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
        small = tl.dot(x, a, small, input_precision="ieee")
    b = tl.load(b_ptr + rank[:, None] * N + cols[None, :], mask=cols[None, :] < N, other=0.0)
    acc = tl.dot(small * alpha, b, acc, input_precision="ieee")
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(y_ptr + rows[:, None] * N + cols[None, :], acc, mask=mask)


def linear(x, w, a, b, alpha):
    (M, K), N = x.shape, w.shape[1]
    y = torch.empty(M, N, device=x.device)
    grid = (triton.cdiv(M, 32), triton.cdiv(N, 32))
    lora_kernel[grid](x, w, a, b, y, alpha, M, N, K, RANK=a.shape[1], BM=32, BN=32, BK=32)
    return y


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x, w = torch.randn(70, 150, device=DEVICE), torch.randn(150, 90, device=DEVICE)
a, b = torch.randn(150, 16, device=DEVICE), torch.randn(16, 90, device=DEVICE)
y = linear(x, w, a, b, 0.25)
# 150 products and 16 times 150 more are summed in float32, in two orders.
print("as torch computes it:", torch.allclose(y, x @ w + 0.25 * (x @ a) @ b, atol=1e-4, rtol=0))
measure("linear", lambda: linear(x, w, a, b, 0.25), 2 * 70 * (150 * 90 + 150 * 16 + 16 * 90), "GFLOP/s")
