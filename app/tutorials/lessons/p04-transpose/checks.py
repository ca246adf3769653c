import torch
from judge import *

watch("transpose_kernel")


@check("Sizes on and off the tiles")
def sizes():
    for n, m in ((32, 32), (1, 50), (33, 31), (64, 5)):
        x = randn(n, m)
        equal(program.transpose(x), x.T, f"{n} × {m}")


@check("Rows that lie apart, and columns that lie together")
def strides():
    x = strided(torch.randn(20, 40, device=DEVICE))
    equal(program.transpose(x), x.T, "a row stride of 47")
    x = randn(40, 20).T
    equal(program.transpose(x), x.T, "a transposed matrix")


@check("NaN and infinity are moved like any number")
def special():
    x = torch.randn(35, 40, device=DEVICE)
    x[0, 39], x[34, 0], x[34, 39] = float("nan"), float("inf"), -float("inf")
    x = guarded(x)
    equal(program.transpose(x), x.T, "with NaN and infinity")
