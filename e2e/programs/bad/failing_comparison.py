import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def kernel(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    mask = offsets < n - 1  # one too few
    tl.store(y_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 2, mask=mask)


x = torch.rand(100, device=DEVICE)
y = torch.zeros_like(x)
kernel[(1,)](x, y, 100, BLOCK=128)
torch.testing.assert_close(y, x * 2)
