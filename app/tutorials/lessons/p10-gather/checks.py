import torch
from judge import *

watch("gather_kernel")


def run(rows, width, indices, what):
    table = randn(rows, width)
    index = guarded(torch.tensor(indices, dtype=torch.int32, device=DEVICE))
    expected = table[index.clamp(min=0).to(torch.int64)]
    expected = torch.where((index >= 0)[:, None], expected, torch.zeros_like(expected))
    equal(program.gather(table, index), expected, what)


@check("Rows in any order, some of them twice")
def order():
    run(20, 32, [19, 0, 7, 7, 3], "rows of 32")
    run(5, 33, [4, 4, 0], "rows of 33")
    run(3, 1, [2, 1, 0, 1], "rows of 1")


@check("Nothing for -1")
def nothing():
    run(10, 20, [-1, 9, -1, 0], "with -1")
    run(4, 50, [-1, -1], "only -1")


@check("Rows that lie apart, and rows of NaN that nobody asks for")
def special():
    table = torch.randn(6, 30, device=DEVICE)
    table[0], table[5, 29] = float("nan"), float("inf")
    index = guarded(torch.tensor([5, -1, 2], dtype=torch.int32, device=DEVICE))
    expected = table[index.clamp(min=0).to(torch.int64)]
    expected[1] = 0.0
    equal(program.gather(strided(table), index), expected, "a row stride of 37")
