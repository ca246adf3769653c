import torch
from judge import *

watch("add_ten_kernel")


@check("Random numbers")
def random():
    x = randn(64)
    close(program.add_ten(x), x + 10, "random numbers")


@check("Negative, large and special numbers")
def special():
    x = torch.linspace(-1e6, 1e6, 64, device=DEVICE)
    x[5], x[63] = float("nan"), float("inf")
    x = guarded(x)
    close(program.add_ten(x), x + 10, "from minus to plus a million")
