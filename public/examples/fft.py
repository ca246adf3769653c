"""
A fast Fourier transform
========================

Ten rounds turn 1,024 samples into frequencies. In each round numbers are combined in pairs at a distance, and multiplied by a point of
the unit circle. One program transforms one row, and a row of complex numbers lives in two tiles.

Teaches: reshape and permute of tiles as the FFT's butterflies; tl.split and tl.join.
Costs: log n rounds in registers and exchanges; memory is read once and written once.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def fft_kernel(re_ptr, im_ptr, out_re_ptr, out_im_ptr, N: tl.constexpr, ROUNDS: tl.constexpr):
    row = tl.program_id(0) * N
    i = tl.arange(0, N)
    # Samples are taken in the order of their reversed bits.
    source = tl.zeros((N,), dtype=tl.int32)
    for bit in tl.static_range(ROUNDS):
        source = source * 2 + ((i >> bit) & 1)
    re = tl.load(re_ptr + row + source)
    im = tl.load(im_ptr + row + source)
    for round in tl.static_range(ROUNDS):
        # A half has 1 << round numbers. [blocks, 2, half] → the two halves of every block.
        re_a, re_b = tl.split(re.reshape(N // (2 << round), 2, 1 << round).permute(0, 2, 1))
        im_a, im_b = tl.split(im.reshape(N // (2 << round), 2, 1 << round).permute(0, 2, 1))
        angle = tl.arange(0, 1 << round).to(tl.float32) * (-3.141592653589793 / (1 << round))
        wr, wi = tl.cos(angle)[None, :], tl.sin(angle)[None, :]
        tr, ti = re_b * wr - im_b * wi, re_b * wi + im_b * wr
        re = tl.join(re_a + tr, re_a - tr).permute(0, 2, 1).reshape(N)
        im = tl.join(im_a + ti, im_a - ti).permute(0, 2, 1).reshape(N)
    tl.store(out_re_ptr + row + i, re)
    tl.store(out_im_ptr + row + i, im)


def fft(re, im):
    rows, N = re.shape
    out_re, out_im = torch.empty_like(re), torch.empty_like(im)
    fft_kernel[(rows,)](re, im, out_re, out_im, N=N, ROUNDS=N.bit_length() - 1)
    return out_re, out_im


def reference(re, im):
    """The definition: every frequency with every sample."""
    N = re.shape[1]
    i = torch.arange(N, device=re.device)
    angle = ((i[:, None] * i[None, :]) % N).to(torch.float32) * (-6.283185307179586 / N)
    c, s = angle.cos(), angle.sin()
    return re @ c - im @ s, re @ s + im @ c


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
N = 256
re, im = torch.randn(8, N, device=DEVICE), torch.randn(8, N, device=DEVICE)
out, expected = fft(re, im), reference(re, im)
# The definition sums 256 products in float32: most of the error is its own.
print("real part:", torch.allclose(out[0], expected[0], atol=1e-4, rtol=0))
print("imaginary part:", torch.allclose(out[1], expected[1], atol=1e-4, rtol=0))
tone = torch.cos(torch.arange(N, device=DEVICE).to(torch.float32) * (6.283185307179586 * 20 / N)).reshape(1, N)
power = fft(tone, torch.zeros_like(tone))[0][0].abs()
print("a tone of 20 waves is found at:", int(power[: N // 2].argmax()))
measure("fft", lambda: fft(re, im), 4 * re.numel() * 4, "GB/s")
