import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def reverse_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = places < n
    x = tl.load(x_ptr + n - 1 - places, mask=mask)
    tl.store(out_ptr + places, x, mask=mask)


def reverse(x):
    n = x.numel()
    out = torch.empty_like(x)
    reverse_kernel[(triton.cdiv(n, 128),)](x, out, n, BLOCK=128)
    return out


if __name__ == "__main__":
    x = torch.arange(300, device=DEVICE).to(torch.float32)
    print("first element of the last block:", int(torch.arange(300).flip(0)[256]))
    print("right:", torch.equal(reverse(x), x.flip(0)))
