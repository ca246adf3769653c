import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    n = x.numel()
    add_kernel[(triton.cdiv(n, 256),)](x, y, out, n, BLOCK=256)
    return out


@triton.jit
def scale_add_kernel(x_ptr, y_ptr, out_ptr, a, n, BLOCK: tl.constexpr):
    # 1. Which places belong to this program, and which of them exist?
    ...
    # 2. Load x and y.
    ...
    # 3. Store a * x + y.
    ...


def scale_add(a, x, y):
    out = torch.empty_like(x)
    n = x.numel()
    scale_add_kernel[(triton.cdiv(n, 256),)](x, y, out, a, n, BLOCK=256)
    return out


torch.manual_seed(0)
x = torch.rand(1000, device=DEVICE)
y = torch.rand(1000, device=DEVICE)
print("x + y is right:", torch.allclose(add(x, y), x + y, rtol=1e-6))
last = triton.cdiv(1000, 256) - 1
print("places switched on in the last program:", int((torch.arange(256) + last * 256 < 1000).sum()))
print("3 x + y is right:", torch.allclose(scale_add(3.0, x, y), 3.0 * x + y, rtol=1e-6))
