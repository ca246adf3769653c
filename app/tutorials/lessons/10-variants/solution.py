import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def flash_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, slope_ptr, count_ptr, N, scale, window, heads, group,
    D: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    kv_head = head // group
    q_base = (batch * heads + head) * N * D
    kv_base = (batch * (heads // group) + kv_head) * N * D
    slope = tl.load(slope_ptr + head)

    first_row = tl.program_id(0) * BLOCK_M
    rows = first_row + tl.arange(0, BLOCK_M)
    d = tl.arange(0, D)
    q_offsets = q_base + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + q_offsets, mask=rows[:, None] < N, other=0.0)
    m = tl.full((BLOCK_M,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BLOCK_M,), dtype=tl.float32)
    acc = tl.zeros((BLOCK_M, D), dtype=tl.float32)
    begin = tl.maximum(first_row - window + 1, 0) // BLOCK_N * BLOCK_N
    end = tl.minimum(first_row + BLOCK_M, N)
    for start in range(begin, end, BLOCK_N):
        tl.atomic_add(count_ptr, 1)
        n = start + tl.arange(0, BLOCK_N)
        offsets = kv_base + n[:, None] * D + d[None, :]
        k = tl.load(k_ptr + offsets, mask=n[:, None] < N, other=0.0)
        v = tl.load(v_ptr + offsets, mask=n[:, None] < N, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        distance = rows[:, None] - n[None, :]
        s = (s - slope * distance) * LOG2E
        s = tl.where((distance >= 0) & (distance < window) & (n[None, :] < N), s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        safe = tl.where(m_new == -float("inf"), 0.0, m_new)
        alpha = tl.exp2(m - safe)
        p = tl.exp2(s - safe[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    o = acc / l[:, None]
    tl.store(o_ptr + q_offsets, o, mask=rows[:, None] < N)


def attention(q, k, v, slopes, window):
    """q: [batch, heads, N, D]; k, v: [batch, key heads, N, D]; slopes: [heads].
    @returns the output, and how many blocks of keys were loaded."""
    batch, heads, N, D = q.shape
    o = torch.empty_like(q)
    count = torch.zeros(1, dtype=torch.int32, device=q.device)
    grid = (triton.cdiv(N, 32), batch * heads)
    flash_kernel[grid](
        q, k, v, o, slopes, count, N, D**-0.5, window, heads, heads // k.shape[1],
        D=D, BLOCK_M=32, BLOCK_N=32,
    )
    return o, int(count[0])


def reference(q, k, v, slopes, window):
    heads, N = q.shape[1], q.shape[2]
    group = heads // k.shape[1]
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    i = torch.arange(N, device=q.device)
    distance = i[:, None] - i[None, :]
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    s = s - slopes.reshape(1, heads, 1, 1) * distance.to(torch.float32)
    s = torch.where((distance >= 0) & (distance < window), s, -float("inf"))
    return torch.softmax(s, dim=-1) @ v


if __name__ == "__main__":
    torch.manual_seed(0)
    print("key head of query head 5:", 5 // (8 // 2))
    slopes = torch.tensor([2.0 ** -(i + 1) for i in range(4)], device=DEVICE)
    q = torch.randn(1, 4, 100, 32, device=DEVICE)
    k, v = (torch.randn(1, 2, 100, 32, device=DEVICE) for _ in range(2))
    o, _ = attention(q, k, v, slopes, 48)
    print("all three are right:", torch.allclose(o, reference(q, k, v, slopes, 48), atol=5e-6, rtol=0))
    q, k, v = (torch.randn(1, 1, 512, 16, device=DEVICE) for _ in range(3))
    _, blocks = attention(q, k, v, slopes[:1], 64)
    print("blocks of keys with a window of 64:", blocks)
