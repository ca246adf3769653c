import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    # The mask is missing here; the store has one.
    x = tl.load(x_ptr + offsets)
    tl.store(y_ptr + offsets, x, mask=offsets < n)


x = torch.ones(100, device=DEVICE)
y = torch.zeros(100, device=DEVICE)
kernel[(2,)](x, y, 100, BLOCK=64)
print(y.sum())
