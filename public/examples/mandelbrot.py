"""
The Mandelbrot set
==================

Iterate z ← z² + c for every point of a picture, and count how long |z| stays below 2. A program stops when all of its points have
escaped. The counts are shown as a picture in Output.

Teaches: a loop that ends by what it computes (while), no memory traffic but the result.
Costs: arithmetic only; a tile takes as long as its slowest point.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def mandelbrot_kernel(
    out_ptr, width, height, left, top, pixel, limit, BH: tl.constexpr, BW: tl.constexpr
):
    rows = tl.program_id(0) * BH + tl.arange(0, BH)
    cols = tl.program_id(1) * BW + tl.arange(0, BW)
    cr = left + cols[None, :].to(tl.float32) * pixel + tl.zeros((BH, BW), dtype=tl.float32)
    ci = top - rows[:, None].to(tl.float32) * pixel + tl.zeros((BH, BW), dtype=tl.float32)
    zr = tl.zeros((BH, BW), dtype=tl.float32)
    zi = tl.zeros((BH, BW), dtype=tl.float32)
    count = tl.zeros((BH, BW), dtype=tl.int32)
    steps = 0
    alive = 1
    while (steps < limit) & (alive > 0):
        inside = zr * zr + zi * zi < 4.0
        alive = tl.max(tl.max(inside.to(tl.int32), axis=1), axis=0)
        count += inside.to(tl.int32)
        next_r = zr * zr - zi * zi + cr
        next_i = 2.0 * zr * zi + ci
        # An escaped point stays where it is, and does not overflow.
        zr = tl.where(inside, next_r, zr)
        zi = tl.where(inside, next_i, zi)
        steps += 1
    mask = (rows[:, None] < height) & (cols[None, :] < width)
    tl.store(out_ptr + rows[:, None] * width + cols[None, :], count, mask=mask)


def mandelbrot(width, height, limit):
    out = torch.empty(height, width, dtype=torch.int32, device=DEVICE)
    grid = (triton.cdiv(height, 16), triton.cdiv(width, 16))
    mandelbrot_kernel[grid](out, width, height, -2.2, 1.2, 3.2 / width, limit, BH=16, BW=16)
    return out


def reference(width, height, limit):
    pixel = 3.2 / width
    cr = (-2.2 + torch.arange(width).to(torch.float32) * pixel)[None, :] + torch.zeros(height, width)
    ci = (1.2 - torch.arange(height).to(torch.float32) * pixel)[:, None] + torch.zeros(height, width)
    zr, zi = torch.zeros(height, width), torch.zeros(height, width)
    count = torch.zeros(height, width, dtype=torch.int32)
    for _ in range(limit):
        inside = zr * zr + zi * zi < 4.0
        count += inside.to(torch.int32)
        zr, zi = (
            torch.where(inside, zr * zr - zi * zi + cr, zr),
            torch.where(inside, 2.0 * zr * zi + ci, zi),
        )
    return count


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


picture = mandelbrot(120, 90, 60)
expected = reference(120, 90, 60)
# Near the edge of the set the last digit decides, and GPUs may fuse a multiply and an add.
same = float((picture.cpu() == expected).to(torch.float32).mean())
print(f"{same:.2%} of the pixels are the same as step by step")
assert same > 0.97
print("counts outside of the edge:", torch.equal(picture[:8].cpu(), expected[:8]))
measure("mandelbrot", lambda: mandelbrot(120, 90, 60), float(expected.sum()) * 10, "GFLOP/s")
