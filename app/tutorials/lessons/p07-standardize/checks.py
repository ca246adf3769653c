import torch
from judge import *

watch("standardize_kernel")


def standardized(x):
    centred = x - x.mean(dim=1, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(dim=1, keepdim=True) + 1e-5)


def run(x, what):
    close(program.standardize(x), standardized, x, what=what, terms=x.shape[1])


@check("Rows of odd lengths")
def sizes():
    for rows, cols in ((4, 64), (3, 5), (2, 100), (2, 257)):
        run(randn(rows, cols), f"{rows} rows of {cols}")


@check("Numbers around 5, and around 10,000")
def shifted():
    run(guarded(5.0 + torch.randn(4, 50, device=DEVICE)), "around 5")
    run(guarded(1e4 + torch.randn(4, 50, device=DEVICE)), "around 10,000")


@check("A row of one value is zero")
def constant():
    # The mean of forty threes may be a rounding away from 3, which the root of eps makes 300 times
    # as large.
    run(guarded(torch.full((2, 40), 3.0, device=DEVICE)), "all 3")


@check("A row with NaN does not touch the others")
def special():
    x = torch.randn(3, 70, device=DEVICE)
    x[1, 69] = float("nan")
    run(guarded(x), "with NaN in the second row")
