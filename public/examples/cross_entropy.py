"""
Cross entropy, forward and backward
===================================

The loss of a language model: logsumexp(logits) - logits[target], over a vocabulary wider than a tile. One pass over the row
finds the maximum and the sum together (an online softmax), a second one writes the gradient over the logits.

Teaches: online softmax, gathering one element, a gradient written in place.
Costs: the row is read twice and written once; softmax itself is never stored.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def loss_kernel(x_ptr, target_ptr, loss_ptr, lse_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    m = -float("inf")
    l = 0.0
    for start in range(0, n_cols, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * n_cols + columns, mask=columns < n_cols, other=-float("inf"))
        m_new = tl.maximum(m, tl.max(x, axis=0))
        l = l * tl.exp(m - m_new) + tl.sum(tl.exp(x - m_new), axis=0)
        m = m_new
    lse = m + tl.log(l)
    target = tl.load(target_ptr + row)
    tl.store(lse_ptr + row, lse)
    tl.store(loss_ptr + row, lse - tl.load(x_ptr + row * n_cols + target))


@triton.jit
def gradient_kernel(x_ptr, target_ptr, lse_ptr, scale, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask)
    p = tl.exp(x - tl.load(lse_ptr + row))
    hit = columns == tl.load(target_ptr + row)
    tl.store(x_ptr + row * n_cols + columns, (p - hit.to(tl.float32)) * scale, mask=mask)


class CrossEntropy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, target):
        rows, cols = x.shape
        loss, lse = torch.empty(rows, device=x.device), torch.empty(rows, device=x.device)
        loss_kernel[(rows,)](x, target, loss, lse, cols, BLOCK=1024)
        ctx.save_for_backward(x, target, lse)
        return loss.mean()

    @staticmethod
    def backward(ctx, grad):
        x, target, lse = ctx.saved_tensors
        rows, cols = x.shape
        dx = x.clone()
        gradient_kernel[(rows, triton.cdiv(cols, 1024))](dx, target, lse, float(grad) / rows, cols, BLOCK=1024)
        return dx, None


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x = 3.0 * torch.randn(40, 5003, device=DEVICE)
target = torch.randint(0, 5003, (40,), device=DEVICE)
mine, torchs = x.clone().requires_grad_(), x.clone().requires_grad_()
loss = CrossEntropy.apply(mine, target)
expected = torch.nn.functional.cross_entropy(torchs, target)
loss.backward()
expected.backward()
print("loss:", float(loss.detach()), "torch:", float(expected.detach()))
# A few units in the last place of a logsumexp of 15 are 1e-6, and exp makes a relative error of
# that.
print("loss is right:", torch.allclose(loss.detach(), expected.detach(), atol=0, rtol=1e-6))
print("gradient is right:", torch.allclose(mine.grad, torchs.grad, atol=1e-9, rtol=5e-6))
measure("loss", lambda: CrossEntropy.apply(x, target), x.numel() * 4, "GB/s")
