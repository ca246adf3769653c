import torch
from judge import *

watch("outer_kernel")


def compare(x, y, what):
    close(program.outer(x, y), lambda x, y: x[:, None] + y[None, :], x, y, what=what, terms=1)


@check("Sizes on and off the tiles")
def sizes():
    for n, m in ((16, 32), (1, 1), (17, 31), (50, 70), (3, 100)):
        compare(randn(n), randn(m), f"{n} × {m}")


@check("NaN and infinity stay in their row and column")
def special():
    x, y = torch.randn(20, device=DEVICE), torch.randn(40, device=DEVICE)
    x[19], y[0], y[39] = float("nan"), float("inf"), -float("inf")
    compare(guarded(x), guarded(y), "with NaN and infinity")
