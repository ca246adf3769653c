import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def norm_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n + offsets, mask=offsets < n, other=0.0)
    tl.store(out_ptr + row, tl.sqrt(tl.sum(x * x)))


def norms(x):
    rows, n = x.shape
    out = torch.empty(rows, device=x.device)
    norm_kernel[(rows,)](x, out, n, BLOCK=triton.next_power_of_2(n))
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(2, 32768, device=DEVICE)
    print("right:", torch.allclose(norms(x), x.norm(dim=1), rtol=1e-6))
