import torch
from judge import DEVICE, allow_torch, check, close, guarded, program, require, watch

watch("forward_kernel", "dkv_kernel", "dq_kernel")
# A sum of products for each row, between the two passes.
allow_torch()


def reference(q, k, v):
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    return torch.softmax(s, dim=-1) @ v


def inputs(q, k, v):
    return [guarded(t).requires_grad_() for t in (q, k, v)]


def gradients(q, k, v, do):
    return program.attention.gradients(*inputs(q, k, v), gradient=guarded(do))


def gradient_of(which):
    def gradient(q, k, v, do):
        with torch.enable_grad():
            given = [t.detach().requires_grad_() for t in (q, k, v)]
            reference(*given).backward(do)
        return given[which].grad

    return gradient


def run(heads, n, d, what, spread=1.0):
    q, k, v, do = (torch.randn(heads, n, d, device=DEVICE) for _ in range(4))
    differentiate(q * spread, k, v, do, what)


def differentiate(q, k, v, do, what):
    # A score and its gradient have D terms, an output and the gradients one of each row.
    terms = 2 * sum(q.shape[-2:])
    score = float((q @ k.transpose(-1, -2)).abs().max()) * q.shape[-1] ** -0.5
    for which, mine in enumerate(gradients(q, k, v, do)):
        gradient = gradient_of(which)
        # A product and its row's sum cancel: both may be as large as the largest gradient, and exp
        # makes a relative error of what a score is off by.
        atol = (4 + score) * 2.0**-24 * float(gradient(q, k, v, do).abs().max())
        what_of = f"{what}, {('dQ', 'dK', 'dV')[which]}"
        close(mine, gradient, q, k, v, do, what=what_of, terms=terms, atol=atol)


@check("One block")
def one():
    run(1, 16, 16, "N = 16")


@check("Several blocks, and parts of one")
def several():
    run(1, 32, 16, "N = 32")
    run(1, 45, 16, "N = 45")
    run(1, 3, 16, "N = 3")


@check("Heads and other widths")
def heads():
    run(2, 20, 32, "2 heads, D = 32")


@check("Scores of some size")
def large():
    run(1, 40, 16, "queries four times as large", spread=4.0)


@check("Against differences of the loss itself")
def differences():
    q, k, v, do = (torch.randn(1, 20, 16, device=DEVICE) for _ in range(4))
    dq, dk, dv = gradients(q, k, v, do)
    h = 0.02
    for which, grad, (i, j) in ((0, dq, (7, 3)), (1, dk, (19, 0)), (2, dv, (0, 15))):
        losses = []
        for step in (h, -h):
            moved = [q.clone(), k.clone(), v.clone()]
            moved[which][0, i, j] += step
            losses.append(float((program.attention(*moved) * do).sum()))
        slope = (losses[0] - losses[1]) / (2 * h)
        found = float(grad[0, i, j])
        require(abs(slope - found) <= 5e-3 + 0.01 * abs(slope), f"the loss moves by {slope:.4g}, the gradient says {found:.4g}")


@check("Scores far below zero, and a part of a block")
def negative():
    q = 1.0 + torch.rand(1, 21, 16, device=DEVICE)
    k = -20.0 - torch.rand(1, 21, 16, device=DEVICE)
    v, do = torch.randn(1, 21, 16, device=DEVICE), torch.randn(1, 21, 16, device=DEVICE)
    differentiate(q, k, v, do, "all scores below -80")
