import torch
from judge import *

watch("linear_kernel")


@check("Sizes on and off the tiles")
def sizes():
    for m, k, n in ((32, 32, 32), (33, 31, 35), (20, 33, 20), (5, 100, 70), (1, 1, 1)):
        x, w, b = randn(m, k), randn(k, n), randn(n)
        scale = 4.0 if k > 1 else 2.0
        close(program.linear(x, w, b), torch.relu(x @ w + b), f"{m} × {k} × {n}", terms=4 * k, scale=scale)


@check("Infinity stays in its row and column")
def special():
    x, w, b = torch.randn(40, 50, device=DEVICE), torch.rand(50, 40, device=DEVICE) + 0.1, torch.randn(40, device=DEVICE)
    x[39, 49], b[0] = float("inf"), float("inf")
    x, w, b = guarded(x), guarded(w), guarded(b)
    close(program.linear(x, w, b), torch.relu(x @ w + b), "with infinity in x and b", terms=200, scale=4.0)
