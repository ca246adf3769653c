"""
RMS norm, forward and backward
==============================

y = x / sqrt(mean(x²) + eps) · w, for each row. The backward pass needs one more sum along the row, and the gradient of w is
a sum over all rows: each program adds up its own rows, and the programs' sums are added at the end.

Teaches: reductions along rows, saving one number a row for the backward pass, a two-step sum over rows.
Costs: reads and writes everything once forward; reads twice as much backward.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def forward_kernel(x_ptr, w_ptr, y_ptr, rstd_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=0.0)
    w = tl.load(w_ptr + columns, mask=mask)
    rstd = 1.0 / tl.sqrt(tl.sum(x * x, axis=0) / n_cols + eps)
    tl.store(rstd_ptr + row, rstd)
    tl.store(y_ptr + row * n_cols + columns, x * rstd * w, mask=mask)


@triton.jit
def backward_kernel(
    x_ptr, w_ptr, dy_ptr, rstd_ptr, dx_ptr, partial_ptr, n_rows, n_cols, BLOCK: tl.constexpr
):
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    w = tl.load(w_ptr + columns, mask=mask, other=0.0)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=0.0)
        dy = tl.load(dy_ptr + row * n_cols + columns, mask=mask, other=0.0)
        rstd = tl.load(rstd_ptr + row)
        normal = x * rstd
        dw += dy * normal
        wdy = w * dy
        share = tl.sum(wdy * normal, axis=0) / n_cols
        tl.store(dx_ptr + row * n_cols + columns, (wdy - normal * share) * rstd, mask=mask)
    tl.store(partial_ptr + tl.program_id(0) * n_cols + columns, dw, mask=mask)


class RmsNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, eps):
        rows, cols = x.shape
        y = torch.empty_like(x)
        rstd = torch.empty(rows, device=x.device)
        forward_kernel[(rows,)](x, w, y, rstd, cols, eps, BLOCK=triton.next_power_of_2(cols))
        ctx.save_for_backward(x, w, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, w, rstd = ctx.saved_tensors
        rows, cols = x.shape
        programs = min(rows, 32)
        dx = torch.empty_like(x)
        partial = torch.empty(programs, cols, device=x.device)
        backward_kernel[(programs,)](
            x, w, dy.contiguous(), rstd, dx, partial, rows, cols, BLOCK=triton.next_power_of_2(cols)
        )
        return dx, partial.sum(dim=0), None


def reference(x, w, eps):
    return x * torch.rsqrt((x * x).mean(dim=1, keepdim=True) + eps) * w


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x = torch.randn(150, 500, device=DEVICE)
w = torch.randn(500, device=DEVICE)
dy = torch.randn(150, 500, device=DEVICE)
results = []
for norm in (RmsNorm.apply, reference):
    xi, wi = x.clone().requires_grad_(), w.clone().requires_grad_()
    y = norm(xi, wi, 1e-6)
    y.backward(dy)
    results.append((y, xi.grad, wi.grad))
# dw is a sum over 150 rows; y and dx are rounded a few times.
for name, tolerance, mine, torchs in zip(("y", "dx", "dw"), (5e-6, 5e-6, 2e-5), *results):
    print(f"{name}:", torch.allclose(mine.detach(), torchs.detach(), atol=tolerance, rtol=0))
measure("forward", lambda: RmsNorm.apply(x, w, 1e-6), 2 * x.numel() * 4, "GB/s")
