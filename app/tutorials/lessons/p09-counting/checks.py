import torch
from judge import *

watch("count_kernel")


def run(x, what):
    expected = torch.stack([(x == value).sum() for value in range(16)]).to(torch.int32)
    equal(program.count(x), expected, what)


@check("Random values")
def random():
    for n in (128, 1, 300, 1000):
        run(randint(0, 16, (n,)), f"n = {n}")


@check("All the same value")
def same():
    run(guarded(torch.full((500,), 7, dtype=torch.int32, device=DEVICE)), "500 sevens")


@check("No zeros come from nowhere")
def ones():
    run(guarded(torch.full((130,), 15, dtype=torch.int32, device=DEVICE)), "130 fifteens")
