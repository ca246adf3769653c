"""Cases of `torch.fft`: lengths of every kind (a power of two, short, prime, long), cut and filled, along
each dimension, every normalization, real and complex, with gradients."""

_KINDS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")

GROUPS = {
    "fourier": [
        *[f"torch.fft.{f}(torch.randn({n}))" for f in _KINDS for n in (2, 3, 8, 12)],
        *[f"torch.fft.{f}(torch.randn(67, dtype=torch.float64))" for f in _KINDS],
        *[f"torch.fft.{f}(torch.randn({n}, dtype=torch.complex64))" for f in ("fft", "ifft", "irfft", "hfft") for n in (1, 5, 16)],
        *[f"torch.fft.{f}(torch.randn(130, dtype=torch.complex128))" for f in ("fft", "ifft", "irfft", "hfft")],
        *[f"torch.fft.{f}(torch.randn(3, 4, 6), dim={d})" for f in ("fftn", "ifftn", "rfftn", "irfftn") for d in ((0, 2), (2, 0), (1, 0), (1,))],
        "torch.fft.fft(torch.randn(3, 4, 5).transpose(0, 1), dim=1)", "torch.fft.rfft(torch.randn(3, 4, 5).transpose(0, 2), dim=0)",
        *[f"torch.fft.{f}(torch.randn(2, 6), {n}, {d}, '{m}')" for f in _KINDS for n, d in ((4, 0), (9, 1)) for m in ("ortho", "forward", "backward")],
        *[f"torch.fft.{f}(torch.randn(3, 4, 5))" for f in ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")],
        *[f"torch.fft.{f}(torch.randn(3, 4, 6), (2, 5), (0, 2), 'ortho')" for f in ("fftn", "ifftn", "rfftn", "irfftn")],
        "torch.fft.fftn(torch.randn(3, 4), s=(-1, 2))", "torch.fft.fftn(torch.randn(3, 4), dim=0)", "torch.fft.fft(torch.arange(6))", "torch.fft.rfft(torch.arange(5, dtype=torch.int64))",
        "torch.fft.fft(torch.randn(100, dtype=torch.float64))", "torch.fft.ifft(torch.randn(64, dtype=torch.complex128))", "torch.fft.irfft(torch.fft.rfft(torch.arange(9.)), 9)",
        "torch.fft.fftfreq(5)", "torch.fft.fftfreq(4, 0.5)", "torch.fft.rfftfreq(7)", "torch.fft.rfftfreq(6, 2.0, dtype=torch.float64)", "torch.fft.fftshift(torch.arange(5))", "torch.fft.ifftshift(torch.arange(5))",
        "torch.fft.fftshift(torch.arange(12).reshape(3, 4))", "torch.fft.fftshift(torch.arange(12).reshape(3, 4), 1)", "torch.fft.ifftshift(torch.arange(12).reshape(3, 4), (0,))",
        "cgrads(lambda p: torch.fft.fft(p), (5,))", "cgrads(lambda p: torch.fft.fft(p, 8), (2, 5), dtype=torch.float32)", "cgrads(lambda p: torch.fft.ifft(p, 3, 0), (4, 2))", "cgrads(lambda p: torch.fft.rfft(p), (6,), dtype=torch.float32)",
        "cgrads(lambda p: torch.fft.irfft(p), (4,))", "cgrads(lambda p: torch.fft.irfft(p, 7), (4,))", "cgrads(lambda p: torch.fft.fft2(p, norm='ortho'), (3, 4))", "cgrads(lambda p: torch.fft.rfft2(p), (3, 4), dtype=torch.float32)", "cgrads(lambda p: torch.fft.ihfft(p), (6,), dtype=torch.float32)",
        "cgrads(lambda p: torch.fft.irfft(torch.fft.rfft(p) * torch.fft.rfft(p.flip(0))), (8,), dtype=torch.float32)",
        "torch.fft.fft(torch.randn(4), 0)", "torch.fft.fft(torch.randn(4), norm='other')", "torch.fft.rfft(torch.randn(4, dtype=torch.complex64))", "torch.fft.irfft(torch.randn(1))", "torch.fft.fft2(torch.randn(4))", "torch.fft.fft(torch.tensor(1.))",
        "torch.fft.fftn(torch.randn(3, 4), (2, 2, 2))", "torch.fft.fftn(torch.randn(3, 4), (2,), (0, 1))", "torch.fft.fftn(torch.randn(3, 4), dim=(0, 0))",
    ]
}  # fmt: skip
