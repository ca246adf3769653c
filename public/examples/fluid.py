"""
A step of a fluid
=================

Ink carried by a whirl: each cell looks back to where its fluid came from and interpolates there (advection), then the ink spreads a little
(diffusion). The picture after some steps is shown in Output.

Teaches: gathers at computed places, stencils, two buffers in turn.
Costs: nine loads for each cell, most of them from the cache.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def advect_kernel(ink_ptr, out_ptr, N, dt, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = place < N * N
    row, col = (place // N).to(tl.float32), (place % N).to(tl.float32)
    # The whirl turns around the middle, fastest at a third of the way out.
    x, y = col - 0.5 * N, row - 0.5 * N
    speed = tl.exp(-(x * x + y * y) * 9.0 / (N * N))
    from_col = tl.minimum(tl.maximum(col + dt * y * speed, 0.0), N - 1.001)
    from_row = tl.minimum(tl.maximum(row - dt * x * speed, 0.0), N - 1.001)
    c, r = from_col.to(tl.int32), from_row.to(tl.int32)
    u, v = from_col - c, from_row - r
    at = ink_ptr + r * N + c
    top = tl.load(at, mask=mask) * (1 - u) + tl.load(at + 1, mask=mask) * u
    low = tl.load(at + N, mask=mask) * (1 - u) + tl.load(at + N + 1, mask=mask) * u
    tl.store(out_ptr + place, top * (1 - v) + low * v, mask=mask)


@triton.jit
def diffuse_kernel(ink_ptr, out_ptr, N, rate, BLOCK: tl.constexpr):
    place = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = place < N * N
    row, col = place // N, place % N
    ink = tl.load(ink_ptr + place, mask=mask, other=0.0)
    # At an edge a cell is its own neighbour, so no ink is lost.
    left = tl.load(ink_ptr + place - tl.minimum(col, 1), mask=mask, other=0.0)
    right = tl.load(ink_ptr + place + tl.minimum(N - 1 - col, 1), mask=mask, other=0.0)
    up = tl.load(ink_ptr + place - tl.minimum(row, 1) * N, mask=mask, other=0.0)
    down = tl.load(ink_ptr + place + tl.minimum(N - 1 - row, 1) * N, mask=mask, other=0.0)
    tl.store(out_ptr + place, ink + rate * (left + right + up + down - 4.0 * ink), mask=mask)


def step(ink, spare, dt=0.2, rate=0.05):
    N = ink.shape[0]
    grid = (triton.cdiv(N * N, 256),)
    advect_kernel[grid](ink, spare, N, dt, BLOCK=256)
    diffuse_kernel[grid](spare, ink, N, rate, BLOCK=256)


def reference(ink, dt=0.2, rate=0.05):
    N = ink.shape[0]
    i = torch.arange(N).to(torch.float32)
    row, col = i[:, None] + torch.zeros(N, N), i[None, :] + torch.zeros(N, N)
    x, y = col - 0.5 * N, row - 0.5 * N
    speed = torch.exp(-(x * x + y * y) * 9.0 / (N * N))
    from_col = torch.clamp(col + dt * y * speed, 0.0, N - 1.001)
    from_row = torch.clamp(row - dt * x * speed, 0.0, N - 1.001)
    c, r = from_col.to(torch.int64), from_row.to(torch.int64)
    u, v = from_col - c.to(torch.float32), from_row - r.to(torch.float32)
    top = ink[r, c] * (1 - u) + ink[r, c + 1] * u
    low = ink[r + 1, c] * (1 - u) + ink[r + 1, c + 1] * u
    ink = top * (1 - v) + low * v
    left, right = torch.cat([ink[:, :1], ink[:, :-1]], dim=1), torch.cat([ink[:, 1:], ink[:, -1:]], dim=1)
    up, down = torch.cat([ink[:1], ink[:-1]], dim=0), torch.cat([ink[1:], ink[-1:]], dim=0)
    return ink + rate * (left + right + up + down - 4.0 * ink)


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


N = 60
i = torch.arange(N)
start = ((i[:, None] // 8 + i[None, :] // 8) % 2).to(torch.float32)
ink, spare = start.clone().to(DEVICE), torch.empty(N, N, device=DEVICE)
expected = start.clone()
for _ in range(12):
    step(ink, spare)
    expected = reference(expected)
# Twelve steps of some roundings each, of numbers up to 1.
print("as torch computes it:", torch.allclose(ink.cpu(), expected, atol=8e-6, rtol=0))
measure("a step", lambda: step(ink, spare), 4 * N * N * 4, "GB/s")
