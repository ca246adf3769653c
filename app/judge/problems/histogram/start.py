"""Write `histogram(x, bins)`: how often each of the numbers 0, 1, ... `bins` - 1 occurs in x, a vector of int32.

The result is a vector of int32. Other numbers are not counted, and x may have any length from 1 on. A kernel of yours,
`histogram_kernel`, counts. Check calls it with inputs that it has never seen.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def histogram_kernel(x_ptr, out_ptr, n, bins, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=-1)
    # Here: count each number in its bin.


def histogram(x, bins):
    out = torch.zeros(bins, device=x.device, dtype=torch.int32)
    histogram_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), bins, BLOCK=256)
    return out
