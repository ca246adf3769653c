import torch
import triton
import triton.language as tl


@triton.jit
def reduce_kernel(x_ptr, top_ptr, total_ptr, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + at, mask=at < columns, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=0)
    tl.store(top_ptr + row, top)
    tl.store(total_ptr + row, tl.sum(tl.exp(x - top), axis=0))


@triton.jit
def scale_kernel(x_ptr, out_ptr, top_ptr, total_ptr, stride, out_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * stride + at, mask=at < columns).to(tl.float32)
    e = tl.exp(x - tl.load(top_ptr + row)) / tl.load(total_ptr + row)
    tl.store(out_ptr + row * out_stride + at, e, mask=at < columns)


def softmax(x):
    rows, columns = x.shape
    top = torch.empty(rows, device=x.device, dtype=torch.float32)
    total = torch.empty_like(top)
    reduce_kernel[(rows,)](x, top, total, x.stride(0), columns, BLOCK=triton.next_power_of_2(columns))
    out = torch.empty(rows, columns, device=x.device, dtype=x.dtype)
    grid = (rows, triton.cdiv(columns, 64))
    scale_kernel[grid](x, out, top, total, x.stride(0), out.stride(0), columns, BLOCK=64)
    return out
