import torch
from judge import DEVICE, check, close, guarded, program, randn, strided, watch

watch("matmul_kernel")


def run(a, b, what):
    close(program.matmul(a, b), lambda a, b: a @ b, a, b, what=what, terms=a.shape[1])


@check("Whole tiles")
def whole():
    run(randn(64, 32), randn(32, 64), "64 × 32 × 64")
    run(randn(32, 96), randn(96, 32), "three steps along K")


@check("Edges on every side")
def edges():
    for m, k, n in ((33, 32, 32), (32, 33, 32), (32, 32, 33), (7, 70, 45), (1, 1, 1)):
        run(randn(m, k), randn(k, n), f"{m} × {k} × {n}")


@check("Infinity stays where it is")
def special():
    a, b = torch.randn(40, 40, device=DEVICE), torch.rand(40, 40, device=DEVICE) + 0.1
    a[39, 0] = float("inf")
    run(guarded(a), guarded(b), "with infinity in the last row of A")


@check("Transposed and strided matrices")
def strides():
    run(randn(40, 50).T, randn(30, 40).T, "both transposed")
    run(strided(torch.randn(35, 20, device=DEVICE)), strided(torch.randn(20, 37, device=DEVICE)), "rows apart")


@check("Long sums in half precision")
def half():
    a = guarded((1.0 + torch.rand(32, 600, device=DEVICE)).to(torch.float16))
    b = guarded((1.0 + torch.rand(600, 32, device=DEVICE)).to(torch.float16))
    run(a, b, "float16, K = 600")
