"""
Block-sparse attention
======================

Attention where each block of queries looks at a list of blocks of keys, and at nothing else. The lists are data: any pattern
works without a new kernel. Inside of a block a sparse mask of single elements is applied too.

Teaches: loops over a list from memory, masks of 1 byte, rows that see nothing.
Costs: only the listed blocks are loaded; the mask adds a byte for each score.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, o_ptr, list_ptr, length_ptr, mask_ptr, N, width, scale,
    D: tl.constexpr, BLOCK: tl.constexpr,
):
    block = tl.program_id(0)
    base = tl.program_id(1) * N * D
    rows = block * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    offsets = base + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + offsets, mask=rows[:, None] < N, other=0.0)
    m = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BLOCK,), dtype=tl.float32)
    acc = tl.zeros((BLOCK, D), dtype=tl.float32)
    for i in range(0, tl.load(length_ptr + block)):
        n = tl.load(list_ptr + block * width + i) * BLOCK + tl.arange(0, BLOCK)
        kv = base + n[:, None] * D + d[None, :]
        k = tl.load(k_ptr + kv, mask=n[:, None] < N, other=0.0)
        v = tl.load(v_ptr + kv, mask=n[:, None] < N, other=0.0)
        inside = (rows[:, None] < N) & (n[None, :] < N)
        allowed = tl.load(mask_ptr + rows[:, None] * N + n[None, :], mask=inside, other=0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where(allowed != 0, s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        safe = tl.where(m_new == -float("inf"), 0.0, m_new)
        alpha = tl.exp(m - safe)
        p = tl.exp(s - safe[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    # A query that may look at nothing gets zeros.
    o = acc / tl.where(l == 0.0, 1.0, l)[:, None]
    tl.store(o_ptr + offsets, o, mask=rows[:, None] < N)


def attention(q, k, v, mask, BLOCK=32):
    """mask: bool [N, N]. Blocks without a single true are skipped."""
    heads, N, D = q.shape
    blocks = triton.cdiv(N, BLOCK)
    lists = []
    for i in range(blocks):
        rows = mask[i * BLOCK : (i + 1) * BLOCK]
        lists.append([j for j in range(blocks) if bool(rows[:, j * BLOCK : (j + 1) * BLOCK].any())])
    width = max(1, max(len(one) for one in lists))
    padded = torch.tensor([one + [0] * (width - len(one)) for one in lists], dtype=torch.int32, device=q.device)
    lengths = torch.tensor([len(one) for one in lists], dtype=torch.int32, device=q.device)
    o = torch.empty_like(q)
    attention_kernel[(blocks, heads)](
        q, k, v, o, padded, lengths, mask.to(torch.int8), N, width, D**-0.5, D=D, BLOCK=BLOCK
    )
    return o, sum(len(one) for one in lists), blocks * blocks


def reference(q, k, v, mask):
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(torch.where(mask, s, -float("inf")), dim=-1) @ v


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
N = 200
q, k, v = (torch.randn(2, N, 32, device=DEVICE) for _ in range(3))
i = torch.arange(N, device=DEVICE)
near = (i[:, None] - i[None, :]).abs() < 20
stripes = i[None, :] < 8
mask = (near | stripes) & (i[None, :] <= i[:, None])
o, loaded, total = attention(q, k, v, mask)
print(f"{loaded} of {total} blocks were loaded")
# An output is an average of values of size 1: a few roundings of float32.
print("as torch computes it:", torch.allclose(o, reference(q, k, v, mask), atol=4e-6, rtol=0))
measure("attention", lambda: attention(q, k, v, mask), 4 * 2 * 32 * 32 * 32 * loaded, "GFLOP/s")
