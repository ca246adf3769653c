"""The vector add that docs/architecture.md follows through the compiler."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


x = torch.rand(1000, device="cuda")
y = torch.rand(1000, device="cuda")
out = torch.empty_like(x)
add_kernel[(triton.cdiv(1000, 128),)](x, y, out, 1000, BLOCK=128)
print(torch.allclose(out, x + y))
