import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def standardize_kernel(x_ptr, y_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=mask, other=0.0)
    mean = tl.sum(x, axis=0) / n_cols
    centred = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / n_cols
    y = centred / tl.sqrt(variance + eps)
    tl.store(y_ptr + row * n_cols + columns, y, mask=mask)


def standardize(x, eps=1e-5):
    rows, cols = x.shape
    y = torch.empty_like(x)
    standardize_kernel[(rows,)](x, y, cols, eps, BLOCK=triton.next_power_of_2(cols))
    return y


def reference(x, eps=1e-5):
    centred = x - x.mean(dim=1, keepdim=True)
    return centred * torch.rsqrt((centred * centred).mean(dim=1, keepdim=True) + eps)


if __name__ == "__main__":
    torch.manual_seed(0)
    row = torch.tensor([1.0, 2.0, 3.0, 4.0])
    print("variance:", float(((row - row.mean()) ** 2).mean()))
    x = torch.randn(10, 100, device=DEVICE)
    print("right:", torch.allclose(standardize(x), reference(x), atol=2e-6, rtol=0))
