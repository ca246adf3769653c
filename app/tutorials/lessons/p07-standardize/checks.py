import torch
from judge import *

watch("standardize_kernel")


def run(x, what, scale=None, terms=8):
    # A mean is rounded less than a sum: its roundings are divided, too.
    terms = min(x.shape[1] / 4, terms)
    x64 = x.cpu().to(torch.float64)
    centred = x64 - x64.mean(dim=1, keepdim=True)
    expected = centred / torch.sqrt((centred * centred).mean(dim=1, keepdim=True) + 1e-5)
    close(program.standardize(x), expected.to(torch.float32), what, terms=terms, scale=scale)


@check("Rows of odd lengths")
def sizes():
    for rows, cols in ((4, 64), (3, 5), (2, 100), (2, 257)):
        run(randn(rows, cols), f"{rows} rows of {cols}")


@check("Numbers around 5, and around 10,000")
def shifted():
    run(guarded(5.0 + torch.randn(4, 50, device=DEVICE)), "around 5", terms=13)
    # The mean is rounded at its own size.
    run(guarded(1e4 + torch.randn(4, 50, device=DEVICE)), "around 10,000", scale=1e4, terms=4)


@check("A row of one value is zero")
def constant():
    # The mean of forty threes may be a rounding away from 3, which the root of eps makes 300 times
    # as large.
    x = guarded(torch.full((2, 40), 3.0, device=DEVICE))
    close(program.standardize(x), torch.zeros(2, 40), "all 3", terms=2, scale=3.0 / 1e-5**0.5)


@check("A row with NaN does not touch the others")
def special():
    x = torch.randn(3, 70, device=DEVICE)
    x[1, 69] = float("nan")
    run(guarded(x), "with NaN in the second row")
