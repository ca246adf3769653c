import torch
from judge import *

watch("outer_kernel")


@check("Sizes on and off the tiles")
def sizes():
    for n, m in ((16, 32), (1, 1), (17, 31), (50, 70), (3, 100)):
        x, y = randn(n), randn(m)
        close(program.outer(x, y), x[:, None] + y[None, :], f"{n} × {m}", terms=1)


@check("NaN and infinity stay in their row and column")
def special():
    x, y = torch.randn(20, device=DEVICE), torch.randn(40, device=DEVICE)
    x[19], y[0], y[39] = float("nan"), float("inf"), -float("inf")
    x, y = guarded(x), guarded(y)
    close(program.outer(x, y), x[:, None] + y[None, :], "with NaN and infinity", terms=1)
