"""
Flash attention, forward and backward
=====================================

Causal attention with gradients. The forward pass leaves the logarithm of each row's sum behind; the backward pass recomputes the
probabilities from it, block by block, and never stores a matrix of scores.

Teaches: recomputing in place of storing; two kernels, one by keys and one by queries, without atomics.
Costs: about two and a half times the arithmetic of the forward pass; memory grows with N only.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def forward_kernel(q_ptr, k_ptr, v_ptr, o_ptr, L_ptr, N, scale, D: tl.constexpr, BLOCK: tl.constexpr):
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    offsets = head * N * D + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + offsets, mask=rows[:, None] < N, other=0.0)
    m = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    l = tl.zeros((BLOCK,), dtype=tl.float32)
    acc = tl.zeros((BLOCK, D), dtype=tl.float32)
    for start in range(0, tl.minimum((tl.program_id(0) + 1) * BLOCK, N), BLOCK):
        n = start + tl.arange(0, BLOCK)
        kv = head * N * D + n[:, None] * D + d[None, :]
        k = tl.load(k_ptr + kv, mask=n[:, None] < N, other=0.0)
        v = tl.load(v_ptr + kv, mask=n[:, None] < N, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        s = tl.where((n[None, :] <= rows[:, None]) & (n[None, :] < N), s, -float("inf"))
        m_new = tl.maximum(m, tl.max(s, axis=1))
        alpha = tl.exp(m - m_new)
        p = tl.exp(s - m_new[:, None])
        l = l * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.dot(p, v, input_precision="ieee")
        m = m_new
    tl.store(o_ptr + offsets, acc / l[:, None], mask=rows[:, None] < N)
    tl.store(L_ptr + head * N + rows, m + tl.log(l), mask=rows < N)


@triton.jit
def scores_back(q, k, v, do, L, delta, rows, n, N, scale):
    """The probabilities of a block, and the gradient of its scores."""
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    allowed = (n[None, :] <= rows[:, None]) & (rows[:, None] < N) & (n[None, :] < N)
    p = tl.where(allowed, tl.exp(s - L[:, None]), 0.0)
    dp = tl.dot(do, tl.trans(v), input_precision="ieee")
    return p, p * (dp - delta[:, None]) * scale


@triton.jit
def dkv_kernel(
    q_ptr, k_ptr, v_ptr, do_ptr, L_ptr, delta_ptr, dk_ptr, dv_ptr, N, scale,
    D: tl.constexpr, BLOCK: tl.constexpr,
):
    head = tl.program_id(1)
    first = tl.program_id(0) * BLOCK
    n = first + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    kv = head * N * D + n[:, None] * D + d[None, :]
    k = tl.load(k_ptr + kv, mask=n[:, None] < N, other=0.0)
    v = tl.load(v_ptr + kv, mask=n[:, None] < N, other=0.0)
    dk = tl.zeros((BLOCK, D), dtype=tl.float32)
    dv = tl.zeros((BLOCK, D), dtype=tl.float32)
    # Queries before the block do not see it.
    for start in range(first, N, BLOCK):
        rows = start + tl.arange(0, BLOCK)
        offsets = head * N * D + rows[:, None] * D + d[None, :]
        q = tl.load(q_ptr + offsets, mask=rows[:, None] < N, other=0.0)
        do = tl.load(do_ptr + offsets, mask=rows[:, None] < N, other=0.0)
        L = tl.load(L_ptr + head * N + rows, mask=rows < N, other=0.0)
        delta = tl.load(delta_ptr + head * N + rows, mask=rows < N, other=0.0)
        p, ds = scores_back(q, k, v, do, L, delta, rows, n, N, scale)
        dv += tl.dot(tl.trans(p), do, input_precision="ieee")
        dk += tl.dot(tl.trans(ds), q, input_precision="ieee")
    tl.store(dk_ptr + kv, dk, mask=n[:, None] < N)
    tl.store(dv_ptr + kv, dv, mask=n[:, None] < N)


@triton.jit
def dq_kernel(
    q_ptr, k_ptr, v_ptr, do_ptr, L_ptr, delta_ptr, dq_ptr, N, scale,
    D: tl.constexpr, BLOCK: tl.constexpr,
):
    head = tl.program_id(1)
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    offsets = head * N * D + rows[:, None] * D + d[None, :]
    q = tl.load(q_ptr + offsets, mask=rows[:, None] < N, other=0.0)
    do = tl.load(do_ptr + offsets, mask=rows[:, None] < N, other=0.0)
    L = tl.load(L_ptr + head * N + rows, mask=rows < N, other=0.0)
    delta = tl.load(delta_ptr + head * N + rows, mask=rows < N, other=0.0)
    dq = tl.zeros((BLOCK, D), dtype=tl.float32)
    for start in range(0, tl.minimum((tl.program_id(0) + 1) * BLOCK, N), BLOCK):
        n = start + tl.arange(0, BLOCK)
        kv = head * N * D + n[:, None] * D + d[None, :]
        k = tl.load(k_ptr + kv, mask=n[:, None] < N, other=0.0)
        v = tl.load(v_ptr + kv, mask=n[:, None] < N, other=0.0)
        _, ds = scores_back(q, k, v, do, L, delta, rows, n, N, scale)
        dq += tl.dot(ds, k, input_precision="ieee")
    tl.store(dq_ptr + offsets, dq, mask=rows[:, None] < N)


class Attention(torch.autograd.Function):
    @staticmethod
    def forward(ctx, q, k, v):
        heads, N, D = q.shape
        o, L = torch.empty_like(q), torch.empty(heads, N, device=q.device)
        grid = (triton.cdiv(N, 32), heads)
        forward_kernel[grid](q, k, v, o, L, N, D**-0.5, D=D, BLOCK=32)
        ctx.save_for_backward(q, k, v, o, L)
        return o

    @staticmethod
    def backward(ctx, do):
        q, k, v, o, L = ctx.saved_tensors
        heads, N, D = q.shape
        do = do.contiguous()
        delta = (do * o).sum(dim=-1)
        dq, dk, dv = torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)
        grid = (triton.cdiv(N, 32), heads)
        dkv_kernel[grid](q, k, v, do, L, delta, dk, dv, N, D**-0.5, D=D, BLOCK=32)
        dq_kernel[grid](q, k, v, do, L, delta, dq, N, D**-0.5, D=D, BLOCK=32)
        return dq, dk, dv


def reference(q, k, v):
    i = torch.arange(q.shape[1], device=q.device)
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    s = torch.where(i[None, :] <= i[:, None], s, -float("inf"))
    return torch.softmax(s, dim=-1) @ v


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
q, k, v, do = (torch.randn(2, 100, 32, device=DEVICE) for _ in range(4))
results = []
for attention in (Attention.apply, reference):
    inputs = [t.clone().requires_grad_() for t in (q, k, v)]
    o = attention(*inputs)
    o.backward(do)
    results.append([o.detach()] + [t.grad for t in inputs])
# Sums over up to 100 queries or keys, in float32.
tolerances = (3e-6, 3e-6, 6e-6, 6e-6)
for name, tolerance, mine, torchs in zip(("O", "dQ", "dK", "dV"), tolerances, *results):
    print(f"{name}:", torch.allclose(mine, torchs, atol=tolerance, rtol=0))
measure("forward", lambda: Attention.apply(q, k, v), 2 * 2 * 100 * 100 * 32, "GFLOP/s")
