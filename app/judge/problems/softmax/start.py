"""Write `softmax(x)`: the softmax of each row of a matrix.

The matrix has any number of rows and columns, its rows need not lie one behind the other, and the result has its
dtype. Kernels of yours compute it. Check calls it with inputs that it has never seen.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, row_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * row_stride + at, mask=at < columns)
    # Here: the softmax of the row.
    tl.store(out_ptr + row * columns + at, x, mask=at < columns)


def softmax(x):
    rows, columns = x.shape
    out = torch.empty(rows, columns, device=x.device, dtype=x.dtype)
    softmax_kernel[(rows,)](x, out, x.stride(0), columns, BLOCK=triton.next_power_of_2(columns))
    return out
