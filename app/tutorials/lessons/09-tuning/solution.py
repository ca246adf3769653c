import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.autotune(
    configs=[
        triton.Config({"BLOCK_M": 16, "BLOCK_N": 16}, num_warps=2),
        triton.Config({"BLOCK_M": 32, "BLOCK_N": 32}, num_warps=4),
        triton.Config({"BLOCK_M": 64, "BLOCK_N": 32}, num_warps=4),
    ],
    key=["N", "D"],
)
@triton.jit
def flash_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, N, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    base = tl.program_id(1) * N * D
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q_offsets = base + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + q_offsets, mask=rows[:, None] < N, other=0.0)
    qk_scale = scale * 1.4426950408889634
    m = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    for start in range(0, N, BLOCK_N):
        n = start + tl.arange(0, BLOCK_N)
        offsets = base + n[:, None] * D + d[None, :]
        k = tl.load(k_ptr + offsets, mask=n[:, None] < N, other=0.0)
        v = tl.load(v_ptr + offsets, mask=n[:, None] < N, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * qk_scale
        s = tl.where(n[None, :] < N, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp2(m - m_new)
        p = tl.exp2(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + q_offsets, acc / l[:, None], mask=rows[:, None] < N)


def attention(q, k, v):
    batch, heads, N, D = q.shape
    o = torch.empty_like(q)
    grid = lambda meta: (triton.cdiv(N, meta["BLOCK_M"]), batch * heads)
    flash_kernel[grid](q, k, v, o, N, D**-0.5, D=D)
    return o


def flops(heads, N, D):
    """What attention has to compute: a multiply-add is two."""
    return 4 * heads * N * N * D


def least_bytes(heads, N, D, size):
    """What it has to move at least; `size` is the bytes of a number."""
    return 4 * heads * N * D * size


def reference(q, k, v):
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(s, dim=-1) @ v


if __name__ == "__main__":
    N, D = 2048, 64
    print(f"intensity at N = 2048: {flops(1, N, D) / least_bytes(1, N, D, 4):.4g}")
    print(f"intensity of one query: {4 * N * D / (2 * N * D * 4):.4g}")

    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 2, 256, 32, device=DEVICE) for _ in range(3))
    o = attention(q, k, v)
    print("attention is right:", torch.allclose(o, reference(q, k, v), atol=3e-6, rtol=0))
    if DEVICE == "cuda":
        best = getattr(flash_kernel, "best_config", None)
        print("the tuner chose:", best)
        ms = triton.testing.do_bench(lambda: attention(q, k, v))
        print(f"{ms:.4g} ms, {flops(2, 256, 32) / ms * 1e-6:.4g} GFLOP/s")
