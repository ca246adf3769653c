import torch
from judge import DEVICE, check, close, guarded, launches, program, randn, require, watch

watch("scale_add_kernel")


def run(a, n):
    x, y = randn(n), randn(n)
    close(program.scale_add(a, x, y), lambda x, y: a * x + y, x, y, what=f"a = {a}, n = {n}", terms=1)


@check("The sizes around one block")
def sizes():
    for n in (256, 1, 255, 257, 1000):
        run(3.0, n)


@check("Other factors")
def factors():
    for a in (0.0, -2.5, 1e-3):
        run(a, 600)


@check("Ten thousand elements")
def large():
    run(0.5, 10_000)
    require(launches()[-1].programs in (None, 40), "10,000 elements are 40 blocks of 256")


@check("NaN and infinity pass through")
def special():
    x, y = torch.rand(300, device=DEVICE), torch.rand(300, device=DEVICE)
    x[7] = float("inf")
    y[299] = float("nan")
    x, y = guarded(x), guarded(y)
    close(program.scale_add(2.0, x, y), lambda x, y: 2.0 * x + y, x, y, what="with NaN and infinity", terms=1)
