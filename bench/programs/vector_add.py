"""Vector addition: three streams of memory and nothing else."""

import torch
import triton
import triton.language as tl

from measure import measure, sizes


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


if __name__ == "__main__":
    for n in sizes(quick=[2**20], full=[2**26]):
        x = torch.randn(n, device="cuda")
        y = torch.randn(n, device="cuda")
        out = torch.full_like(x, float("nan"))

        def ours():
            add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)

        measure(f"vector add {n}", ours, lambda: torch.add(x, y), out, lambda: x.double() + y.double(), 1e-6)
