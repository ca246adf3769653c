import torch
from judge import DEVICE, check, close, guarded, program, randn, watch

watch("attention_kernel")


def reference(q, k, v):
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(s, dim=-1) @ v


def run(q, k, v, what):
    # A score has D terms, and an output one of each key.
    close(program.attention(q, k, v), reference, q, k, v, what=what, terms=sum(k.shape[-2:]))


def qkv(*shape):
    return randn(*shape), randn(*shape), randn(*shape)


@check("A whole tile")
def whole():
    run(*qkv(1, 1, 64, 32), "N = 64, D = 32")


@check("Fewer positions than the tile has")
def fewer():
    for n in (50, 1, 3, 63):
        run(*qkv(1, 1, n, 32), f"N = {n}")


@check("Other widths, several heads")
def widths():
    run(*qkv(2, 3, 20, 16), "batch 2, 3 heads, D = 16")
    run(*qkv(1, 2, 33, 64), "2 heads, D = 64")


@check("Scores far below zero")
def negative():
    q = guarded(1.0 + torch.rand(1, 1, 30, 16, device=DEVICE))
    k = guarded(-8.0 - torch.rand(1, 1, 30, 16, device=DEVICE))
    run(q, k, randn(1, 1, 30, 16), "all scores negative")


@check("Scores in the hundreds")
def large():
    q = guarded(12.0 * torch.randn(1, 1, 40, 32, device=DEVICE))
    k = guarded(12.0 * torch.randn(1, 1, 40, 32, device=DEVICE))
    run(q, k, randn(1, 1, 40, 32), "scores of several hundred")


@check("Infinity stays in its own column and head")
def special():
    q, k, v = (torch.randn(1, 2, 30, 16, device=DEVICE) for _ in range(3))
    v[0, 1, 29, 5] = float("inf")
    run(guarded(q), guarded(k), guarded(v), "with infinity in the last value of the second head")
