"""A convolution of a row with three weights, zeros beyond its ends."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def convolution_kernel(x_ptr, w_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for tap in tl.static_range(3):
        at = offsets + tap - 1
        x = tl.load(x_ptr + at, mask=(at >= 0) & (at < n), other=0.0).to(tl.float32)
        acc += x * tl.load(w_ptr + tap).to(tl.float32)
    tl.store(out_ptr + offsets, acc, mask=offsets < n)


def convolution(x, w, BLOCK=32):
    x, w = x.contiguous(), w.contiguous()
    out = torch.empty_like(x)
    n = x.numel()
    convolution_kernel[(triton.cdiv(n, BLOCK),)](x, w, out, n, BLOCK=BLOCK)
    return out


def reference(x, w):
    return torch.nn.functional.conv1d(x[None, None], w[None, None], padding=1)[0, 0]


x, w = torch.randn(100, device="cuda"), torch.randn(3, device="cuda")
print(torch.allclose(convolution(x, w), reference(x, w), rtol=1e-4, atol=1e-5))
sweep(
    convolution, reference, x=tensor("N", values=("normal", "integers", "zeros")),
    w=tensor(3, values=("normal", "integers")), BLOCK=one_of(32, 64), sizes={"N": range(1, 300)}, terms=3,
    elements=2**11, cases=25, raises=False,
)
