import torch
from judge import *

watch("add_ten_kernel")


@check("Random numbers")
def random():
    x = randn(64)
    close(program.add_ten(x), lambda x: x + 10, x, what="random numbers", terms=1)


@check("Negative, large and special numbers")
def special():
    x = torch.linspace(-1e6, 1e6, 64, device=DEVICE)
    x[5], x[63] = float("nan"), float("inf")
    x = guarded(x)
    close(program.add_ten(x), lambda x: x + 10, x, what="from minus to plus a million", terms=1)
