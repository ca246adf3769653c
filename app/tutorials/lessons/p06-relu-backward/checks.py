import torch
from judge import *

watch("relu_backward_kernel")


def run(x, dy, what):
    equal(program.relu_backward(x, dy), torch.where(x > 0, dy, torch.zeros_like(dy)), what)


@check("Random matrices")
def random():
    run(randn(5, 33), randn(5, 33), "5 × 33")
    run(randn(1, 1), randn(1, 1), "1 × 1")


@check("Zeros, and gradients of NaN where nothing goes through")
def zeros():
    x = torch.tensor([[-1.0, 0.0, 2.0, -0.0, float("nan")]], device=DEVICE)
    dy = torch.tensor([[float("nan"), 3.0, 4.0, float("inf"), 5.0]], device=DEVICE)
    run(guarded(x), guarded(dy), "zeros and NaN")


@check("Strides of their own")
def strides():
    run(strided(torch.randn(4, 20, device=DEVICE)), randn(4, 20), "x with a row stride of 27")
    run(randn(4, 20), strided(torch.randn(4, 20, device=DEVICE), gap=3), "dy with a row stride of 23")
