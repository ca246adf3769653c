"""Running sums of each row, in pieces of a block."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def scan_kernel(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    carry = 0.0
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        mask = columns < N
        x = tl.load(x_ptr + row * N + columns, mask=mask, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * N + columns, carry + tl.cumsum(x, axis=0), mask=mask)
        carry += tl.sum(x, axis=0)


def prefix_sum(x, BLOCK=32):
    x = x.contiguous()
    M, N = x.shape
    out = torch.empty_like(x)
    scan_kernel[(M,)](x, out, N, BLOCK=BLOCK)
    return out


x = torch.randn(3, 100, device="cuda")
print(torch.allclose(prefix_sum(x), x.cumsum(1), rtol=1e-4, atol=1e-5))
sweep(
    prefix_sum, lambda x: x.cumsum(1), x=tensor("M", "N", values=("normal", "integers", "equal", "negative", "zeros")),
    BLOCK=one_of(32, 16), sizes={"M": range(20), "N": range(200)}, terms="N", elements=2**11, cases=25,
    raises=False,
)
