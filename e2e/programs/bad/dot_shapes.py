import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def kernel(a_ptr, b_ptr, c_ptr):
    i = tl.arange(0, 16)
    j = tl.arange(0, 32)
    a = tl.load(a_ptr + i[:, None] * 32 + j[None, :])
    b = tl.load(b_ptr + i[:, None] * 32 + j[None, :])
    c = tl.dot(a, b)
    tl.store(c_ptr + i[:, None] * 32 + j[None, :], c)


a = torch.ones((16, 32), device=DEVICE)
kernel[(1,)](a, a, torch.empty_like(a))
