"""Rotary embedding: a program turns all heads of one token, halves of a head against each other."""

import torch
import triton
import triton.language as tl

from measure import measure, sizes


@triton.jit
def rope_kernel(
    x_ptr, cos_ptr, sin_ptr, out_ptr, length,
    HEADS: tl.constexpr, HALF: tl.constexpr,
):  # fmt: skip
    token = tl.program_id(0)
    heads = tl.arange(0, HEADS)
    dims = tl.arange(0, HALF)
    angle = (token % length) * HALF + dims
    cos = tl.load(cos_ptr + angle)[None, :]
    sin = tl.load(sin_ptr + angle)[None, :]
    first = token * (HEADS * HALF * 2) + heads[:, None] * (HALF * 2) + dims[None, :]
    x = tl.load(x_ptr + first)
    y = tl.load(x_ptr + first + HALF)
    tl.store(out_ptr + first, x * cos - y * sin)
    tl.store(out_ptr + first + HALF, y * cos + x * sin)


tuned = triton.autotune(configs=[triton.Config({}, num_warps=warps) for warps in (2, 4, 8)], key=["length"])(
    rope_kernel
)


if __name__ == "__main__":
    for batch, length, heads in sizes(quick=[(2, 64, 8)], full=[(4, 2048, 32)]):
        half = 64
        x = torch.randn(batch, length, heads, 2 * half, device="cuda")
        angles = torch.rand(length, half, device="cuda") * 6.2831853
        cos, sin = torch.cos(angles), torch.sin(angles)
        out = torch.full_like(x, float("nan"))

        def ours():
            tuned[(batch * length,)](x, cos, sin, out, length, HEADS=heads, HALF=half)

        def turned(t):
            a, b = t[..., :half], t[..., half:]
            c, s = (each.to(t.dtype)[None, :, None, :] for each in (cos, sin))
            return torch.cat((a * c - b * s, b * c + a * s), dim=-1)

        measure(
            f"RoPE {batch * length}×{heads}×{2 * half}",
            ours,
            lambda: turned(x),
            out,
            lambda: turned(x.double()),
            1e-5,
        )
