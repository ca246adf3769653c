import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def transpose_kernel(x_ptr, out_ptr, n, m, stride_i, stride_j):
    i = tl.program_id(0) * 32 + tl.arange(0, 32)
    j = tl.program_id(1) * 32 + tl.arange(0, 32)
    ...


def transpose(x):
    n, m = x.shape
    out = torch.empty(m, n, device=x.device)
    transpose_kernel[(triton.cdiv(n, 32), triton.cdiv(m, 32))](x, out, n, m, x.stride(0), x.stride(1))
    return out


if __name__ == "__main__":
    torch.manual_seed(0)
    x = torch.randn(40, 100, device=DEVICE)
    inside = (torch.arange(32, 64) < 40)[:, None] & (torch.arange(96, 128) < 100)
    print("masked off in the last tile:", int((~inside).sum()))
    print("right:", torch.equal(transpose(x), x.T))
