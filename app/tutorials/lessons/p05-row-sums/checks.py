import torch
from judge import *

watch("row_sum_kernel")


def run(x, what):
    close(program.row_sums(x), lambda x: x.sum(dim=1), x, what=what, terms=x.shape[1])


@check("Short, whole and long rows")
def sizes():
    for rows, cols in ((3, 64), (2, 1), (4, 63), (3, 65), (5, 1000)):
        run(randn(rows, cols), f"{rows} rows of {cols}")


@check("Rows that lie apart")
def strides():
    run(strided(torch.randn(5, 70, device=DEVICE)), "a row stride of 77")


@check("A row with infinity")
def special():
    x = torch.rand(3, 100, device=DEVICE)
    x[1, 99] = float("inf")
    run(guarded(x), "with infinity")
