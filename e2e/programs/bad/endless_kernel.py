import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def kernel(x_ptr):
    value = tl.load(x_ptr)
    while value > 0:
        value = value + 1
        if value > 1000:
            value = value - 1000
    tl.store(x_ptr, value)


x = torch.ones(1, dtype=torch.int32, device=DEVICE)
kernel[(1,)](x)
print(x.item())
