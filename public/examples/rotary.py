"""
Rotary position embeddings
==========================

Each pair of numbers of a query or key is turned by an angle that grows with the position; pairs turn at different speeds. The angles are
computed in the kernel, so no table is loaded.

Teaches: halves of a row as two tiles; trigonometry in registers against tables in memory.
Costs: a sine and a cosine for each pair; reads and writes the tensor once.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def rotary_kernel(x_ptr, out_ptr, N, log_base, HALF: tl.constexpr, BLOCK: tl.constexpr):
    positions = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    pair = tl.arange(0, HALF)
    offsets = (tl.program_id(1) * N + positions[:, None]) * (2 * HALF) + pair[None, :]
    mask = positions[:, None] < N
    a = tl.load(x_ptr + offsets, mask=mask)
    b = tl.load(x_ptr + offsets + HALF, mask=mask)
    speed = tl.exp(-log_base * pair.to(tl.float32) / HALF)
    angle = positions[:, None].to(tl.float32) * speed[None, :]
    sin, cos = tl.sin(angle), tl.cos(angle)
    tl.store(out_ptr + offsets, a * cos - b * sin, mask=mask)
    tl.store(out_ptr + offsets + HALF, b * cos + a * sin, mask=mask)


def rotary(x):
    heads, N, D = x.shape
    out = torch.empty_like(x)
    # The base is 10,000; its logarithm is what the kernel needs.
    rotary_kernel[(triton.cdiv(N, 16), heads)](x, out, N, 9.210340371976184, HALF=D // 2, BLOCK=16)
    return out


def reference(x):
    heads, N, D = x.shape
    pair = torch.arange(D // 2, device=x.device).to(torch.float32)
    speed = torch.exp(-9.210340371976184 * pair / (D // 2))
    angle = torch.arange(N, device=x.device).to(torch.float32)[:, None] * speed[None, :]
    a, b = x[..., : D // 2], x[..., D // 2 :]
    return torch.cat([a * angle.cos() - b * angle.sin(), b * angle.cos() + a * angle.sin()], dim=-1)


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
x = torch.randn(8, 300, 64, device=DEVICE)
y = rotary(x)
# An angle is up to 300 times an exp: what exp is off by, 2e-7 of it, turns a pair by 6e-5.
print("as torch computes it:", torch.allclose(y, reference(x), atol=5e-4, rtol=0))
print("lengths are kept:", torch.allclose(y.norm(dim=-1), x.norm(dim=-1), atol=0, rtol=1e-6))
measure("rotary", lambda: rotary(x), 2 * x.numel() * 4, "GB/s")
