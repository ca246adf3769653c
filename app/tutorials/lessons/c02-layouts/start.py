import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def square_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * x, mask=mask)


def square(x):
    out = torch.empty_like(x)
    BLOCK = 1024
    square_kernel[(triton.cdiv(x.numel(), BLOCK),)](x, out, x.numel(), BLOCK=BLOCK, num_warps=4)
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(4096, device=DEVICE)
    print("right:", torch.allclose(square(x), x * x, rtol=1e-6))
