import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def scale_kernel(x_ptr, out_ptr, factor, n, BLOCK: tl.constexpr):
    # The programs take turns: program 0 has the elements 0, P, 2 P …, program 1 those behind them.
    offsets = tl.program_id(0) + tl.arange(0, BLOCK) * tl.num_programs(0)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * factor, mask=mask)


def scale(x, factor):
    out = torch.empty_like(x)
    scale_kernel[(triton.cdiv(x.numel(), 256),)](x, out, factor, x.numel(), BLOCK=256)
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(4096, device=DEVICE)
    print("right:", torch.allclose(scale(x, 3.0), x * 3.0, rtol=1e-6))
    print("widest vector of float32:", 16 // x.element_size())
