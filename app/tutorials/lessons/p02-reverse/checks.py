import torch
from judge import *

watch("reverse_kernel")


@check("Whole blocks and parts of one")
def sizes():
    for n in (128, 256, 1, 127, 129, 1000):
        x = randn(n)
        equal(program.reverse(x), x.flip(0), f"n = {n}")


@check("Whole numbers")
def integers():
    x = randint(-1000, 1000, (77,))
    equal(program.reverse(x), x.flip(0), "int32")


@check("NaN and infinity are moved like any number")
def special():
    x = torch.randn(200, device=DEVICE)
    x[0], x[130], x[199] = float("nan"), float("inf"), -float("inf")
    x = guarded(x)
    equal(program.reverse(x), x.flip(0), "with NaN and infinity")
