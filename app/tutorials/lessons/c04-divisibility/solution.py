import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def slice_kernel(x_ptr, out_ptr, start, n, BLOCK: tl.constexpr):
    # Rows have 12 elements.
    tl.assume(start % 4 == 0)
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + start + offsets, mask=mask)
    tl.store(out_ptr + offsets, x, mask=mask)


def take(x, row, n):
    """n elements of x from the beginning of a row of 12 on."""
    out = torch.empty(n, device=x.device)
    slice_kernel[(triton.cdiv(n, 128),)](x, out, row * 12, n, BLOCK=128)
    return out


if __name__ == "__main__":
    x = torch.arange(1200, dtype=torch.float32, device=DEVICE)
    print("right:", torch.equal(take(x, 5, 512), x[60:572]))
