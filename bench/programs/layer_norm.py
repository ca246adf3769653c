"""Layer norm: forward over rows, and backward with partial sums for the weights."""

import torch
import triton
import triton.language as tl

from measure import measure, sizes


@triton.jit
def layer_norm_kernel(
    x_ptr, out_ptr, weight_ptr, bias_ptr, mean_ptr, rstd_ptr, stride, columns, eps, BLOCK: tl.constexpr
):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(x_ptr + row * stride + offsets, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / columns
    centered = tl.where(mask, x - mean, 0.0)
    rstd = 1 / tl.sqrt(tl.sum(centered * centered, axis=0) / columns + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    weight = tl.load(weight_ptr + offsets, mask=mask)
    bias = tl.load(bias_ptr + offsets, mask=mask)
    tl.store(out_ptr + row * stride + offsets, centered * rstd * weight + bias, mask=mask)


@triton.jit
def layer_norm_backward_kernel(
    dx_ptr, dy_ptr, dw_ptr, db_ptr, x_ptr, weight_ptr, mean_ptr, rstd_ptr,
    stride, rows, columns, BLOCK: tl.constexpr,
):  # fmt: skip
    """A program takes every n-th row, and keeps its sums for the weights in registers."""
    program = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    weight = tl.load(weight_ptr + offsets, mask=mask, other=0.0)
    dw = tl.zeros([BLOCK], dtype=tl.float32)
    db = tl.zeros([BLOCK], dtype=tl.float32)
    for row in range(program, rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * stride + offsets, mask=mask, other=0.0)
        dy = tl.load(dy_ptr + row * stride + offsets, mask=mask, other=0.0)
        mean = tl.load(mean_ptr + row)
        rstd = tl.load(rstd_ptr + row)
        normal = tl.where(mask, (x - mean) * rstd, 0.0)
        scaled = weight * dy
        c1 = tl.sum(normal * scaled, axis=0) / columns
        c2 = tl.sum(scaled, axis=0) / columns
        tl.store(dx_ptr + row * stride + offsets, (scaled - (normal * c1 + c2)) * rstd, mask=mask)
        dw += dy * normal
        db += dy
    tl.store(dw_ptr + program * columns + offsets, dw, mask=mask)
    tl.store(db_ptr + program * columns + offsets, db, mask=mask)


def tuned(kernel):
    configs = [triton.Config({}, num_warps=warps) for warps in (4, 8, 16)]
    return triton.autotune(configs=configs, key=["columns"])(kernel)


forward_kernel = tuned(layer_norm_kernel)
backward_kernel = tuned(layer_norm_backward_kernel)


if __name__ == "__main__":
    for rows, columns in sizes(quick=[(1024, 1024)], full=[(8192, 4096)]):
        x = torch.randn(rows, columns, device="cuda")
        weight = torch.rand(columns, device="cuda")
        bias = torch.randn(columns, device="cuda")
        out = torch.full_like(x, float("nan"))
        mean, rstd = torch.empty(rows, device="cuda"), torch.empty(rows, device="cuda")
        block = triton.next_power_of_2(columns)

        def forward():
            forward_kernel[(rows,)](x, out, weight, bias, mean, rstd, columns, columns, 1e-5, BLOCK=block)

        def normal(t):
            w, b = weight.to(t.dtype), bias.to(t.dtype)
            return torch.nn.functional.layer_norm(t, (columns,), w, b, 1e-5)

        measure(
            f"layer norm {rows}×{columns}", forward, lambda: normal(x), out, lambda: normal(x.double()), 1e-5
        )
        dy = torch.randn_like(x)
        dx = torch.full_like(x, float("nan"))
        programs = min(rows, 256)
        dw = torch.empty(programs, columns, device="cuda")
        db = torch.empty(programs, columns, device="cuda")

        def backward():
            backward_kernel[(programs,)](
                dx, dy, dw, db, x, weight, mean, rstd, columns, rows, columns, BLOCK=block
            )

        def gradient():
            wide = x.double().requires_grad_()
            normal(wide).backward(dy.double())
            return wide.grad

        measure(f"layer norm backward {rows}×{columns}", backward, None, dx, gradient, 1e-4)
