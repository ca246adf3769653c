import torch
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, out_ptr, stride, out_stride, rows, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    mask = (row[:, None] < rows) & (at[None, :] < columns)
    x = tl.load(x_ptr + row[:, None] * stride + at[None, :], mask=mask, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=1, keep_dims=True)
    e = tl.exp(x - tl.where(top == -float("inf"), 0.0, top))
    out = e / tl.sum(e, axis=1, keep_dims=True)
    tl.store(out_ptr + row[:, None] * out_stride + at[None, :], out, mask=mask)


def softmax(x):
    rows, columns = x.shape
    out = torch.empty(rows, columns, device=x.device, dtype=x.dtype)
    block = triton.next_power_of_2(columns)
    softmax_kernel[(triton.cdiv(rows, 4),)](
        x, out, x.stride(0), out.stride(0), rows, columns, ROWS=4, BLOCK=block
    )
    return out
