"""
Layer norm
==========

Each row of a matrix is shifted to mean 0 and scaled to variance 1, then multiplied by a weight and
shifted by a bias for each column. The kernel also keeps every row's mean and reciprocal standard
deviation: a backward pass would need them.

A row may be wider than a tile here: the program loops over it in steps of BLOCK_SIZE, first for the
mean, then for the variance, then to write the result. The variance is summed from differences
to the mean, which is more accurate than E[x²] - E[x]².
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def layer_norm_kernel(
    x_ptr, out_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr,
    stride, n_cols, eps,
    BLOCK_SIZE: tl.constexpr,
):
    row = tl.program_id(0)
    x_ptr += row * stride
    out_ptr += row * stride
    block = tl.arange(0, BLOCK_SIZE)

    # Partial sums stay spread over the tile; one reduction at the end makes a number of them.
    total = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for start in range(0, n_cols, BLOCK_SIZE):
        columns = start + block
        total += tl.load(x_ptr + columns, mask=columns < n_cols, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / n_cols

    squares = tl.zeros([BLOCK_SIZE], dtype=tl.float32)
    for start in range(0, n_cols, BLOCK_SIZE):
        columns = start + block
        x = tl.load(x_ptr + columns, mask=columns < n_cols, other=0.0).to(tl.float32)
        # The difference must count as zero outside of the columns.
        difference = tl.where(columns < n_cols, x - mean, 0.0)
        squares += difference * difference
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / n_cols + eps)

    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)

    for start in range(0, n_cols, BLOCK_SIZE):
        columns = start + block
        mask = columns < n_cols
        weight = tl.load(weight_ptr + columns, mask=mask)
        bias = tl.load(bias_ptr + columns, mask=mask)
        x = tl.load(x_ptr + columns, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + columns, (x - mean) * rstd * weight + bias, mask=mask)


def layer_norm(x, weight, bias, eps=1e-5):
    """Returns the normalized rows, their means and their reciprocal standard deviations."""
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    mean = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    rstd = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    block_size = min(triton.next_power_of_2(n_cols), 2048)
    num_warps = min(max(block_size // 256, 1), 8)
    layer_norm_kernel[(n_rows,)](
        x, out, weight, bias, mean, rstd, x.stride(0), n_cols, eps,
        BLOCK_SIZE=block_size, num_warps=num_warps,
    )
    return out, mean, rstd


torch.manual_seed(0)
x = -2.3 + 0.5 * torch.randn(1151, 3001, device=DEVICE)
weight = torch.rand(3001, device=DEVICE)
bias = torch.rand(3001, device=DEVICE)
out, mean, rstd = layer_norm(x, weight, bias)
# Sums of 3,001 numbers in two orders: a few units in the last place, and no more.
expected = torch.nn.functional.layer_norm(x, (3001,), weight, bias)
torch.testing.assert_close(out, expected, atol=5e-6, rtol=0)
torch.testing.assert_close(mean, x.mean(dim=1), atol=0, rtol=1e-6)
torch.testing.assert_close(rstd, 1 / torch.sqrt(x.var(dim=1, unbiased=False) + 1e-5), atol=0, rtol=1e-6)
print("as PyTorch computes it")


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["n_cols"],
        x_vals=[512, 1024, 2048, 4096],
        line_arg="provider",
        line_vals=["triton", "torch"],
        line_names=["Triton", "PyTorch"],
        ylabel="GB/s",
        plot_name="layer-norm",
        args={"n_rows": 1024},
    )
)
def benchmark(n_rows, n_cols, provider):
    x = torch.randn(n_rows, n_cols, device=DEVICE)
    weight = torch.rand(n_cols, device=DEVICE)
    bias = torch.rand(n_cols, device=DEVICE)
    if provider == "triton":
        run = lambda: layer_norm(x, weight, bias)
    else:
        run = lambda: torch.nn.functional.layer_norm(x, (n_cols,), weight, bias)
    ms = triton.testing.do_bench(run)
    return 2 * x.numel() * x.element_size() * 1e-9 / (ms * 1e-3)


benchmark.run(print_data=True)
