"""Flash attention, backward: the gradients of keys and values block by block of the keys, those of queries block
by block of the queries. Probabilities are computed again from each row's logarithm of a sum; no atomics."""

import math

import torch
import triton
import triton.language as tl

from measure import measure, sizes, wanted

#: For f32, whose products are multiply-adds, and for f16, where there are matrix units.
TILES = {
    "f32": [
        (32, 32, 4, 2),
        (32, 64, 4, 2),
        (64, 32, 4, 2),
        (64, 32, 8, 2),
        (64, 64, 8, 2),
    ],
    "f16": [
        (32, 64, 4, 3),
        (32, 128, 4, 4),
        (64, 64, 4, 3),
        (64, 128, 8, 2),
        (64, 128, 8, 3),
        (128, 64, 8, 2),
        (128, 128, 8, 2),
    ],
}


@triton.jit
def delta_kernel(out_ptr, dout_ptr, delta_ptr, DIM: tl.constexpr, ROWS: tl.constexpr):
    """What each row's probabilities have in common: the sum of its output times the output's gradient."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = rows[:, None] * DIM + tl.arange(0, DIM)[None, :]
    product = tl.load(out_ptr + at).to(tl.float32) * tl.load(dout_ptr + at).to(tl.float32)
    tl.store(delta_ptr + rows, tl.sum(product, axis=1))


@triton.jit
def dkv_kernel(
    q_ptr, k_ptr, v_ptr, dout_ptr, lse_ptr, delta_ptr, grads_ptr, scale, length,
    DIM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """BN keys by BM queries at a time. `grads`: of queries, keys and values, one behind the other, a head."""
    first = tl.program_id(0) * BN
    head = tl.program_id(1)
    keys = first + tl.arange(0, BN)
    queries = tl.arange(0, BM)
    dims = tl.arange(0, DIM)
    own = keys[:, None] * DIM + dims[None, :]
    k = tl.load(k_ptr + head * length * DIM + own)
    v = tl.load(v_ptr + head * length * DIM + own)
    step = head * length * DIM + queries[:, None] * DIM + dims[None, :]
    dk = tl.zeros((BN, DIM), dtype=tl.float32)
    dv = tl.zeros((BN, DIM), dtype=tl.float32)
    # Queries before the first key do not see it.
    begin = first // BM * BM if CAUSAL else 0
    for start in range(begin, length, BM):
        q = tl.load(q_ptr + step + start * DIM)
        lse = tl.load(lse_ptr + head * length + start + queries)
        scores = tl.dot(k, tl.trans(q), input_precision="ieee")
        p = tl.exp2(scores * (scale * 1.4426950408889634) - lse[None, :] * 1.4426950408889634)
        if CAUSAL:
            p = tl.where(start + queries[None, :] >= keys[:, None], p, 0.0)
        dout = tl.load(dout_ptr + step + start * DIM)
        dv = tl.dot(p.to(dout.dtype), dout, dv, input_precision="ieee")
        dp = tl.dot(v, tl.trans(dout), input_precision="ieee")
        delta = tl.load(delta_ptr + head * length + start + queries)
        ds = p * (dp - delta[None, :])
        dk = tl.dot(ds.to(q.dtype), q, dk, input_precision="ieee")
    grads = grads_ptr + head * 3 * length * DIM + length * DIM
    tl.store(grads + own, (dk * scale).to(grads_ptr.dtype.element_ty))
    tl.store(grads + length * DIM + own, dv.to(grads_ptr.dtype.element_ty))


@triton.jit
def dq_kernel(
    q_ptr, k_ptr, v_ptr, dout_ptr, lse_ptr, delta_ptr, grads_ptr, scale, length,
    DIM: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr,
):  # fmt: skip
    """BM queries by BN keys at a time."""
    first = tl.program_id(0) * BM
    head = tl.program_id(1)
    queries = first + tl.arange(0, BM)
    keys = tl.arange(0, BN)
    dims = tl.arange(0, DIM)
    own = queries[:, None] * DIM + dims[None, :]
    q = tl.load(q_ptr + head * length * DIM + own)
    dout = tl.load(dout_ptr + head * length * DIM + own)
    lse = tl.load(lse_ptr + head * length + queries) * 1.4426950408889634
    delta = tl.load(delta_ptr + head * length + queries)
    step = head * length * DIM + keys[:, None] * DIM + dims[None, :]
    dq = tl.zeros((BM, DIM), dtype=tl.float32)
    last = first + BM if CAUSAL else length
    for start in range(0, last, BN):
        k = tl.load(k_ptr + step + start * DIM)
        scores = tl.dot(q, tl.trans(k), input_precision="ieee")
        p = tl.exp2(scores * (scale * 1.4426950408889634) - lse[:, None])
        if CAUSAL:
            p = tl.where(queries[:, None] >= start + keys[None, :], p, 0.0)
        v = tl.load(v_ptr + step + start * DIM)
        dp = tl.dot(dout, tl.trans(v), input_precision="ieee")
        ds = p * (dp - delta[:, None])
        dq = tl.dot(ds.to(k.dtype), k, dq, input_precision="ieee")
    tl.store(grads_ptr + head * 3 * length * DIM + own, (dq * scale).to(grads_ptr.dtype.element_ty))


def tuned(kernel, label):
    configs = [
        triton.Config({"BM": bm, "BN": bn}, num_warps=warps, num_stages=stages)
        for bm, bn, warps, stages in TILES[label]
    ]
    return triton.autotune(configs=configs, key=["length", "CAUSAL"])(kernel)


if __name__ == "__main__":
    torch.backends.cuda.matmul.allow_tf32 = False
    for dtype, label, close in (torch.float32, "f32", 1e-4), (torch.float16, "f16", 2e-2):
        dkv, dq = tuned(dkv_kernel, label), tuned(dq_kernel, label)
        for heads, length, dim in sizes(quick=[(4, 256, 64)], full=[(128, 1024, 64)]):
            for causal in False, True:
                name = f"{label} attention backward {heads}×{length}×{dim}{' causal' if causal else ''}"
                if not wanted(name):
                    continue
                q, k, v, dout = (torch.randn(1, heads, length, dim, device="cuda").to(dtype) for _ in range(4))
                scale = 1 / math.sqrt(dim)

                def sdpa(a, b, c):
                    return torch.nn.functional.scaled_dot_product_attention(a, b, c, is_causal=causal)

                # As the kernel reads it: some of torch's kernels leave heads beside each other.
                out = sdpa(q, k, v).contiguous()
                lse = torch.empty(heads, length, device="cuda")
                # Head by head: the scores of all would take gigabytes.
                for i in range(heads):
                    scores = (q[0, i].float() @ k[0, i].float().T) * scale
                    if causal:
                        later = torch.ones(length, length, device="cuda", dtype=torch.bool).triu(1)
                        scores = scores.masked_fill(later, -float("inf"))
                    lse[i] = torch.logsumexp(scores, dim=-1)
                delta = torch.empty(heads, length, device="cuda")
                grads = torch.full((heads, 3, length, dim), float("nan"), device="cuda", dtype=dtype)

                def ours():
                    delta_kernel[(heads * length // 32,)](out, dout, delta, DIM=dim, ROWS=32)
                    arguments = (q, k, v, dout, lse, delta, grads, scale, length)
                    dkv[lambda meta: (length // meta["BN"], heads)](*arguments, DIM=dim, CAUSAL=causal)
                    dq[lambda meta: (length // meta["BM"], heads)](*arguments, DIM=dim, CAUSAL=causal)

                def gradients(tensors, wide):
                    leaves = [t.detach().to(wide).requires_grad_() for t in tensors[:3]]
                    result = sdpa(*leaves)
                    return lambda: torch.autograd.grad(result, leaves, tensors[3].to(wide), retain_graph=True)

                measure(
                    name,
                    ours,
                    gradients((q, k, v, dout), dtype),
                    grads,
                    lambda: torch.stack(
                        [t[0] for t in gradients([t[:, :1] for t in (q, k, v, dout)], torch.float64)()], dim=1
                    ),
                    close,
                    rows=1,
                )
