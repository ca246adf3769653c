"""x * x * w with a backward of its own, whose kernel gives both gradients."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import sweep, tensor


@triton.jit
def forward_kernel(x_ptr, w_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    w = tl.load(w_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * x * w, mask=mask)


@triton.jit
def backward_kernel(x_ptr, w_ptr, g_ptr, dx_ptr, dw_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    w = tl.load(w_ptr + offsets, mask=mask)
    g = tl.load(g_ptr + offsets, mask=mask)
    tl.store(dx_ptr + offsets, 2 * x * w * g, mask=mask)
    tl.store(dw_ptr + offsets, x * x * g, mask=mask)


class SquareTimes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, w):
        x, w = x.contiguous(), w.contiguous()
        ctx.save_for_backward(x, w)
        out = torch.empty_like(x)
        forward_kernel[(triton.cdiv(x.numel(), 32),)](x, w, out, x.numel(), BLOCK=32)
        return out

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        dx, dw = torch.empty_like(x), torch.empty_like(w)
        backward_kernel[(triton.cdiv(x.numel(), 32),)](x, w, g.contiguous(), dx, dw, x.numel(), BLOCK=32)
        return dx, dw


def square_times(x, w):
    return SquareTimes.apply(x, w)


x, w = torch.randn(50, device="cuda"), torch.randn(50, device="cuda")
print(torch.allclose(square_times(x, w), x * x * w, rtol=1e-4, atol=1e-5))
sweep(
    square_times, lambda x, w: x * x * w, x=tensor("N"), w=tensor("N"), sizes={"N": range(150)},
    dtypes=[torch.float32], gradients=True, elements=2**11, cases=25, raises=False,
)
