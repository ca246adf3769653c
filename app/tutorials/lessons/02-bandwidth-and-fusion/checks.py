import torch
from judge import DEVICE, check, close, guarded, launches, program, randn, require, watch

watch("multiply_kernel", "plus_kernel", "relu_kernel", "fused_kernel")


def compare(s, x, y, what):
    close(program.fused(s, x, y), lambda x, y: torch.relu(s * x + y), x, y, what=what, terms=1)


def run(s, n):
    compare(s, randn(n), randn(n), f"s = {s}, n = {n}")


@check("One launch, and the right numbers")
def one():
    run(2.0, 4096)
    names = [launch.kernel for launch in launches()]
    require(names == ["fused_kernel"], f"one launch of fused_kernel was expected, not {', '.join(names)}")


@check("The sizes around one block")
def sizes():
    for n in (1, 1023, 1024, 1025, 3000):
        run(0.5, n)


@check("Negative and zero factors")
def factors():
    run(-3.0, 500)
    run(0.0, 500)


@check("Infinity stays infinity, and minus infinity becomes zero")
def special():
    x, y = torch.randn(700, device=DEVICE), torch.randn(700, device=DEVICE)
    x[3], y[699] = float("inf"), -float("inf")
    compare(1.5, guarded(x), guarded(y), "with infinities")
