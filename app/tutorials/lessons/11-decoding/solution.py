import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


PAGE = tl.constexpr(16)


@triton.jit
def split_kernel(
    q_ptr, k_ptr, v_ptr, table_ptr, length_ptr, m_ptr, l_ptr, acc_ptr,
    max_pages, splits, scale, D: tl.constexpr, BLOCK: tl.constexpr,
):
    text = tl.program_id(0)
    split = tl.program_id(1)
    length = tl.load(length_ptr + text)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + text * D + d)
    # This split's share of the text: whole blocks.
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
        places = page * PAGE + n % PAGE
        k = tl.load(k_ptr + places[:, None] * D + d[None, :], mask=mask[:, None], other=0.0)
        v = tl.load(v_ptr + places[:, None] * D + d[None, :], mask=mask[:, None], other=0.0)
        s = tl.sum(q[None, :] * k, axis=1) * scale
        s = tl.where(mask, s, -float("inf"))
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
    l = tl.load(l_ptr + at)
    acc = tl.load(acc_ptr + at[:, None] * D + d[None, :])
    weight = tl.exp(m - tl.max(m, axis=0))
    total = tl.sum(weight * l, axis=0)
    o = tl.sum(weight[:, None] * acc, axis=0) / total
    tl.store(o_ptr + text * D + d, o)


def decode(q, k_pool, v_pool, table, lengths, splits=4):
    """q: [texts, D]; pools: [pages, 16, D]; table: [texts, max_pages]; lengths: [texts], none of them 0."""
    texts, D = q.shape
    o = torch.empty_like(q)
    m = torch.empty(texts, splits, dtype=torch.float32, device=q.device)
    l = torch.empty(texts, splits, dtype=torch.float32, device=q.device)
    acc = torch.empty(texts, splits, D, dtype=torch.float32, device=q.device)
    split_kernel[(texts, splits)](
        q, k_pool, v_pool, table, lengths, m, l, acc, table.shape[1], splits, D**-0.5, D=D, BLOCK=16,
    )
    merge_kernel[(texts,)](m, l, acc, o, SPLITS=splits, D=D)
    return o


def make(lengths, D, seed=0):
    """Random texts whose pages lie in the pool in random order."""
    torch.manual_seed(seed)
    counts = [(length + 15) // 16 for length in lengths]
    order = torch.randperm(sum(counts) + 3)
    table = torch.zeros(len(lengths), max(counts), dtype=torch.int32)
    used = 0
    for text, count in enumerate(counts):
        table[text, :count] = order[used : used + count].to(torch.int32)
        used += count
    q = torch.randn(len(lengths), D)
    k, v = torch.randn(len(order), 16, D), torch.randn(len(order), 16, D)
    return [t.to(DEVICE) for t in (q, k, v, table, torch.tensor(lengths, dtype=torch.int32))]


def reference(q, k_pool, v_pool, table, lengths):
    rows = []
    for text in range(q.shape[0]):
        length = int(lengths[text])
        pages = table[text, : (length + 15) // 16].to(torch.int64)
        k = k_pool[pages].reshape(-1, q.shape[1])[:length]
        v = v_pool[pages].reshape(-1, q.shape[1])[:length]
        p = torch.softmax((k @ q[text]) * q.shape[1] ** -0.5, dim=0)
        rows.append(p @ v)
    return torch.stack(rows)


if __name__ == "__main__":
    lengths = [70, 5, 33]
    print("pages in use:", sum((length + 15) // 16 for length in lengths))
    inputs = make(lengths, 32)
    o = decode(*inputs)
    print("decoding is right:", torch.allclose(o, reference(*inputs), atol=1e-6, rtol=0))
