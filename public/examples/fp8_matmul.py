"""
Matmul with fp8 weights
=======================

Weights as float8 (e4m3: 4 bits of exponent, 3 of fraction), with one scale for the matrix. A float8 has no even steps: it is fine
near zero and coarse where numbers are large.

Teaches: tl.float8e4nv tiles, and what 8 bits can say.
Costs: a conversion for each weight, done in integers where the GPU has no fp8.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def matmul_kernel(x_ptr, w_ptr, y_ptr, scale, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ks = k + tl.arange(0, BK)
        x = tl.load(x_ptr + rows[:, None] * K + ks[None, :], mask=(rows[:, None] < M) & (ks[None, :] < K), other=0.0)
        w = tl.load(w_ptr + ks[:, None] * N + cols[None, :], mask=(ks[:, None] < K) & (cols[None, :] < N), other=0.0)
        acc = tl.dot(x, w.to(tl.float32), acc, input_precision="ieee")
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(y_ptr + rows[:, None] * N + cols[None, :], acc * scale, mask=mask)


def matmul(x, w8, scale):
    (M, K), N = x.shape, w8.shape[1]
    y = torch.empty(M, N, device=x.device)
    grid = (triton.cdiv(M, 16), triton.cdiv(N, 32))
    matmul_kernel[grid](x, w8, y, scale, M, N, K, BM=16, BN=32, BK=32)
    return y


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x, w = torch.randn(30, 200, device=DEVICE), torch.randn(200, 150, device=DEVICE)
# 448 is the largest number that e4m3 has.
scale = float(w.abs().max()) / 448
w8 = (w / scale).to(torch.float8_e4m3fn)
y = matmul(x, w8, scale)
# 200 products are summed in float32, in two orders.
print("of the rounded weights:", torch.allclose(y, x @ (w8.to(torch.float32) * scale), atol=2e-4, rtol=0))
print(f"rounding costs {float((y - x @ w).abs().max() / (x @ w).abs().max()):.2%} of the largest output")
measure("fp8 matmul", lambda: matmul(x, w8, scale), w8.numel() + (x.numel() + y.numel()) * 4, "GB/s")
