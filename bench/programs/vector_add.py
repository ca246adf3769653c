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


CONFIGS = [
    triton.Config({"BLOCK": block}, num_warps=warps)
    for block, warps in [(1024, 4), (1024, 8), (2048, 4), (4096, 4), (4096, 8)]
]
tuned = triton.autotune(configs=CONFIGS, key=["n"])(add_kernel)


if __name__ == "__main__":
    for n in sizes(quick=[2**20], full=[2**26]):
        x = torch.randn(n, device="cuda")
        y = torch.randn(n, device="cuda")
        out = torch.full_like(x, float("nan"))

        def ours():
            tuned[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, y, out, n)

        measure(f"vector add {n}", ours, lambda: torch.add(x, y), out, lambda: x.double() + y.double(), 1e-6)
