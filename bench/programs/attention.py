"""Flash attention, forward: a program owns BM queries and walks over the keys with an online softmax."""

import torch
import triton
import triton.language as tl

from measure import measure, sizes, wanted

#: For f32, whose products are multiply-adds, and for f16, where there are matrix units.
TILES = {
    "f32": [
        (64, 32, 4, 2),
        (64, 64, 4, 2),
        (64, 64, 4, 3),
        (64, 64, 8, 2),
        (128, 32, 4, 3),
        (128, 32, 8, 2),
        (128, 64, 4, 3),
        (128, 64, 8, 2),
        (128, 128, 8, 3),
    ],
    "f16": [
        (64, 32, 4, 2),
        (64, 64, 4, 3),
        (128, 32, 4, 3),
        (128, 64, 4, 3),
        (128, 64, 8, 2),
        (128, 64, 8, 3),
        (128, 128, 8, 3),
    ],
}


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, scale, length,
    DIM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
    GROUP: tl.constexpr = 1,
):  # fmt: skip
    """GROUP heads of queries share each head of keys and values."""
    block = tl.program_id(0)
    head = tl.program_id(1)
    if CAUSAL:
        # The longest first, of all heads: what begins last is short, and nobody waits for it.
        number = head * tl.num_programs(0) + block
        block = tl.num_programs(0) - 1 - number // tl.num_programs(1)
        head = number % tl.num_programs(1)
    first = block * BM
    shared = head // GROUP
    head = head * length * DIM
    shared = shared * length * DIM
    queries = first + tl.arange(0, BM)
    keys = tl.arange(0, BN)
    dims = tl.arange(0, DIM)
    q = tl.load(q_ptr + head + queries[:, None] * DIM + dims[None, :])
    q = (q * (scale * 1.4426950408889634)).to(q_ptr.dtype.element_ty)
    k_ptrs = k_ptr + shared + keys[None, :] * DIM + dims[:, None]
    v_ptrs = v_ptr + shared + keys[:, None] * DIM + dims[None, :]
    acc = tl.zeros((BM, DIM), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    highest = tl.full((BM,), -1.0e6, dtype=tl.float32)
    last = first + BM if CAUSAL else length
    for start in range(0, last, BN):
        scores = tl.dot(q, tl.load(k_ptrs + start * DIM), input_precision="ieee")
        if CAUSAL:
            scores = tl.where(queries[:, None] >= start + keys[None, :], scores, -1.0e6)
        new = tl.maximum(highest, tl.max(scores, axis=1))
        p = tl.exp2(scores - new[:, None])
        rescale = tl.exp2(highest - new)
        total = total * rescale + tl.sum(p, axis=1)
        v = tl.load(v_ptrs + start * DIM)
        acc = tl.dot(p.to(v.dtype), v, acc * rescale[:, None], input_precision="ieee")
        highest = new
    out = acc / total[:, None]
    tl.store(out_ptr + head + queries[:, None] * DIM + dims[None, :], out.to(out_ptr.dtype.element_ty))


def tuned(label):
    configs = [
        triton.Config({"BM": bm, "BN": bn}, num_warps=warps, num_stages=stages)
        for bm, bn, warps, stages in TILES[label]
    ]
    return triton.autotune(configs=configs, key=["length", "CAUSAL"])(attention_kernel)


if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = False
    for dtype, label, close in (torch.float32, "f32", 1e-4), (torch.float16, "f16", 1e-2):
        kernel = tuned(label)
        for batch, heads, length in sizes(quick=[(1, 4, 256)], full=[(4, 32, 1024)]):
            for causal in False, True:
                name = f"{label} attention {batch * heads}×{length}×64{' causal' if causal else ''}"
                if not wanted(name):
                    continue
                shape = (batch, heads, length, 64)
                q, k, v = (torch.randn(shape, device="cuda").to(dtype) for _ in range(3))
                out = torch.full_like(q, float("nan"))

                def ours():
                    grid = lambda meta: (length // meta["BM"], batch * heads)
                    kernel[grid](q, k, v, out, 0.125, length, DIM=64, CAUSAL=causal)

                def sdpa(a, b, c):
                    return torch.nn.functional.scaled_dot_product_attention(a, b, c, is_causal=causal)

                measure(
                    name,
                    ours,
                    lambda: sdpa(q, k, v),
                    out.flatten(0, 1),
                    lambda: sdpa(*(t[:1, :1].double() for t in (q, k, v))).flatten(0, 1),
                    close,
                    rows=1,
                )
