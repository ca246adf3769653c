"""Causal attention: a row of queries a program, keys in blocks."""

import torch
import triton
import triton.language as tl
from hippocamp_testing import sweep, tensor


@triton.jit
def attention_kernel(q_ptr, k_ptr, v_ptr, out_ptr, length, scale, D: tl.constexpr, B: tl.constexpr):
    rows = tl.program_id(0) * B + tl.arange(0, B)
    d = tl.arange(0, D)
    q = tl.load(q_ptr + rows[:, None] * D + d[None, :], mask=rows[:, None] < length, other=0.0)
    largest = tl.full((B,), -float("inf"), tl.float32)
    total = tl.zeros((B,), tl.float32)
    acc = tl.zeros((B, D), tl.float32)
    for start in range(0, (tl.program_id(0) + 1) * B, B):
        keys = start + tl.arange(0, B)
        k = tl.load(k_ptr + keys[:, None] * D + d[None, :], mask=keys[:, None] < length, other=0.0)
        v = tl.load(v_ptr + keys[:, None] * D + d[None, :], mask=keys[:, None] < length, other=0.0)
        scores = tl.dot(q, k.T, input_precision="ieee") * scale
        scores = tl.where(rows[:, None] >= keys[None, :], scores, -float("inf"))
        new = tl.maximum(largest, tl.max(scores, axis=1))
        p = tl.exp(scores - new[:, None])
        rescale = tl.exp(largest - new)
        total = total * rescale + tl.sum(p, axis=1)
        acc = acc * rescale[:, None] + tl.dot(p, v.to(tl.float32), input_precision="ieee")
        largest = new
    tl.store(out_ptr + rows[:, None] * D + d[None, :], acc / total[:, None], mask=rows[:, None] < length)


def attention(q, k, v):
    q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
    length, D = q.shape
    out = torch.empty_like(q)
    attention_kernel[(triton.cdiv(length, 16),)](q, k, v, out, length, D**-0.5, D=D, B=16)
    return out


def reference(q, k, v):
    return torch.nn.functional.scaled_dot_product_attention(q[None], k[None], v[None], is_causal=True)[0]


q, k, v = (torch.randn(40, 16, device="cuda") for _ in range(3))
print(torch.allclose(attention(q, k, v), reference(q, k, v), rtol=1e-4, atol=1e-5))
few = ("normal", "integers")
sweep(
    attention, reference, q=tensor("S", 16, values=few), k=tensor("S", 16, values=few),
    v=tensor("S", 16, values=few), sizes={"S": range(1, 70)}, terms="S + 16", elements=2**11, cases=25,
    raises=False,
)
