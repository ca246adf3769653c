"""
Linear attention, in chunks
===========================

Without the softmax, causal attention is a sum that can be carried along: a state of D × D numbers. Inside of a chunk it is computed
like attention, between chunks through the state.

Teaches: a loop that carries a two-dimensional state in registers.
Costs: linear in the length; the state has to fit into a program.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def linear_kernel(q_ptr, k_ptr, v_ptr, o_ptr, N, D: tl.constexpr, CHUNK: tl.constexpr):
    base = tl.program_id(0) * N * D
    d = tl.arange(0, D)
    i = tl.arange(0, CHUNK)
    state = tl.zeros((D, D), dtype=tl.float32)
    for start in range(0, N, CHUNK):
        rows = start + i
        offsets = base + rows[:, None] * D + d[None, :]
        mask = rows[:, None] < N
        q = tl.load(q_ptr + offsets, mask=mask, other=0.0)
        k = tl.load(k_ptr + offsets, mask=mask, other=0.0)
        v = tl.load(v_ptr + offsets, mask=mask, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee")
        s = tl.where(i[None, :] <= i[:, None], s, 0.0)
        o = tl.dot(s, v, input_precision="ieee")
        o = tl.dot(q, state, o, input_precision="ieee")
        state = tl.dot(tl.trans(k), v, state, input_precision="ieee")
        tl.store(o_ptr + offsets, o, mask=mask)


def linear_attention(q, k, v):
    heads, N, D = q.shape
    o = torch.empty_like(q)
    linear_kernel[(heads,)](q, k, v, o, N, D=D, CHUNK=32)
    return o


def reference(q, k, v):
    i = torch.arange(q.shape[1], device=q.device)
    s = q @ k.transpose(-1, -2)
    return torch.where(i[None, :] <= i[:, None], s, torch.zeros_like(s)) @ v


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
q, k, v = (0.3 * torch.randn(4, 150, 32, device=DEVICE) for _ in range(3))
# Sums over up to 150 keys, and over 32 dimensions before that, in float32.
print("as torch computes it:", torch.allclose(linear_attention(q, k, v), reference(q, k, v), atol=2e-5, rtol=0))
measure("linear attention", lambda: linear_attention(q, k, v), 4 * 4 * 150 * 32 * 32, "GFLOP/s")
