import torch
from lesson import *

watch("linear_kernel")


@check("Sizes on and off the tiles")
def sizes():
    for m, k, n in ((32, 32, 32), (33, 31, 35), (5, 100, 70), (1, 1, 1)):
        x, w, b = randn(m, k), randn(k, n), randn(n)
        close(program.linear(x, w, b), torch.relu(x @ w + b), f"{m} × {k} × {n}", terms=4 * k, scale=4.0)
