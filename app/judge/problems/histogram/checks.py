import torch
from judge import *

watch("histogram_kernel")


def expected(x, bins):
    return torch.stack([(x == number).sum() for number in range(bins)]).to(torch.int32)


def compare(x, bins, what):
    equal(program.histogram(x, bins), expected(x, bins), what, wanted=torch.int32)


@check("Short and long vectors")
def lengths():
    for length in (1, 31, 128, 1000, 4097):
        compare(randint(0, 10, (length,)), 10, f"{length} numbers")


@check("Numbers of no bin are not counted")
def outside():
    compare(randint(-5, 20, (500,)), 12, "numbers below 0 and above")


@check("One bin may have all, and one none")
def alike():
    compare(guarded(torch.full((3000,), 3, dtype=torch.int32, device=DEVICE)), 5, "3,000 times the number 3")


@check("Another number of bins in each run")
def drawn():
    bins = int(torch.randint(1, 40, (1,)))
    compare(randint(0, bins, (700,)), bins, f"{bins} bins")


def holds(counts, x, bins):
    equal(counts, expected(x, bins), "65,536 numbers", wanted=torch.int32)


@timed("65,536 numbers in 64 bins", holds)
def time():
    return program.histogram, randint(0, 64, (1 << 16,)), 64
