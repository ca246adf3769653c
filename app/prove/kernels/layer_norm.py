"""Layer norm of each row."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import sweep, tensor


@triton.jit
def norm_kernel(x_ptr, w_ptr, out_ptr, N, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < N
    x = tl.load(x_ptr + row * N + columns, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / N
    centered = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(centered * centered, axis=0) / N
    w = tl.load(w_ptr + columns, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * N + columns, centered / tl.sqrt(variance + eps) * w, mask=mask)


def layer_norm(x, w):
    x, w = x.contiguous(), w.contiguous()
    M, N = x.shape
    out = torch.empty((M, N), dtype=x.dtype, device=x.device)
    norm_kernel[(M,)](x, w, out, N, 1e-5, BLOCK=triton.next_power_of_2(N))
    return out


x, w = torch.randn(5, 64, device="cuda"), torch.rand(64, device="cuda")
print(torch.allclose(layer_norm(x, w), torch.nn.functional.layer_norm(x, (64,), w), rtol=1e-4, atol=1e-5))
sweep(
    layer_norm, lambda x, w: torch.nn.functional.layer_norm(x, (x.shape[1],), w),
    x=tensor("M", "N", values=("normal", "integers")), w=tensor("N", values=("normal", "integers")),
    sizes={"M": range(30), "N": range(2, 150)}, terms="2 * N", elements=2**11, cases=25, raises=False,
)
