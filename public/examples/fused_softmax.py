"""
Fused softmax
=============

Softmax over the rows of a matrix: exp(x - max) / sum(exp(x - max)). Step by step, each of max,
subtraction, exp, sum and division reads and writes the whole matrix in memory. *Fused* into one
kernel, a row is read once, stays in registers for all five, and is written once.

One program takes one row at a time, so a row must fit into a tile: its width is rounded up to the
next power of two, and the rest is masked with -inf, whose exponential is zero.
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def softmax_kernel(
    out_ptr, x_ptr, out_stride, x_stride, n_rows, n_cols, BLOCK_SIZE: tl.constexpr
):
    columns = tl.arange(0, BLOCK_SIZE)
    mask = columns < n_cols
    # There may be fewer programs than rows: then each takes every num_programs-th one.
    for row in tl.range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * x_stride + columns, mask=mask, other=-float("inf"))
        # Subtracting the maximum changes nothing mathematically, and keeps exp from overflowing.
        numerator = tl.exp(x - tl.max(x, axis=0))
        y = numerator / tl.sum(numerator, axis=0)
        tl.store(out_ptr + row * out_stride + columns, y, mask=mask)


def softmax(x: torch.Tensor) -> torch.Tensor:
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    block_size = triton.next_power_of_2(n_cols)
    # Wide rows want more threads to share the work of a program.
    num_warps = 4 if block_size <= 2048 else 8
    grid = (min(n_rows, 16384),)
    softmax_kernel[grid](
        out, x, out.stride(0), x.stride(0), n_rows, n_cols,
        BLOCK_SIZE=block_size, num_warps=num_warps,
    )
    return out


def naive_softmax(x: torch.Tensor) -> torch.Tensor:
    """The same, one operation at a time."""
    numerator = torch.exp(x - x.max(dim=1, keepdim=True)[0])
    return numerator / numerator.sum(dim=1, keepdim=True)


# An odd shape on purpose: nothing here is a multiple of a power of two.
torch.manual_seed(0)
x = torch.randn(1823, 781, device=DEVICE)
y = softmax(x)
print("rows sum to", y.sum(dim=1).min().item(), "…", y.sum(dim=1).max().item())
# allclose allows 1e-5 of each number: the exp of a GPU is off by a few units in the last place.
print("as PyTorch computes it:", torch.allclose(y, torch.softmax(x, dim=1)))
print("as step by step:", torch.allclose(y, naive_softmax(x)))


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["n_cols"],
        x_vals=[256, 512, 1024, 2048],
        line_arg="provider",
        line_vals=["triton", "torch", "naive"],
        line_names=["Triton", "PyTorch", "step by step"],
        ylabel="GB/s",
        plot_name="softmax",
        args={"n_rows": 1024},
    )
)
def benchmark(n_rows, n_cols, provider):
    x = torch.randn(n_rows, n_cols, device=DEVICE)
    run = {
        "triton": lambda: softmax(x),
        "torch": lambda: torch.softmax(x, dim=1),
        "naive": lambda: naive_softmax(x),
    }[provider]
    ms = triton.testing.do_bench(run)
    # The least traffic: the matrix read once and written once.
    return 2 * x.numel() * x.element_size() * 1e-9 / (ms * 1e-3)


benchmark.run(print_data=True)
