import torch
from judge import DEVICE, check, close, guarded, program, randn, watch

watch("flash_kernel")


def reference(q, k, v):
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(s, dim=-1) @ v


def run(q, k, v, what):
    # A score has D terms, and an output one of each key.
    close(program.attention(q, k, v), reference, q, k, v, what=what, terms=sum(k.shape[-2:]))


def qkv(*shape):
    return randn(*shape), randn(*shape), randn(*shape)


@check("One block of keys")
def one():
    # D is not the number of queries in a block, so that rows are not taken for columns.
    run(*qkv(1, 1, 32, 16), "N = 32, D = 16")
    run(*qkv(1, 1, 5, 32), "N = 5")


@check("Several blocks of keys")
def several():
    for n in (64, 33, 100):
        run(*qkv(1, 1, n, 32), f"N = {n}")


@check("Heads and batches, other widths")
def heads():
    run(*qkv(2, 3, 40, 16), "batch 2, 3 heads, D = 16")


@check("The maximum comes in the last block")
def rising():
    q, k, v = (torch.randn(1, 1, 96, 16, device=DEVICE) for _ in range(3))
    q = q.abs()
    k = k.abs() * torch.linspace(-4.0, 8.0, 96, device=DEVICE).reshape(1, 1, 96, 1)
    run(guarded(q), guarded(k), guarded(v), "rising scores")


@check("The maximum comes in the first block")
def falling():
    q, k, v = (torch.randn(1, 1, 96, 16, device=DEVICE) for _ in range(3))
    q = q.abs()
    k = k.abs() * torch.linspace(8.0, -4.0, 96, device=DEVICE).reshape(1, 1, 96, 1)
    run(guarded(q), guarded(k), guarded(v), "falling scores")


@check("All scores far below zero")
def negative():
    q = guarded(1.0 + torch.rand(1, 1, 50, 16, device=DEVICE))
    k = guarded(-9.0 - torch.rand(1, 1, 50, 16, device=DEVICE))
    run(q, k, randn(1, 1, 50, 16), "all scores negative")


@check("Infinity stays in its own column and head")
def special():
    q, k, v = (torch.randn(1, 2, 70, 16, device=DEVICE) for _ in range(3))
    v[0, 1, 69, 5] = float("inf")
    run(guarded(q), guarded(k), guarded(v), "with infinity in the last value of the second head")
