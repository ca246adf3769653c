# A program for each element, which sums products without `tl.dot`.
import torch
import triton
import triton.language as tl


@triton.jit
def linear_kernel(x_ptr, w_ptr, b_ptr, out_ptr, N, K, stride, BLOCK: tl.constexpr):
    row, column = tl.program_id(0), tl.program_id(1)
    acc = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, K, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + at, mask=at < K, other=0.0).to(tl.float32)
        acc += x * tl.load(w_ptr + column * K + at, mask=at < K, other=0.0)
    tl.store(out_ptr + row * N + column, tl.sum(acc, axis=0) + tl.load(b_ptr + column))


def linear(x, w, b):
    (M, K), N = x.shape, w.shape[0]
    out = torch.empty(M, N, device=x.device, dtype=x.dtype)
    linear_kernel[(M, N)](x, w, b, out, N, K, x.stride(0), BLOCK=64)
    return out
