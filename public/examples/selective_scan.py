"""
A selective scan
================

The recurrence of state-space models: h[t] = a[t] · h[t-1] + b[t], with factors that depend on the input. Two steps (a, b) and (a', b')
make one: (a a', a' b + b'). That is associative, so the whole row can be scanned in parallel.

Teaches: tl.associative_scan over pairs of tiles with a function of your own; a carry between chunks.
Costs: some more arithmetic than a loop, in logarithmically many steps.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def step(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def scan_kernel(a_ptr, b_ptr, h_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    place = tl.arange(0, BLOCK)
    carry = 0.0
    for start in range(0, N, BLOCK):
        t = start + place
        a = tl.load(a_ptr + row * N + t, mask=t < N, other=1.0)
        b = tl.load(b_ptr + row * N + t, mask=t < N, other=0.0)
        factor, h = tl.associative_scan((a, b), 0, step)
        h = h + factor * carry
        tl.store(h_ptr + row * N + t, h, mask=t < N)
        # The last of the chunk: past the end nothing changes any more.
        carry = tl.sum(tl.where(place == BLOCK - 1, h, 0.0), axis=0)


def scan(a, b):
    rows, N = a.shape
    h = torch.empty_like(a)
    scan_kernel[(rows,)](a, b, h, N, BLOCK=128)
    return h


def reference(a, b):
    h = torch.zeros(a.shape[0], device=a.device)
    steps = []
    for t in range(a.shape[1]):
        h = a[:, t] * h + b[:, t]
        steps.append(h)
    return torch.stack(steps, dim=1)


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
a = torch.sigmoid(torch.randn(16, 300, device=DEVICE) + 1.0)
b = torch.randn(16, 300, device=DEVICE)
# Old terms fade by a at each step, so only the last few roundings count.
print("as step by step:", torch.allclose(scan(a, b), reference(a, b), atol=5e-6, rtol=0))
measure("scan", lambda: scan(a, b), 3 * a.numel() * 4, "GB/s")
