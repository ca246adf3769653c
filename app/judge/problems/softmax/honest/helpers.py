import torch
import triton
import triton.language as tl


@triton.jit
def load_row(x_ptr, at, columns):
    return tl.load(x_ptr + at, mask=at < columns, other=-float("inf")).to(tl.float32)


@triton.jit
def normalized(x):
    e = tl.exp(x - tl.max(x, axis=0))
    return e / tl.sum(e, axis=0)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, stride, out_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + row * out_stride + at, normalized(load_row(x_ptr + row * stride, at, columns)), mask=at < columns)


def prepare(x):
    return torch.empty(x.shape, device=x.device, dtype=x.dtype), triton.next_power_of_2(x.shape[1])


def softmax(x):
    out, block = prepare(x)
    softmax_kernel[(x.shape[0],)](x, out, x.stride(0), out.stride(0), x.shape[1], BLOCK=block)
    return out
