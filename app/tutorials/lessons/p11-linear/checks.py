import torch
from judge import *

watch("linear_kernel")


def compare(x, w, b, what):
    close(program.linear(x, w, b), lambda x, w, b: torch.relu(x @ w + b), x, w, b, what=what, terms=x.shape[1])


@check("Sizes on and off the tiles")
def sizes():
    for m, k, n in ((32, 32, 32), (33, 31, 35), (20, 33, 20), (5, 100, 70), (1, 1, 1)):
        compare(randn(m, k), randn(k, n), randn(n), f"{m} × {k} × {n}")


@check("Infinity stays in its row and column")
def special():
    x, w, b = torch.randn(40, 50, device=DEVICE), torch.rand(50, 40, device=DEVICE) + 0.1, torch.randn(40, device=DEVICE)
    x[39, 49], b[0] = float("inf"), float("inf")
    compare(guarded(x), guarded(w), guarded(b), "with infinity in x and b")
