"""`torch._dynamo.testing`: what the host code that TorchInductor writes makes its inputs with."""

import torch


def rand_strided(size, stride, dtype=torch.float32, device="cpu", extra_size=0):
    """Random numbers that lie as `stride` says; integers are 0 or 1 then, as in PyTorch."""
    room = sum((n - 1) * s for n, s in zip(size, stride)) + 1 + extra_size if all(size) else 0
    if dtype.is_floating_point or dtype.is_complex:
        buffer = torch.randn(room, dtype=dtype, device=device)
    else:
        buffer = torch.zeros(room, dtype=dtype, device=device)
    return torch.as_strided(buffer, size, stride)


def same(a, b, tol=1e-4, **_):
    return all(torch.allclose(x, y, rtol=tol, atol=tol) for x, y in zip(a, b))
