"""
Matmul with int4 weights
========================

Two weights in a byte, with a scale and a zero for each group of 32 along K. The kernel unpacks them with shifts, and joins the
two halves into one tile.

Teaches: packed integers, tl.join, group-wise scales.
Costs: shifts and masks for each byte; an eighth of the bytes of float32.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

GROUP = tl.constexpr(32)


@triton.jit
def matmul_kernel(
    x_ptr, packed_ptr, scale_ptr, zero_ptr, y_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr
):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    cols = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for group in range(0, K // GROUP):
        ks = group * GROUP + tl.arange(0, GROUP)
        x = tl.load(x_ptr + rows[:, None] * K + ks[None, :], mask=rows[:, None] < M, other=0.0)
        # Byte i of a group holds weights 2i (low) and 2i + 1 (high).
        bytes = group * (GROUP // 2) + tl.arange(0, GROUP // 2)
        packed = tl.load(packed_ptr + bytes[:, None] * N + cols[None, :], mask=cols[None, :] < N, other=0)
        low, high = packed & 15, packed >> 4
        w = tl.join(low, high).permute(0, 2, 1).reshape(GROUP, BN).to(tl.float32)
        scale = tl.load(scale_ptr + group * N + cols, mask=cols < N, other=0.0)
        zero = tl.load(zero_ptr + group * N + cols, mask=cols < N, other=0.0)
        acc = tl.dot(x, (w - zero[None, :]) * scale[None, :], acc, input_precision="ieee")
    mask = (rows[:, None] < M) & (cols[None, :] < N)
    tl.store(y_ptr + rows[:, None] * N + cols[None, :], acc, mask=mask)


def quantize(w):
    """@returns packed uint8 [K / 2, N]; scales and zeros [K / 32, N]; what the numbers became."""
    K, N = w.shape
    groups = w.reshape(K // 32, 32, N)
    low, high = groups.amin(dim=1), groups.amax(dim=1)
    scale = (high - low) / 15
    zero = torch.round(-low / scale)
    q = torch.clamp(torch.round(groups / scale[:, None]) + zero[:, None], 0, 15)
    back = ((q - zero[:, None]) * scale[:, None]).reshape(K, N)
    q = q.reshape(K // 2, 2, N).to(torch.int32)
    return (q[:, 0] + 16 * q[:, 1]).to(torch.uint8), scale, zero, back


def matmul(x, packed, scale, zero):
    (M, K), N = x.shape, packed.shape[1]
    y = torch.empty(M, N, device=x.device)
    grid = (triton.cdiv(M, 16), triton.cdiv(N, 32))
    matmul_kernel[grid](x, packed, scale, zero, y, M, N, K, BM=16, BN=32)
    return y


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x, w = torch.randn(20, 128, device=DEVICE), torch.randn(128, 100, device=DEVICE)
packed, scale, zero, back = quantize(w)
y = matmul(x, packed, scale, zero)
# 128 products are summed in float32, in two orders.
print("of the rounded weights:", torch.allclose(y, x @ back, atol=1e-4, rtol=0))
print(f"largest rounding of a weight: {float((back - w).abs().max()):.3f}")
measure("int4 matmul", lambda: matmul(x, packed, scale, zero), 2 * 20 * 128 * 100, "GFLOP/s")
