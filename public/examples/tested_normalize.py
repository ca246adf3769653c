"""
A kernel and its tests
======================

Rows of length 1: y = x / sqrt(sum(x²) + eps), with a backward pass of its own. One comparison on one shape proves little, so a
sweep calls it with sizes at edges, strides, dtypes and values, and compares results and gradients with PyTorch's in float64. What
is allowed follows from the rounding of each dtype: nobody chooses a tolerance.

The sweep of gradients found, while this was written, that a row of one element has a gradient near 0 whose rounding is that of
larger numbers; hence its sizes, and its `atol`.

Break something, a mask or a stride, and run it again: the first failing case is made smaller, and becomes a program of
its own that the page opens. Elsewhere hippocamp_testing.py, one file that needs torch alone, lies beside this one.

Teaches: sweeps over shapes, strides, dtypes and values; checking gradients.
Costs: a sweep is some dozens of small launches; the kernel reads and writes everything once.
"""

import torch
import triton
import triton.language as tl
from hippocamp_testing import gradients_close, one_of, sweep, tensor

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
EPS = 1e-6


@triton.jit
def forward_kernel(x_ptr, y_ptr, scale_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + at, mask=at < n_cols, other=0.0).to(tl.float32)
        total += x * x
    scale = 1.0 / tl.sqrt(tl.sum(total, axis=0) + eps)
    tl.store(scale_ptr + row, scale)
    for start in range(0, n_cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + at, mask=at < n_cols, other=0.0).to(tl.float32)
        tl.store(y_ptr + row * n_cols + at, x * scale, mask=at < n_cols)


@triton.jit
def backward_kernel(x_ptr, dy_ptr, scale_ptr, dx_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    scale = tl.load(scale_ptr + row)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, n_cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + at, mask=at < n_cols, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + row * n_cols + at, mask=at < n_cols, other=0.0).to(tl.float32)
        total += x * scale * dy
    share = tl.sum(total, axis=0)
    for start in range(0, n_cols, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + at, mask=at < n_cols, other=0.0).to(tl.float32)
        dy = tl.load(dy_ptr + row * n_cols + at, mask=at < n_cols, other=0.0).to(tl.float32)
        tl.store(dx_ptr + row * n_cols + at, (dy - x * scale * share) * scale, mask=at < n_cols)


class Normalize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, BLOCK):
        x = x.contiguous()
        rows, cols = x.shape
        y = torch.empty_like(x)
        scale = torch.empty(rows, device=x.device)
        if x.numel():
            forward_kernel[(rows,)](x, y, scale, cols, EPS, BLOCK=BLOCK)
        ctx.save_for_backward(x, scale)
        ctx.block = BLOCK
        return y

    @staticmethod
    def backward(ctx, dy):
        x, scale = ctx.saved_tensors
        dx = torch.empty_like(x)
        if x.numel():
            # The gradient of y.sum() has strides of 0: without .contiguous() the sweep fails.
            backward_kernel[(x.shape[0],)](x, dy.contiguous(), scale, dx, x.shape[1], BLOCK=ctx.block)
        return dx, None


def normalize(x, BLOCK=128):
    return Normalize.apply(x, BLOCK)


def reference(x):
    return x * torch.rsqrt((x * x).sum(dim=1, keepdim=True) + EPS)


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x = torch.randn(60, 300, device=DEVICE)
print("one shape:", torch.allclose(normalize(x), reference(x), atol=2e-7, rtol=0))

# Triton's interpreter on a CPU computes bfloat16 wrongly, so it is left out.
arguments = {"x": tensor("M", "N"), "BLOCK": one_of(64, 128), "dtypes": (torch.float32, torch.float16), "terms": "N"}
sweep(normalize, reference, sizes={"M": range(20), "N": range(300)}, cases=40, elements=2**12, **arguments)

# A gradient is dy without its part along x: in short rows little is left, rounded as dy is.
sizes = {"M": range(1, 20), "N": range(16, 300)}
sweep(normalize, reference, sizes=sizes, cases=16, elements=2**12, gradients=True, atol=1e-6, **arguments)

# One case by itself: the message of a wrong backward names the element, and what differences give.
gradients_close(normalize, reference, torch.randn(5, 37, device=DEVICE), terms=37, atol=1e-6)
print("gradients: True")

measure("forward", lambda: normalize(x), 2 * x.numel() * 4, "GB/s")
