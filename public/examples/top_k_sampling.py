"""
Top-k sampling
==============

The next word of a language model: keep the k largest logits, and draw one of them with its probability. Drawing is done by adding
Gumbel noise to the logits and taking the largest, which needs no cumulative sum.

Teaches: tl.topk and tl.argmax on a row, random numbers in a kernel.
Costs: one read of the row; the sort works on registers.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def sample_kernel(x_ptr, token_ptr, n_cols, seed, K: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + columns, mask=columns < n_cols, other=-float("inf"))
    # The smallest of the k largest is what a logit has to reach.
    threshold = tl.min(tl.topk(x, K), axis=0)
    u = tl.rand(seed, row * BLOCK + columns)
    noise = -tl.log(-tl.log(tl.maximum(u, 1e-10)))
    tl.store(token_ptr + row, tl.argmax(tl.where(x >= threshold, x + noise, -float("inf")), axis=0))


def sample(x, k, seed):
    rows, cols = x.shape
    tokens = torch.empty(rows, dtype=torch.int32, device=x.device)
    sample_kernel[(rows,)](x, tokens, cols, seed, K=k, BLOCK=triton.next_power_of_2(cols))
    return tokens


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
# No logit is above zero: what fills the row up to a power of two must not win.
x = torch.randn(1, 100, device=DEVICE) - 5.0
draws = 1000
drawn = sample(x.expand(draws, 100).contiguous(), 4, 7).to(torch.int64)
top = torch.topk(x[0], 4)
expected = torch.softmax(top.values, dim=0)
counts = torch.stack([(drawn == token).sum() for token in top.indices]).to(torch.float32) / draws
print("only the four largest were drawn:", bool(torch.isclose(counts.sum(), torch.tensor(1.0, device=DEVICE))))
for p, c in zip(expected.tolist(), counts.tolist()):
    print(f"probability {p:.3f}, drawn {c:.3f}")
# Four standard deviations of a share of 1,000 draws; it has nothing to do with rounding.
print("as often as they should:", torch.allclose(counts, expected, atol=0.063, rtol=0))
print("the same seed draws the same:", torch.equal(sample(x, 4, 1), sample(x, 4, 1)))
wide = torch.randn(64, 1000, device=DEVICE)
measure("sampling", lambda: sample(wide, 8, 1), wide.numel() * 4, "GB/s")
