import torch
from judge import DEVICE, check, close, guarded, program, randn, strided, watch

watch("softmax_kernel")


def run(x, what):
    close(program.softmax(x), lambda x: torch.softmax(x, dim=1), x, what=what, terms=x.shape[1])


@check("Rows of odd lengths")
def lengths():
    for rows, cols in ((4, 64), (3, 1), (2, 3), (5, 127), (2, 257)):
        run(randn(rows, cols), f"{rows} rows of {cols}")


@check("Rows where all is negative")
def negative():
    run(guarded(-5.0 - torch.rand(4, 100, device=DEVICE)), "numbers between -6 and -5")
    run(guarded(-300.0 - torch.rand(4, 100, device=DEVICE)), "numbers between -301 and -300")


@check("Large numbers do not overflow")
def large():
    run(guarded(1000.0 + torch.randn(4, 100, device=DEVICE)), "numbers around 1000")
    run(guarded(80.0 * torch.randn(4, 33, device=DEVICE)), "numbers up to a few hundred")


@check("Rows that do not lie one behind the other")
def strides():
    run(strided(torch.randn(6, 50, device=DEVICE)), "a row stride of 57")


@check("Minus infinity is a probability of zero")
def infinity():
    x = torch.randn(3, 20, device=DEVICE)
    x[0, 5], x[2, 0] = -float("inf"), -float("inf")
    run(guarded(x), "with -inf in a row")
