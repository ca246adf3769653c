"""
Dropout with a seed
===================

Dropout sets a random share of numbers to zero while training. The mask is needed again in the backward pass; this kernel
stores no mask, only a seed: the same seed and place give the same random number.

Teaches: tl.rand, counter-based random numbers.
Costs: about ten integer rounds for each element, and no memory for a mask.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def dropout_kernel(x_ptr, out_ptr, n, p, seed, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    keep = tl.rand(seed, offsets) >= p
    # The kept values grow, so that the expected sum stays.
    tl.store(out_ptr + offsets, tl.where(keep, x / (1 - p), 0.0), mask=mask)


def dropout(x, p, seed):
    out = torch.empty_like(x)
    n = x.numel()
    dropout_kernel[(triton.cdiv(n, 512),)](x, out, n, p, seed, BLOCK=512)
    return out


class Dropout(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, p, seed):
        ctx.p, ctx.seed = p, seed
        return dropout(x, p, seed)

    @staticmethod
    def backward(ctx, grad):
        # The same numbers are dropped again.
        return dropout(grad.contiguous(), ctx.p, ctx.seed), None, None


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
n, p = 50_000, 0.3
x = torch.rand(n, device=DEVICE) + 0.5
a, b, c = dropout(x, p, 1), dropout(x, p, 1), dropout(x, p, 2)
kept = a != 0
print("the same seed drops the same:", torch.equal(a, b))
print("another seed does not:", bool((a != c).any()))
share = float(kept.to(torch.float32).mean())
print(f"kept {share:.3f} of them; four standard deviations are {4 * (p * (1 - p) / n) ** 0.5:.3f}")
assert abs(share - (1 - p)) < 4 * (p * (1 - p) / n) ** 0.5
# One division: some units in the last place on a GPU.
expected = torch.where(kept, x / (1 - p), torch.zeros_like(x))
print("what is kept is scaled:", torch.allclose(a, expected, atol=0, rtol=1e-6))

y = x.clone().requires_grad_()
Dropout.apply(y, p, 1).sum().backward()
print("the gradient drops the same:", torch.allclose(y.grad, kept.to(torch.float32) / (1 - p), atol=0, rtol=1e-6))
measure("dropout", lambda: dropout(x, p, 1), 2 * n * 4, "GB/s")
