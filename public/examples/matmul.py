"""
Matmul, fused with what follows it
==================================

relu(A @ B + bias), twice: as one kernel, and as three (product, bias, activation). The arithmetic
is the same; the three kernels also write the product to memory and read it back, twice. The
benchmark shows what fusion saves.

A program computes one BLOCK_M × BLOCK_N tile of C. It walks along K, multiplying a tile of A with
a tile of B in every step, and keeps the sum in registers. Programs are numbered so that
neighbours share rows of A and columns of B while those are still in the cache: see `tile_of`.

Which block sizes are best depends on the GPU, so `triton.autotune` measures.
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()

CONFIGS = [
    triton.Config(
        {"BLOCK_M": m, "BLOCK_N": n, "BLOCK_K": k, "GROUP_M": 4}, num_warps=warps, num_stages=3
    )
    for m, n, k, warps in [
        (64, 128, 16, 4),
        (128, 64, 16, 4),
        (128, 128, 16, 8),
        (64, 64, 32, 4),
        (32, 32, 32, 2),
    ]
]


@triton.jit
def tile_of(pid, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, GROUP_M: tl.constexpr):
    """Which tile program `pid` computes: down GROUP_M rows of tiles, then on to the next column."""
    tiles_m = tl.cdiv(M, BLOCK_M)
    tiles_n = tl.cdiv(N, BLOCK_N)
    group = pid // (GROUP_M * tiles_n)
    first_m = group * GROUP_M
    # The last group may have fewer rows.
    rows = min(tiles_m - first_m, GROUP_M)
    inside = pid % (GROUP_M * tiles_n)
    return first_m + inside % rows, inside // rows


@triton.jit
def relu(x):
    return tl.where(x >= 0, x, 0.0)


@triton.autotune(configs=CONFIGS, key=["M", "N", "K"])
@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, bias_ptr, c_ptr,
    M, N, K,
    stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    FUSED: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    pid_m, pid_n = tile_of(tl.program_id(0), M, N, BLOCK_M, BLOCK_N, GROUP_M)
    rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    ks = tl.arange(0, BLOCK_K)
    # Rows and columns past the edge wrap around: they read something harmless and are not stored.
    a_ptrs = a_ptr + (rows % M)[:, None] * stride_am + ks[None, :] * stride_ak
    b_ptrs = b_ptr + ks[:, None] * stride_bk + (columns % N)[None, :] * stride_bn

    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        # Past the end of K the tiles are filled with zeros, which add nothing.
        left = K - k * BLOCK_K
        a = tl.load(a_ptrs, mask=ks[None, :] < left, other=0.0)
        b = tl.load(b_ptrs, mask=ks[:, None] < left, other=0.0)
        # "ieee": full float32 products. The default on NVIDIA is TF32, with 10 bits of mantissa.
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_ptrs += BLOCK_K * stride_ak
        b_ptrs += BLOCK_K * stride_bk

    if FUSED:
        # The tile is still in registers: bias and activation cost no trip to memory.
        bias = tl.load(bias_ptr + columns, mask=columns < N, other=0.0)
        acc = relu(acc + bias[None, :])
    c_ptrs = c_ptr + rows[:, None] * stride_cm + columns[None, :] * stride_cn
    tl.store(c_ptrs, acc, mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def bias_kernel(c_ptr, bias_ptr, size, N, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < size
    bias = tl.load(bias_ptr + offsets % N, mask=mask)
    tl.store(c_ptr + offsets, tl.load(c_ptr + offsets, mask=mask) + bias, mask=mask)


@triton.jit
def relu_kernel(c_ptr, size, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    mask = offsets < size
    tl.store(c_ptr + offsets, relu(tl.load(c_ptr + offsets, mask=mask)), mask=mask)


def matmul(a, b, bias=None):
    """relu(a @ b + bias); without a bias, a @ b."""
    M, K = a.shape
    K, N = b.shape
    c = torch.empty((M, N), device=a.device, dtype=torch.float32)
    grid = lambda meta: (triton.cdiv(M, meta["BLOCK_M"]) * triton.cdiv(N, meta["BLOCK_N"]),)
    matmul_kernel[grid](
        a, b, bias, c,
        M, N, K,
        a.stride(0), a.stride(1), b.stride(0), b.stride(1), c.stride(0), c.stride(1),
        FUSED=bias is not None,
    )
    return c


def matmul_in_three(a, b, bias):
    """The same as three kernels."""
    c = matmul(a, b)
    grid = (triton.cdiv(c.numel(), 1024),)
    bias_kernel[grid](c, bias, c.numel(), c.shape[1], BLOCK_SIZE=1024)
    relu_kernel[grid](c, c.numel(), BLOCK_SIZE=1024)
    return c


torch.manual_seed(0)
# No size is a multiple of a block: every edge has its mask.
a = torch.randn((600, 200), device=DEVICE)
b = torch.randn((200, 390), device=DEVICE)
bias = torch.randn(390, device=DEVICE)
reference = torch.relu(a @ b + bias)
# A sum of 200 products is up to 60 large and rounded 200 times, by up to 2e-6 each. Roundings
# mostly cancel; what is left depends on the order of the additions, which is PyTorch's own there.
tolerance = {"atol": 2e-4, "rtol": 0}
fused = matmul(a, b, bias)
print(fused)
same = torch.allclose(fused, reference, **tolerance)
print("one kernel, as PyTorch computes it:", same)
three = matmul_in_three(a, b, bias)
same = torch.allclose(three, reference, **tolerance)
print("three kernels, as PyTorch computes it:", same)
# The strides say where elements lie, so a transposed matrix needs no copy.
same = torch.allclose(matmul(b.T, a.T), (a @ b).T, **tolerance)
print("transposed, as PyTorch computes it:", same)


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["size"],
        x_vals=[128, 256, 512],
        line_arg="provider",
        line_vals=["fused", "three", "torch"],
        line_names=["one kernel", "three kernels", "PyTorch"],
        ylabel="TFLOP/s",
        plot_name="matmul",
        args={},
    )
)
def benchmark(size, provider):
    a = torch.randn((size, size), device=DEVICE)
    b = torch.randn((size, size), device=DEVICE)
    bias = torch.randn(size, device=DEVICE)
    run = {
        "fused": lambda: matmul(a, b, bias),
        "three": lambda: matmul_in_three(a, b, bias),
        "torch": lambda: torch.relu(a @ b + bias),
    }[provider]
    ms = triton.testing.do_bench(run)
    return 2 * size**3 * 1e-12 / (ms * 1e-3)


benchmark.run(print_data=True)
