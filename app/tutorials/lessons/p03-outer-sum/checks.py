import torch
from lesson import *

watch("outer_kernel")


@check("Sizes on and off the tiles")
def sizes():
    for n, m in ((16, 32), (1, 1), (17, 31), (50, 70), (3, 100)):
        x, y = randn(n), randn(m)
        close(program.outer(x, y), x[:, None] + y[None, :], f"{n} × {m}", terms=1)
