import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((64, 1), (128, 4), (256, 4))],
    key=["columns"],
)
@triton.jit
def softmax_kernel(x_ptr, out_ptr, stride, out_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    top = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + at, mask=at < columns, other=-float("inf")).to(tl.float32)
        now = tl.maximum(top, x)
        safe = tl.where(now == -float("inf"), 0.0, now)
        total = total * tl.exp(top - safe) + tl.exp(x - safe)
        top = now
    most = tl.max(top, axis=0)
    total = tl.sum(total * tl.exp(top - most), axis=0)
    for start in range(0, columns, BLOCK):
        at = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * stride + at, mask=at < columns).to(tl.float32)
        tl.store(out_ptr + row * out_stride + at, tl.exp(x - most) / total, mask=at < columns)


def softmax(x):
    out = torch.empty(x.shape, device=x.device, dtype=x.dtype)
    softmax_kernel[(x.shape[0],)](x, out, x.stride(0), out.stride(0), x.shape[1])
    return out
