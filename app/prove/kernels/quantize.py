"""Rounds to int8 with one scale."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def quantize_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) * 16.0
    x = tl.minimum(tl.maximum(tl.floor(x + 0.5), -128.0), 127.0)
    tl.store(out_ptr + offsets, x.to(tl.int8), mask=mask)


def quantize(x, BLOCK=32):
    x = x.contiguous()
    out = torch.empty(x.shape, dtype=torch.int8, device=x.device)
    n = x.numel()
    quantize_kernel[(triton.cdiv(n, BLOCK),)](x, out, n, BLOCK=BLOCK)
    return out


def reference(x):
    return torch.floor(x * 16.0 + 0.5).clamp(-128, 127).to(torch.int8)


x = torch.rand(100, device="cuda")
print(torch.equal(quantize(x), reference(x)))
sweep(
    quantize, reference, x=tensor("N", values=("normal", "integers", "equal", "negative", "zeros", "huge")),
    BLOCK=one_of(32, 64), dtypes=[torch.float32], elements=2**11, cases=25, raises=False,
)
