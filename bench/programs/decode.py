"""Paged decode attention: one new token a sequence, keys and values in pages that a table names.

A program takes one sequence, one head of the keys with all heads of the queries that share it, and one
stretch of the keys; a second kernel puts the stretches together. Into how many a sequence is split is tuned
with the rest: many fill a GPU, few begin and end less often.
"""

import torch
import triton
import triton.language as tl

from measure import measure, sizes

#: The most stretches of a sequence; scratch is made for as many.
MOST_SPLITS = 8
CONFIGS = [
    triton.Config({"BN": bn, "SPLITS": splits}, num_warps=warps, num_stages=stages)
    for splits in [2, 4, MOST_SPLITS]
    for bn, warps, stages in [(32, 2, 3), (64, 4, 3), (64, 2, 2), (64, 2, 4), (128, 4, 2), (128, 8, 3)]
]


@triton.jit
def decode_kernel(
    q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, part_ptr, summary_ptr, scale, pages_a_row,
    HEADS: tl.constexpr, GROUP: tl.constexpr, DIM: tl.constexpr, PAGE: tl.constexpr,
    SPLITS: tl.constexpr, BN: tl.constexpr,
):  # fmt: skip
    """Queries: (sequences, HEADS · GROUP, DIM). Pages: (pages, PAGE, HEADS, DIM)."""
    sequence = tl.program_id(0)
    head = tl.program_id(1)
    split = tl.program_id(2)
    # A dot requires 16 rows; those above the group compute what nobody stores.
    rows = tl.arange(0, 16)
    dims = tl.arange(0, DIM)
    query = (sequence * HEADS + head) * GROUP + rows % GROUP
    q = tl.load(q_ptr + query[:, None] * DIM + dims[None, :])
    length = tl.load(lengths_ptr + sequence)
    stretch = tl.cdiv(tl.cdiv(length, SPLITS), BN) * BN
    first = split * stretch
    last = tl.minimum(first + stretch, length)
    highest = tl.full((16,), -1.0e30, dtype=tl.float32)
    total = tl.zeros((16,), dtype=tl.float32)
    acc = tl.zeros((16, DIM), dtype=tl.float32)
    for start in range(first, last, BN):
        keys = start + tl.arange(0, BN)
        inside = keys < last
        page = tl.load(table_ptr + sequence * pages_a_row + keys // PAGE, mask=inside, other=0)
        at = ((page * PAGE + keys % PAGE) * HEADS + head) * DIM
        k = tl.load(k_ptr + at[None, :] + dims[:, None], mask=inside[None, :], other=0.0)
        scores = tl.dot(q, k) * (scale * 1.4426950408889634)
        scores = tl.where(inside[None, :], scores, -1.0e30)
        new = tl.maximum(highest, tl.max(scores, axis=1))
        p = tl.exp2(scores - new[:, None])
        rescale = tl.exp2(highest - new)
        total = total * rescale + tl.sum(p, axis=1)
        v = tl.load(v_ptr + at[:, None] + dims[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(p.to(v.dtype), v, acc * rescale[:, None])
        highest = new
    stored = (rows < GROUP)[:, None]
    place = query * SPLITS + split
    tl.store(part_ptr + place[:, None] * DIM + dims[None, :], acc, mask=stored)
    tl.store(summary_ptr + place * 2, highest, mask=rows < GROUP)
    tl.store(summary_ptr + place * 2 + 1, total, mask=rows < GROUP)


@triton.jit
def combine_kernel(part_ptr, summary_ptr, out_ptr, DIM: tl.constexpr, SPLITS: tl.constexpr):
    query = tl.program_id(0)
    splits = query * SPLITS + tl.arange(0, SPLITS)
    dims = tl.arange(0, DIM)
    highest = tl.load(summary_ptr + splits * 2)
    weight = tl.exp2(highest - tl.max(highest, axis=0))
    total = tl.sum(tl.load(summary_ptr + splits * 2 + 1) * weight, axis=0)
    parts = tl.load(part_ptr + splits[:, None] * DIM + dims[None, :])
    out = tl.sum(parts * weight[:, None], axis=0) / total
    tl.store(out_ptr + query * DIM + dims, out.to(out_ptr.dtype.element_ty))


tuned = triton.autotune(configs=CONFIGS, key=["pages_a_row"])(decode_kernel)


if __name__ == "__main__":
    for sequences, length in sizes(quick=[(2, 256)], full=[(32, 4096)]):
        heads, group, dim, page = 8, 4, 128, 16
        pages_a_row = length // page
        pages = sequences * pages_a_row
        q = torch.randn(sequences, heads * group, dim, device="cuda").to(torch.float16)
        k, v = (torch.randn(pages, page, heads, dim, device="cuda").to(torch.float16) for _ in range(2))
        table = torch.randperm(pages, device="cuda").to(torch.int32).reshape(sequences, pages_a_row)
        lengths = torch.full((sequences,), length, dtype=torch.int32, device="cuda")
        part = torch.empty(sequences * heads * group * MOST_SPLITS, dim, device="cuda")
        summary = torch.empty(sequences * heads * group * MOST_SPLITS, 2, device="cuda")
        out = torch.full_like(q, float("nan"))

        def ours():
            tuned[lambda chosen: (sequences, heads, chosen["SPLITS"])](
                q, k, v, table, lengths, part, summary, dim**-0.5, pages_a_row,
                HEADS=heads, GROUP=group, DIM=dim, PAGE=page,
            )  # fmt: skip
            splits = tuned.best_config.kwargs["SPLITS"]
            combine_kernel[(sequences * heads * group,)](part, summary, out, DIM=dim, SPLITS=splits)

        def attended():
            """The first sequence, in f64."""
            own = table[0].long()
            keys, values = (
                t[own].double().reshape(length, heads, dim).repeat_interleave(group, dim=1) for t in (k, v)
            )
            scores = torch.einsum("hd,nhd->hn", q[0].double(), keys) * dim**-0.5
            return torch.einsum("hn,nhd->hd", torch.softmax(scores, dim=-1), values)[None]

        measure(
            f"f16 paged decode {sequences}×{heads * group}×{length}×{dim}",
            ours,
            None,
            out,
            attended,
            5e-3,
            rows=1,
        )
