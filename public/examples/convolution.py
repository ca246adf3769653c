"""
A 2D convolution as a matmul
============================

A convolution is a matmul whose left matrix is never made: row = a place in the picture, column = a channel and a place in the filter. The
kernel computes for each element of that matrix where it lies in the picture.

Teaches: implicit matrices: index arithmetic in place of copies; padding by masks.
Costs: each pixel is read once for each place of the filter, mostly from the cache.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def conv_kernel(
    x_ptr, w_ptr, y_ptr, C, H, W, OC, SIZE: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):
    image = tl.program_id(2)
    place = tl.program_id(0) * BM + tl.arange(0, BM)
    row, col = place // W, place % W
    out = tl.program_id(1) * BN + tl.arange(0, BN)
    K = C * SIZE * SIZE
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        ks = k + tl.arange(0, BK)
        channel, tap = ks // (SIZE * SIZE), ks % (SIZE * SIZE)
        r = row[:, None] + (tap // SIZE - SIZE // 2)[None, :]
        c = col[:, None] + (tap % SIZE - SIZE // 2)[None, :]
        inside = (r >= 0) & (r < H) & (c >= 0) & (c < W) & (place[:, None] < H * W) & (ks[None, :] < K)
        x = tl.load(x_ptr + ((image * C + channel[None, :]) * H + r) * W + c, mask=inside, other=0.0)
        w = tl.load(w_ptr + out[None, :] * K + ks[:, None], mask=(out[None, :] < OC) & (ks[:, None] < K), other=0.0)
        acc = tl.dot(x, w, acc, input_precision="ieee")
    mask = (place[:, None] < H * W) & (out[None, :] < OC)
    tl.store(y_ptr + (image * OC + out[None, :]) * H * W + place[:, None], acc, mask=mask)


def conv2d(x, w):
    """Stride 1, and padded so that the size stays."""
    B, C, H, W = x.shape
    OC, size = w.shape[0], w.shape[2]
    y = torch.empty(B, OC, H, W, device=x.device)
    grid = (triton.cdiv(H * W, 32), triton.cdiv(OC, 16), B)
    conv_kernel[grid](x, w, y, C, H, W, OC, SIZE=size, BM=32, BN=16, BK=32)
    return y


def reference(x, w):
    """Sums of shifted pictures."""
    B, C, H, W = x.shape
    half = w.shape[2] // 2
    wide = torch.zeros(B, C, H + 2 * half, W + 2 * half, device=x.device)
    wide[:, :, half : half + H, half : half + W] = x
    y = torch.zeros(B, w.shape[0], H, W, device=x.device)
    for r in range(w.shape[2]):
        for c in range(w.shape[3]):
            window = wide[:, :, r : r + H, c : c + W].reshape(B, C, H * W)
            y += (w[:, :, r, c] @ window).reshape(B, w.shape[0], H, W)
    return y


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x = torch.randn(2, 5, 20, 23, device=DEVICE)
w = torch.randn(18, 5, 3, 3, device=DEVICE)
# 45 products are summed in float32, in two orders.
print("as torch computes it:", torch.allclose(conv2d(x, w), reference(x, w), atol=3e-5, rtol=0))
measure("conv2d", lambda: conv2d(x, w), 2 * 2 * 20 * 23 * 18 * 45, "GFLOP/s")
