import torch
from judge import DEVICE, check, close, guarded, program, randn, require, launches, strided, watch

watch("softmax_kernel")


def run(x, what):
    close(program.softmax(x), lambda x: torch.softmax(x, dim=1), x, what=what, terms=x.shape[1])


@check("One full or partial block")
def one():
    for cols in (128, 1, 100):
        run(randn(3, cols), f"rows of {cols}")


@check("Several pieces")
def several():
    for cols in (129, 256, 1000):
        run(randn(3, cols), f"rows of {cols}")


@check("The maximum comes last")
def rising():
    x = torch.linspace(-300.0, 300.0, 500, device=DEVICE).reshape(1, 500)
    run(guarded(x), "a rising row")


@check("The maximum comes first")
def falling():
    x = torch.linspace(300.0, -300.0, 500, device=DEVICE).reshape(1, 500)
    run(guarded(x), "a falling row")


@check("Everything is negative")
def negative():
    run(guarded(-500.0 - 10.0 * torch.rand(4, 200, device=DEVICE)), "numbers around -500")


@check("Large numbers")
def large():
    run(guarded(1000.0 + 20.0 * torch.randn(4, 300, device=DEVICE)), "numbers around 1000")


@check("Rows that do not lie one behind the other")
def strides():
    run(strided(torch.randn(4, 150, device=DEVICE)), "a row stride of 157")


@check("Wide rows with the same small tile")
def tile():
    run(randn(1, 5000), "a row of 5,000")
    blocks = [launch.kwargs.get("BLOCK") for launch in launches()]
    require(blocks == [128], "BLOCK has to stay 128")


@check("Minus infinity is a probability of zero")
def infinity():
    x = torch.randn(3, 300, device=DEVICE)
    x[0, 5], x[1, 128:256], x[2, 1:] = -float("inf"), -float("inf"), -float("inf")
    run(guarded(x), "with -inf in places, in a whole piece, and in all but one place")
