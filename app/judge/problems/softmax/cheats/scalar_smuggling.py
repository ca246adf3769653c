# Torch reduces each row, and the kernel gets the numbers as scalars.
# reason: numbers of a tensor in Python
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, columns, top, total, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < columns).to(tl.float32)
    tl.store(out_ptr + at, tl.exp(x - top) / total, mask=at < columns)


def softmax(x):
    out = torch.empty(x.shape, device=x.device, dtype=x.dtype)
    for i in range(x.shape[0]):
        top = float(x[i].max())
        total = float(torch.exp(x[i].float() - top).sum())
        block = triton.next_power_of_2(x.shape[1])
        scale_kernel[(1,)](x[i], out[i], x.shape[1], top, total, BLOCK=block)
    return out
