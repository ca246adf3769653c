import torch
from judge import *

watch("running_sum_kernel")


@check("Short and long rows")
def sizes():
    for rows, cols in ((2, 128), (3, 1), (2, 127), (2, 129), (2, 500)):
        x = randn(rows, cols)
        close(program.running_sum(x), torch.cumsum(x, dim=1), f"{rows} rows of {cols}", terms=min(cols / 4, 50))


@check("Rows do not know each other")
def rows():
    x = guarded(torch.ones(5, 200, device=DEVICE))
    close(program.running_sum(x), torch.cumsum(x, dim=1), "five rows of ones")


@check("Infinity counts from its place on, and only in its row")
def special():
    x = torch.randn(3, 300, device=DEVICE)
    x[1, 200] = float("inf")
    x = guarded(x)
    close(program.running_sum(x), torch.cumsum(x, dim=1), "with infinity at place 200", terms=75)
