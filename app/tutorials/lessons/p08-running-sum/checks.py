import torch
from judge import *

watch("running_sum_kernel")


def compare(x, what):
    close(program.running_sum(x), lambda x: torch.cumsum(x, dim=1), x, what=what, terms=x.shape[1])


@check("Short and long rows")
def sizes():
    for rows, cols in ((2, 128), (3, 1), (2, 127), (2, 129), (2, 500)):
        compare(randn(rows, cols), f"{rows} rows of {cols}")


@check("Rows do not know each other")
def rows():
    compare(guarded(torch.ones(5, 200, device=DEVICE)), "five rows of ones")


@check("Infinity counts from its place on, and only in its row")
def special():
    x = torch.randn(3, 300, device=DEVICE)
    x[1, 200] = float("inf")
    compare(guarded(x), "with infinity at place 200")
