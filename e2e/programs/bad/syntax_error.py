import triton
import triton.language as tl


@triton.jit
def kernel(x_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK
    tl.store(x_ptr + offsets, 1.0, mask=offsets < n)
