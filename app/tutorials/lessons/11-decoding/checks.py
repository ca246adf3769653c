import torch
from judge import DEVICE, check, close, guarded, program, watch

watch("split_kernel", "merge_kernel")


def make(lengths, D, seed, spread=1.0):
    generator = torch.Generator().manual_seed(seed)
    counts = [(length + 15) // 16 for length in lengths]
    order = torch.randperm(sum(counts) + 5, generator=generator)
    table = torch.zeros(len(lengths), max(counts), dtype=torch.int32)
    k = torch.full((len(order), 16, D), float("nan"))
    v = torch.full((len(order), 16, D), float("nan"))
    used = 0
    for text, count in enumerate(counts):
        pages = order[used : used + count]
        table[text, :count] = pages.to(torch.int32)
        used += count
        for position in range(lengths[text]):
            page = int(pages[position // 16])
            k[page, position % 16] = spread * torch.randn(D, generator=generator)
            v[page, position % 16] = torch.randn(D, generator=generator)
    q = torch.randn(len(lengths), D, generator=generator)
    return [guarded(t.to(DEVICE)) for t in (q, k, v, table, torch.tensor(lengths, dtype=torch.int32))]


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


def run(lengths, D, what, seed=1, splits=4, spread=1.0):
    inputs = make(lengths, D, seed, spread)
    out = program.decode(*inputs, splits=splits)
    close(out, reference, *inputs, what=what, terms=max(lengths) + D)


@check("One text, pages in random order")
def one():
    run([64], 32, "64 positions")


@check("Texts of many lengths, and unused slots that hold NaN")
def lengths():
    run([70, 5, 33, 1, 16, 17], 32, "lengths 70, 5, 33, 1, 16, 17")


@check("Other numbers of splits")
def splits():
    run([40, 100], 16, "1 split", splits=1)
    run([40, 3], 16, "8 splits", splits=8)


@check("Splits whose maxima are far apart")
def far():
    run([128, 90], 16, "scores of about fifty", seed=5, spread=12.0)
