import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def kernel(x_ptr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + offsets, 1.0)


x = torch.empty(3 * 2**28, device=DEVICE)
kernel[(x.numel() // 1024,)](x, BLOCK=1024)
print(x[0].item())
