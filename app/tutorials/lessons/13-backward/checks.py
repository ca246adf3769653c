import torch
from judge import DEVICE, allow_torch, attention_terms, check, close, guarded, program, require, watch

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


def expected(q, k, v, do):
    given = inputs(q, k, v)
    reference(*given).backward(do)
    return [t.grad for t in given]


def run(heads, n, d, what, spread=1.0):
    q, k, v, do = (torch.randn(heads, n, d, device=DEVICE) for _ in range(4))
    differentiate(q * spread, k, v, do, what)


def differentiate(q, k, v, do, what, part=0.9):
    # The gradients are sums over n once more.
    terms = q.shape[1] + attention_terms(q.shape[2], (q, k), part)
    mine = gradients(q, k, v, do)
    real = expected(q, k, v, do)
    for name, a, e in zip(("dQ", "dK", "dV"), mine, real):
        close(a, e, f"{what}, {name}", terms=terms, scale=max(1.0, float(e.abs().max())))


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
    differentiate(q, k, v, do, "all scores below -80", part=0.6)
