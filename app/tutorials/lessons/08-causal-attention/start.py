import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@triton.jit
def flash_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, count_ptr, N, scale,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    base = tl.program_id(1) * N * D
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q_offsets = base + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + q_offsets, mask=rows[:, None] < N, other=0.0)

    m = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    end = N
    for start in range(0, end, BLOCK_N):
        tl.atomic_add(count_ptr, 1)
        n = start + tl.arange(0, BLOCK_N)
        offsets = base + n[:, None] * D + d[None, :]
        k = tl.load(k_ptr + offsets, mask=n[:, None] < N, other=0.0)
        v = tl.load(v_ptr + offsets, mask=n[:, None] < N, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(n[None, :] < N, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    o = acc / l[:, None]
    tl.store(o_ptr + q_offsets, o, mask=rows[:, None] < N)


def attention(q, k, v):
    """Causal attention. @returns the output, and how many blocks of keys were loaded."""
    batch, heads, N, D = q.shape
    o = torch.empty_like(q)
    count = torch.zeros(1, dtype=torch.int32, device=q.device)
    grid = (triton.cdiv(N, 32), batch * heads)
    flash_kernel[grid](q, k, v, o, count, N, D**-0.5, D=D, BLOCK_M=32, BLOCK_N=32)
    return o, int(count[0])


def reference(q, k, v):
    N = q.shape[-2]
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    i = torch.arange(N, device=q.device)
    s = torch.where(i[None, :] <= i[:, None], s, -float("inf"))
    return torch.softmax(s, dim=-1) @ v


if __name__ == "__main__":
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 1, 512, 32, device=DEVICE) for _ in range(3))
    o, blocks = attention(q, k, v)
    print("causal attention is right:", torch.allclose(o, reference(q, k, v), atol=3e-6, rtol=0))
    print("blocks of keys loaded:", blocks)
    z = 2.0 ** torch.tensor([1.0, 2.0, 3.0])
    print(f"with exp2 alone: {float(z[2] / z.sum()):.3f}")
