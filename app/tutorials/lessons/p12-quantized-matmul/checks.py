import torch
from judge import *

watch("matmul_kernel")


def run(m, k, n, what):
    x = randn(m, k)
    packed = randint(0, 256, (k // 2, n), dtype=torch.uint8)
    scale = guarded(0.01 + torch.rand(n, device=DEVICE))
    multiply(x, packed, scale, what)


def multiply(x, packed, scale, what):
    k, n = x.shape[1], packed.shape[1]
    q = packed.to(torch.int32)
    w = torch.stack([q % 16, q // 16], dim=1).reshape(k, n).to(torch.float32) - 8
    close(program.matmul(x, packed, scale), lambda x, s: x @ (w.to("cpu") * s), x, scale, what=what, terms=k)


@check("Whole tiles")
def whole():
    run(16, 32, 32, "16 × 32 × 32")
    run(16, 96, 32, "three steps along K")


@check("Edges on every side")
def edges():
    for m, k, n in ((1, 2, 1), (17, 34, 33), (5, 100, 70)):
        run(m, k, n, f"{m} × {k} × {n}")


@check("The smallest and largest weights, and scales of any sign")
def special():
    x = guarded(1000.0 * torch.randn(20, 34, device=DEVICE))
    packed = torch.randint(0, 256, (17, 40), device=DEVICE).to(torch.uint8)
    packed[:, 0], packed[:, 1], packed[:, 2] = 0, 255, 8
    scale = torch.randn(40, device=DEVICE)
    scale[3] = 0.0
    multiply(x, guarded(packed), guarded(scale), "large x")
