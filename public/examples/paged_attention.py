"""
Paged attention with split-K decoding
=====================================

One query for each text, against a cache of keys and values in pages that lie anywhere in a pool. Texts have lengths of their own. Each
text is split among several programs; a second kernel merges what they found. It tunes itself: the block of keys and the number of
warps by autotune, the number of splits by measuring what both kernels take together.

Teaches: tables of pages, unfinished softmaxes that are merged by rescaling.
Costs: reads every key and value once: bandwidth decides; the merge is small.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

PAGE = tl.constexpr(16)


CONFIGS = [
    triton.Config({"BLOCK": block}, num_warps=warps) for block, warps in ((32, 4), (16, 2), (64, 4))
]


# Without a GPU there is nothing to measure, and the first configuration is as good as any.
@triton.autotune(configs=CONFIGS if DEVICE == "cuda" else CONFIGS[:1], key=["max_pages"])
@triton.jit
def split_kernel(
    q_ptr, k_ptr, v_ptr, table_ptr, length_ptr, m_ptr, l_ptr, acc_ptr, max_pages, splits, scale,
    D: tl.constexpr, BLOCK: tl.constexpr,
):
    text, split = tl.program_id(0), tl.program_id(1)
    length = tl.load(length_ptr + text)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + text * D + d)
    share = tl.cdiv(tl.cdiv(length, splits), BLOCK) * BLOCK
    begin = split * share
    end = tl.minimum(begin + share, length)
    m = -float("inf")
    l = 0.0
    acc = tl.zeros((D,), dtype=tl.float32)
    for start in range(begin, end, BLOCK):
        n = start + tl.arange(0, BLOCK)
        mask = n < end
        page = tl.load(table_ptr + text * max_pages + n // PAGE, mask=mask, other=0)
        offsets = (page * PAGE + n % PAGE)[:, None] * D + d[None, :]
        k = tl.load(k_ptr + offsets, mask=mask[:, None], other=0.0)
        v = tl.load(v_ptr + offsets, mask=mask[:, None], other=0.0)
        s = tl.where(mask, tl.sum(q[None, :] * k, axis=1) * scale, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=0))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new)
        l = l * alpha + tl.sum(p, axis=0)
        acc = acc * alpha + tl.sum(p[:, None] * v, axis=0)
        m = m_new
    at = text * splits + split
    tl.store(m_ptr + at, m)
    tl.store(l_ptr + at, l)
    tl.store(acc_ptr + at * D + d, acc)


@triton.jit
def merge_kernel(m_ptr, l_ptr, acc_ptr, o_ptr, SPLITS: tl.constexpr, D: tl.constexpr):
    text = tl.program_id(0)
    at = text * SPLITS + tl.arange(0, SPLITS)
    d = tl.arange(0, D)
    m = tl.load(m_ptr + at)
    # A split without work has m = -inf, and weighs nothing.
    weight = tl.exp(m - tl.max(m, axis=0))
    total = tl.sum(weight * tl.load(l_ptr + at), axis=0)
    acc = tl.load(acc_ptr + at[:, None] * D + d[None, :])
    tl.store(o_ptr + text * D + d, tl.sum(weight[:, None] * acc, axis=0) / total)


def decode(q, k_pool, v_pool, table, lengths, splits):
    texts, D = q.shape
    o = torch.empty_like(q)
    m, l = torch.empty(texts, splits, device=q.device), torch.empty(texts, splits, device=q.device)
    acc = torch.empty(texts, splits, D, device=q.device)
    split_kernel[(texts, splits)](
        q, k_pool, v_pool, table, lengths, m, l, acc, table.shape[1], splits, D**-0.5, D=D
    )
    merge_kernel[(texts,)](m, l, acc, o, SPLITS=splits, D=D)
    return o


def reference(q, k_pool, v_pool, table, lengths):
    rows = []
    for text in range(q.shape[0]):
        length = int(lengths[text])
        pages = table[text, : (length + 15) // 16].to(torch.int64)
        k = k_pool[pages].reshape(-1, q.shape[1])[:length]
        v = v_pool[pages].reshape(-1, q.shape[1])[:length]
        rows.append(torch.softmax((k @ q[text]) * q.shape[1] ** -0.5, dim=0) @ v)
    return torch.stack(rows)


torch.manual_seed(0)
D, sizes = 64, [700, 33, 1, 256]
counts = [(size + 15) // 16 for size in sizes]
order = torch.randperm(sum(counts))
table = torch.zeros(len(sizes), max(counts), dtype=torch.int32)
used = 0
for text, count in enumerate(counts):
    table[text, :count] = order[used : used + count].to(torch.int32)
    used += count
q = torch.randn(len(sizes), D)
k_pool, v_pool = torch.randn(used, 16, D), torch.randn(used, 16, D)
inputs = [t.to(DEVICE) for t in (q, k_pool, v_pool, table, torch.tensor(sizes, dtype=torch.int32))]
expected = reference(*inputs)
# An output is an average of values of size 1: a few roundings of float32.
tolerance = {"atol": 2e-6, "rtol": 0}
for splits in (1, 4, 8):
    print(f"{splits} splits:", torch.allclose(decode(*inputs, splits), expected, **tolerance))
if DEVICE == "cuda":
    times = {splits: triton.testing.do_bench(lambda: decode(*inputs, splits)) for splits in (1, 2, 4, 8)}
    for splits, ms in times.items():
        print(f"{splits} splits: {ms:.4g} ms, {2 * sum(sizes) * D * 4 / ms * 1e-6:.4g} GB/s")
    best = min(times, key=times.get)
    print("fastest here:", best, "splits, each with", split_kernel.best_config)
    print("tuned:", torch.allclose(decode(*inputs, best), expected, **tolerance))
