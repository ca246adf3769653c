"""Softmax over rows: one program a row, the row in registers."""

import torch
import triton
import triton.language as tl

from measure import measure, sizes


@triton.jit
def softmax_kernel(out_ptr, in_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    mask = offsets < columns
    x = tl.load(in_ptr + row * stride + offsets, mask=mask, other=-float("inf"))
    exps = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * stride + offsets, exps / tl.sum(exps, axis=0), mask=mask)


tuned = triton.autotune(configs=[triton.Config({}, num_warps=warps) for warps in (2, 4, 8, 16)], key=["columns"])(
    softmax_kernel
)


if __name__ == "__main__":
    for rows, columns in sizes(quick=[(1024, 1024)], full=[(8192, 4096)]):
        x = torch.randn(rows, columns, device="cuda")
        out = torch.full_like(x, float("nan"))
        block = triton.next_power_of_2(columns)

        def ours():
            tuned[(rows,)](out, x, columns, columns, BLOCK=block)

        measure(
            f"softmax {rows}×{columns}",
            ours,
            lambda: torch.softmax(x, dim=-1),
            out,
            lambda: torch.softmax(x.double(), dim=-1),
            1e-6,
        )
