"""
Fused attention
===============

softmax(Q @ Kᵀ · scale) @ V without ever writing the matrix of scores. A program owns BLOCK_M
queries and loops over the keys and values in blocks. The softmax is *online*: a running maximum
and a running sum are kept for each query, and whenever a block brings a new maximum, what was
summed before is scaled down to match (Milakov & Gimelshein 2018; FlashAttention, Dao et al. 2022).

GPUs compute 2**x faster than e**x: the scale carries a factor of log2(e), and exp2 does the rest.

Causal attention lets a query see only the keys up to itself. Blocks left of the diagonal need no
mask, blocks right of it are never visited: only those on the diagonal are masked.
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def attend(
    acc, row_sum, row_max,
    q, k_ptrs, v_ptrs, queries,
    start, end, length, stride_row,
    BLOCK_N: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr,
):
    """Takes the keys from `start` to `end` into the running softmax. Masks only where it must."""
    for first in range(start, end, BLOCK_N):
        keys = first + tl.arange(0, BLOCK_N)
        if MASKED:
            k = tl.load(k_ptrs + first * stride_row, mask=keys[None, :] < length, other=0.0)
        else:
            k = tl.load(k_ptrs + first * stride_row)
        scores = tl.dot(q, k, input_precision="ieee")
        if MASKED:
            visible = keys[None, :] < length
            if CAUSAL:
                visible = visible & (queries[:, None] >= keys[None, :])
            scores = tl.where(visible, scores, -1.0e6)
        new_max = tl.maximum(row_max, tl.max(scores, axis=1))
        p = tl.exp2(scores - new_max[:, None])
        # Everything so far was relative to the old maximum.
        rescale = tl.exp2(row_max - new_max)
        row_sum = row_sum * rescale + tl.sum(p, axis=1)
        acc = acc * rescale[:, None]
        if MASKED:
            v = tl.load(v_ptrs + first * stride_row, mask=keys[:, None] < length, other=0.0)
        else:
            v = tl.load(v_ptrs + first * stride_row)
        acc = tl.dot(p.to(v.dtype), v, acc, input_precision="ieee")
        row_max = new_max
    return acc, row_sum, row_max


@triton.jit
def attention_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr,
    scale, stride_head, stride_row, length,
    HEAD_DIM: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    # Axis 0: blocks of queries. Axis 1: batch and head together.
    first_query = tl.program_id(0) * BLOCK_M
    head = tl.program_id(1).to(tl.int64) * stride_head
    queries = first_query + tl.arange(0, BLOCK_M)
    keys = tl.arange(0, BLOCK_N)
    dims = tl.arange(0, HEAD_DIM)

    q_ptrs = q_ptr + head + queries[:, None] * stride_row + dims[None, :]
    k_ptrs = k_ptr + head + keys[None, :] * stride_row + dims[:, None]  # transposed
    v_ptrs = v_ptr + head + keys[:, None] * stride_row + dims[None, :]
    q = tl.load(q_ptrs, mask=queries[:, None] < length, other=0.0)
    q = (q * (scale * 1.4426950408889634)).to(k_ptr.dtype.element_ty)

    acc = tl.zeros([BLOCK_M, HEAD_DIM], dtype=tl.float32)
    row_sum = tl.zeros([BLOCK_M], dtype=tl.float32)
    row_max = tl.full([BLOCK_M], -1.0e6, dtype=tl.float32)

    # Whole blocks that every query of this program sees, then the rest with a mask.
    last = tl.minimum(first_query + BLOCK_M, length) if CAUSAL else length
    plain = first_query if CAUSAL else length
    plain = plain // BLOCK_N * BLOCK_N
    acc, row_sum, row_max = attend(
        acc, row_sum, row_max, q, k_ptrs, v_ptrs, queries,
        0, plain, length, stride_row, BLOCK_N, False, CAUSAL,
    )
    acc, row_sum, row_max = attend(
        acc, row_sum, row_max, q, k_ptrs, v_ptrs, queries,
        plain, last, length, stride_row, BLOCK_N, True, CAUSAL,
    )

    out = acc / row_sum[:, None]
    out_ptrs = out_ptr + head + queries[:, None] * stride_row + dims[None, :]
    tl.store(out_ptrs, out.to(out_ptr.dtype.element_ty), mask=queries[:, None] < length)


def attention(q, k, v, causal=False):
    """q, k, v: (batch, heads, length, head dim), contiguous, all of one shape."""
    batch, heads, length, head_dim = q.shape
    out = torch.empty_like(q)
    block_m, block_n = (64, 32) if head_dim <= 64 else (32, 32)
    grid = (triton.cdiv(length, block_m), batch * heads)
    attention_kernel[grid](
        q, k, v, out,
        head_dim**-0.5, q.stride(1), q.stride(2), length,
        HEAD_DIM=head_dim, BLOCK_M=block_m, BLOCK_N=block_n, CAUSAL=causal,
        num_warps=4,
    )
    return out


def reference(q, k, v, causal=False):
    """The same with the matrix of scores written out."""
    scores = (q @ k.transpose(-2, -1)).float() * q.shape[-1] ** -0.5
    if causal:
        length = q.shape[-2]
        visible = torch.tril(torch.ones((length, length), device=q.device)) > 0
        scores = torch.where(visible, scores, float("-inf"))
    return torch.softmax(scores, dim=-1).to(v.dtype) @ v


dtype = torch.float32  # try torch.float16: half the traffic
# An output is an average of values, so its error is that of a few roundings: of float32 throughout,
# or of p and the output to 11 bits (float16) or 8 bits (bfloat16).
tolerance = {torch.float32: 5e-6, torch.float16: 5e-3, torch.bfloat16: 4e-2}[dtype]
torch.manual_seed(0)
q, k, v = [torch.randn((2, 3, 200, 64), dtype=dtype, device=DEVICE) for _ in range(3)]
for causal in (False, True):
    out = attention(q, k, v, causal)
    expected = reference(q, k, v, causal)
    same = torch.allclose(out, expected, atol=tolerance, rtol=0)
    print("causal" if causal else "full", "attention, as PyTorch computes it:", same)


@triton.testing.perf_report(
    [
        triton.testing.Benchmark(
            x_names=["length"],
            x_vals=[128, 256, 512],
            line_arg="provider",
            line_vals=["triton", "torch"],
            line_names=["fused", "scores written out"],
            ylabel="GFLOP/s",
            plot_name="attention" + ("-causal" if causal else ""),
            args={"heads": 4, "head_dim": 64, "causal": causal},
        )
        for causal in (False, True)
    ]
)
def benchmark(length, heads, head_dim, causal, provider):
    shape = (1, heads, length, head_dim)
    q, k, v = [torch.randn(shape, dtype=dtype, device=DEVICE) for _ in range(3)]
    run = attention if provider == "triton" else reference
    ms = triton.testing.do_bench(lambda: run(q, k, v, causal))
    flops = 4 * heads * length * length * head_dim * (0.5 if causal else 1.0)
    return flops * 1e-9 / (ms * 1e-3)


benchmark.run(print_data=True)
