import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.device_assert(x < 20, "x is too large")


x = torch.arange(32, device=DEVICE)
kernel[(1,)](x, BLOCK=32, debug=True)
torch.cuda.synchronize()
