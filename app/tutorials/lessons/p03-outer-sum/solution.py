import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def outer_kernel(x_ptr, y_ptr, out_ptr, n, m):
    i = tl.program_id(0) * 16 + tl.arange(0, 16)
    j = tl.program_id(1) * 32 + tl.arange(0, 32)
    x = tl.load(x_ptr + i, mask=i < n)
    y = tl.load(y_ptr + j, mask=j < m)
    mask = (i[:, None] < n) & (j[None, :] < m)
    tl.store(out_ptr + i[:, None] * m + j[None, :], x[:, None] + y[None, :], mask=mask)


def outer(x, y):
    n, m = x.numel(), y.numel()
    out = torch.empty(n, m, device=x.device)
    outer_kernel[(triton.cdiv(n, 16), triton.cdiv(m, 32))](x, y, out, n, m)
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    x, y = torch.randn(50, device=DEVICE), torch.randn(70, device=DEVICE)
    print("right:", torch.allclose(outer(x, y), x[:, None] + y[None, :], rtol=1e-6))
