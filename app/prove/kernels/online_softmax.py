"""Softmax of each row in pieces of a block, with a running maximum and sum."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import one_of, sweep, tensor


@triton.jit
def online_kernel(x_ptr, out_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    largest = -float("inf")
    total = 0.0
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + columns, mask=columns < N, other=-float("inf")).to(tl.float32)
        new = tl.maximum(largest, tl.max(x, axis=0))
        total = total * tl.exp(largest - new) + tl.sum(tl.exp(x - new), axis=0)
        largest = new
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * N + columns, mask=columns < N, other=0.0).to(tl.float32)
        tl.store(out_ptr + row * N + columns, tl.exp(x - largest) / total, mask=columns < N)


def online_softmax(x, BLOCK=16):
    x = x.contiguous()
    M, N = x.shape
    out = torch.empty((M, N), dtype=x.dtype, device=x.device)
    online_kernel[(M,)](x, out, N, BLOCK=BLOCK)
    return out


x = torch.randn(5, 64, device="cuda")
print(torch.allclose(online_softmax(x), torch.softmax(x, dim=1), rtol=1e-4, atol=1e-5))
sweep(
    online_softmax, lambda x: torch.softmax(x, dim=1),
    x=tensor("M", "N", values=("normal", "integers", "equal", "negative", "zeros")), BLOCK=one_of(16, 64),
    sizes={"M": range(20), "N": range(1, 150)}, terms="N", elements=2**11, cases=25, raises=False,
)
