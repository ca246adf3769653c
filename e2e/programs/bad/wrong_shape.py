import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def kernel(x_ptr):
    a = tl.load(x_ptr + tl.arange(0, 16))
    b = tl.load(x_ptr + tl.arange(0, 32))
    tl.store(x_ptr + tl.arange(0, 16), a + b)


x = torch.ones(32, device=DEVICE)
kernel[(1,)](x)
