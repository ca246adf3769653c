"""
The fused attention of the examples, timed on whatever runs it: prints the seconds of the fastest of a
few runs. `bench/interpreters.ts` runs it on our interpreter and on Triton's.
"""

import time

import torch
import triton
import triton.language as tl

try:
    DEVICE = triton.runtime.driver.active.get_active_torch_device()
except RuntimeError:  # Triton's interpreter on a machine without a GPU
    DEVICE = torch.device("cpu")


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


torch.manual_seed(0)
q, k, v = [torch.randn((1, 2, 512, 64), dtype=torch.float32, device=DEVICE) for _ in range(3)]
expected = reference(q, k, v, True)
fastest = float("inf")
for _ in range(4):
    begin = time.perf_counter()
    out = attention(q, k, v, True)
    out[0, 0, 0, 0].item()
    fastest = min(fastest, time.perf_counter() - begin)
assert torch.allclose(out, expected, atol=2e-3, rtol=1e-3)
print(f"seconds: {fastest:.6f}")
