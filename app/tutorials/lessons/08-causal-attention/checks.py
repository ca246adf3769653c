import torch
from judge import DEVICE, check, close, guarded, program, randn, require, watch

watch("flash_kernel")


def reference(q, k, v):
    N = q.shape[-2]
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    i = torch.arange(N, device=q.device)
    s = torch.where(i[None, :] <= i[:, None], s, -float("inf"))
    return torch.softmax(s, dim=-1) @ v


def run(shape, what):
    q, k, v = randn(*shape), randn(*shape), randn(*shape)
    out, blocks = program.attention(q, k, v)
    close(out, reference, q, k, v, what=what, terms=sum(shape[-2:]))
    return blocks


@check("One block, and a part of one")
def one():
    run((1, 1, 32, 32), "N = 32")
    run((1, 1, 7, 32), "N = 7")


@check("Several blocks and heads")
def several():
    for n in (64, 33, 100):
        run((1, 2, n, 32), f"N = {n}")


@check("The first position sees only itself")
def first():
    q, k, v = randn(1, 1, 40, 16), randn(1, 1, 40, 16), randn(1, 1, 40, 16)
    out, _ = program.attention(q, k, v)
    close(out[:, :, :1], lambda v: v[:, :, :1], v, what="position 0", terms=1)


@check("Blocks above the diagonal are not loaded")
def skipped():
    q, k, v = (torch.randn(1, 1, 96, 16, device=DEVICE) for _ in range(3))
    seen = [t[:, :, :64].clone() for t in (q, k, v)]
    k[:, :, 64:] = float("nan")
    v[:, :, 64:] = float("nan")
    out, blocks = program.attention(guarded(q), guarded(k), guarded(v))
    close(out[:, :, :64], reference, *seen, what="with NaN in the future", terms=64 + 16)
    require(blocks == 6, f"3 blocks of queries need 1 + 2 + 3 blocks of keys, not {blocks}")


@check("Scores of any size")
def large():
    q, k = (guarded(6.0 * torch.randn(1, 1, 64, 16, device=DEVICE)) for _ in range(2))
    v = randn(1, 1, 64, 16)
    out, _ = program.attention(q, k, v)
    close(out, reference, q, k, v, what="scores of about a hundred", terms=64 + 16)
