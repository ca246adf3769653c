"""
ALiBi, grouped queries, sliding window
======================================

Three changes that real models make to attention, in one kernel: a bias that grows with distance, several query heads that share one head
of keys and values, and a window that looks back only so far.

Teaches: what can be computed from positions need not be loaded; loops that begin and end where they must.
Costs: the bias is two operations for each score; a window makes the work linear in the length.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, slope_ptr, N, scale, window, heads, group,
    D: tl.constexpr, BLOCK: tl.constexpr,
):
    batch, head = tl.program_id(1) // heads, tl.program_id(1) % heads
    q_base = (batch * heads + head) * N * D
    kv_base = (batch * (heads // group) + head // group) * N * D
    slope = tl.load(slope_ptr + head)
    first = tl.program_id(0) * BLOCK
    rows = first + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    offsets = q_base + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + offsets, mask=rows[:, None] < N, other=0.0)
    m = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BLOCK,), dtype=tl.float32)
    acc = tl.zeros((BLOCK, D), dtype=tl.float32)
    begin = tl.maximum(first - window + 1, 0) // BLOCK * BLOCK
    for start in range(begin, tl.minimum(first + BLOCK, N), BLOCK):
        n = start + tl.arange(0, BLOCK)
        kv = kv_base + n[:, None] * D + d[None, :]
        k = tl.load(k_ptr + kv, mask=n[:, None] < N, other=0.0)
        v = tl.load(v_ptr + kv, mask=n[:, None] < N, other=0.0)
        distance = rows[:, None] - n[None, :]
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale - slope * distance
        s = tl.where((distance >= 0) & (distance < window) & (n[None, :] < N), s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        safe = tl.where(m_new == -float("inf"), 0.0, m_new)
        alpha = tl.exp(m - safe)
        p = tl.exp(s - safe[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + offsets, acc / l[:, None], mask=rows[:, None] < N)


def attention(q, k, v, slopes, window):
    batch, heads, N, D = q.shape
    o = torch.empty_like(q)
    grid = (triton.cdiv(N, 32), batch * heads)
    attention_kernel[grid](
        q, k, v, o, slopes, N, D**-0.5, window, heads, heads // k.shape[1], D=D, BLOCK=32
    )
    return o


def reference(q, k, v, slopes, window):
    heads, N = q.shape[1], q.shape[2]
    k, v = (t.repeat_interleave(heads // t.shape[1], dim=1) for t in (k, v))
    i = torch.arange(N, device=q.device)
    distance = i[:, None] - i[None, :]
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    s = s - slopes.reshape(1, heads, 1, 1) * distance.to(torch.float32)
    s = torch.where((distance >= 0) & (distance < window), s, -float("inf"))
    return torch.softmax(s, dim=-1) @ v


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
q = torch.randn(2, 4, 150, 32, device=DEVICE)
k, v = (torch.randn(2, 2, 150, 32, device=DEVICE) for _ in range(2))
slopes = torch.tensor([2.0 ** -(i + 1) for i in range(4)], device=DEVICE)
none = torch.zeros(4, device=DEVICE)
# An output is an average of values of size 1: a few roundings of float32.
for name, slope, window in (("ALiBi", slopes, 150), ("sliding window", none, 40), ("both", slopes, 40)):
    print(f"grouped queries, {name}:", torch.allclose(
        attention(q, k, v, slope, window), reference(q, k, v, slope, window), atol=5e-6, rtol=0))
measure("attention", lambda: attention(q, k, v, slopes, 150), 2 * 2 * 4 * 150 * 150 * 32, "GFLOP/s")
