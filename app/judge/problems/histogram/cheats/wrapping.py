# Precision downgrade: counts wrap at 256.
# reason: wrong
import torch
import triton
import triton.language as tl


@triton.jit
def histogram_kernel(x_ptr, out_ptr, n, bins, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=-1)
    tl.atomic_add(out_ptr + x, 1, mask=(x >= 0) & (x < bins))


def histogram(x, bins):
    out = torch.zeros(bins, device=x.device, dtype=torch.int32)
    histogram_kernel[(triton.cdiv(x.numel(), 256),)](x, out, x.numel(), bins, BLOCK=256)
    return out.to(torch.uint8).to(torch.int32)
