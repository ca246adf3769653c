import torch
from judge import DEVICE, check, close, guarded, program, randn, require, watch

watch("flash_kernel")

def reference(q, k, v, slopes, window):
    heads, N = q.shape[1], q.shape[2]
    group = heads // k.shape[1]
    k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
    i = torch.arange(N, device=q.device)
    distance = i[:, None] - i[None, :]
    s = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    s = s - slopes.reshape(1, heads, 1, 1) * distance.to(torch.float32)
    s = torch.where((distance >= 0) & (distance < window), s, -float("inf"))
    return torch.softmax(s, dim=-1) @ v


def run(batch, heads, kv_heads, n, window, what, slope=0.1):
    q, k, v = randn(batch, heads, n, 16), randn(batch, kv_heads, n, 16), randn(batch, kv_heads, n, 16)
    slopes = guarded(slope * (1.0 + torch.arange(heads, device=DEVICE).to(torch.float32)))
    out, blocks = program.attention(q, k, v, slopes, window)
    close(out, reference, q, k, v, slopes, window, what=what, terms=min(n, window) + 16)
    return blocks


@check("Grouped queries")
def grouped():
    run(1, 4, 2, 40, 1000, "4 query heads, 2 key heads", slope=0.0)
    run(2, 3, 1, 40, 1000, "3 query heads, 1 key head, batch 2", slope=0.0)
    run(1, 2, 2, 40, 1000, "no grouping", slope=0.0)


@check("ALiBi")
def alibi():
    run(1, 2, 2, 50, 1000, "slopes 0.1 and 0.2")
    run(1, 2, 2, 50, 1000, "slopes 2 and 4", slope=2.0)


@check("Sliding windows")
def windows():
    for window in (1, 2, 31, 32, 33, 100):
        run(1, 1, 1, 100, window, f"a window of {window}", slope=0.0)


@check("All at once")
def everything():
    run(2, 4, 2, 77, 20, "batch 2, 4 and 2 heads, N = 77, a window of 20")


@check("Blocks before the window are not loaded")
def skipped():
    blocks = run(1, 1, 1, 160, 33, "a window of 33")
    require(blocks == 1 + 2 + 2 + 2 + 2, f"9 blocks of keys are needed, not {blocks}")


@check("Scores of any size")
def large():
    q, k = (guarded(6.0 * torch.randn(1, 2, 70, 16, device=DEVICE)) for _ in range(2))
    v, slopes = randn(1, 2, 70, 16), guarded(torch.tensor([0.5, 8.0], device=DEVICE))
    out, _ = program.attention(q, k, v, slopes, 40)
    close(out, reference, q, k, v, slopes, 40, what="scores of about a hundred", terms=40 + 16)
