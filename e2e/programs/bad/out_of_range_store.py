import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # The mask is missing, and 100 is no multiple of 64.
    tl.store(x_ptr + offsets, 1.0)


x = torch.zeros(100, device=DEVICE)
kernel[(2,)](x, BLOCK=64)
print(x)
