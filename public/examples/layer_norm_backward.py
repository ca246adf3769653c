"""
Layer norm, forward and backward
================================

y = (x - mean) / std · w + b. The backward pass needs two sums along each row; the gradients of w and b are sums over all
rows, collected by programs that each loop over a part of them.

Teaches: a fused backward pass with torch.autograd.Function.
Costs: mean and 1/std are kept for each row, two numbers; nothing else is stored.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def forward_kernel(x_ptr, w_ptr, b_ptr, y_ptr, mean_ptr, rstd_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / n_cols
    centred = tl.where(mask, x - mean, 0.0)
    rstd = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / n_cols + eps)
    w = tl.load(w_ptr + columns, mask=mask)
    b = tl.load(b_ptr + columns, mask=mask)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    tl.store(y_ptr + row * n_cols + columns, centred * rstd * w + b, mask=mask)


@triton.jit
def backward_kernel(
    x_ptr, w_ptr, dy_ptr, mean_ptr, rstd_ptr, dx_ptr, dw_ptr, db_ptr,
    n_rows, n_cols, BLOCK: tl.constexpr,
):
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    w = tl.load(w_ptr + columns, mask=mask, other=0.0)
    dw = tl.zeros((BLOCK,), dtype=tl.float32)
    db = tl.zeros((BLOCK,), dtype=tl.float32)
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=0.0)
        dy = tl.load(dy_ptr + row * n_cols + columns, mask=mask, other=0.0)
        rstd = tl.load(rstd_ptr + row)
        normal = tl.where(mask, (x - tl.load(mean_ptr + row)) * rstd, 0.0)
        dw += dy * normal
        db += dy
        wdy = w * dy
        along = tl.sum(wdy * normal, axis=0) / n_cols
        level = tl.sum(wdy, axis=0) / n_cols
        tl.store(dx_ptr + row * n_cols + columns, (wdy - normal * along - level) * rstd, mask=mask)
    part = tl.program_id(0) * n_cols + columns
    tl.store(dw_ptr + part, dw, mask=mask)
    tl.store(db_ptr + part, db, mask=mask)


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w, b, eps):
        rows, cols = x.shape
        y = torch.empty_like(x)
        mean, rstd = torch.empty(rows, device=x.device), torch.empty(rows, device=x.device)
        forward_kernel[(rows,)](x, w, b, y, mean, rstd, cols, eps, BLOCK=triton.next_power_of_2(cols))
        ctx.save_for_backward(x, w, mean, rstd)
        return y

    @staticmethod
    def backward(ctx, dy):
        x, w, mean, rstd = ctx.saved_tensors
        rows, cols = x.shape
        programs = min(rows, 32)
        dx = torch.empty_like(x)
        dw, db = torch.empty(programs, cols, device=x.device), torch.empty(programs, cols, device=x.device)
        backward_kernel[(programs,)](
            x, w, dy.contiguous(), mean, rstd, dx, dw, db, rows, cols, BLOCK=triton.next_power_of_2(cols)
        )
        return dx, dw.sum(dim=0), db.sum(dim=0), None


def reference(x, w, b, eps):
    return torch.nn.functional.layer_norm(x, (x.shape[1],), w, b, eps)


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x, dy = torch.randn(150, 500, device=DEVICE), torch.randn(150, 500, device=DEVICE)
w, b = torch.randn(500, device=DEVICE), torch.randn(500, device=DEVICE)
results = []
for norm in (LayerNorm.apply, reference):
    xi, wi, bi = (t.clone().requires_grad_() for t in (x, w, b))
    y = norm(xi, wi, bi, 1e-5)
    y.backward(dy)
    results.append((y, xi.grad, wi.grad, bi.grad))
# dw and db are sums over 150 rows; y and dx are rounded a few times.
tolerances = (1e-5, 1e-5, 3e-5, 3e-5)
for name, tolerance, mine, torchs in zip(("y", "dx", "dw", "db"), tolerances, *results):
    print(f"{name}:", torch.allclose(mine.detach(), torchs.detach(), atol=tolerance, rtol=0))
measure("forward", lambda: LayerNorm.apply(x, w, b, 1e-5), 2 * x.numel() * 4, "GB/s")
