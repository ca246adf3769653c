"""
Embedding lookup, forward and backward
======================================

A row of a table for each token. Forward it is a gather; backward many tokens may want to add to the same row, so the gradient is
added with atomics.

Teaches: loads through an index that was itself loaded; tl.atomic_add where programs collide.
Costs: bandwidth; the backward pass costs more where many tokens are the same.
"""

import torch
import triton
import triton.language as tl

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"

@triton.jit
def gather_kernel(token_ptr, table_ptr, out_ptr, D, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < D
    token = tl.load(token_ptr + i)
    tl.store(out_ptr + i * D + columns, tl.load(table_ptr + token * D + columns, mask=mask), mask=mask)


@triton.jit
def scatter_kernel(token_ptr, grad_ptr, table_grad_ptr, D, BLOCK: tl.constexpr):
    i = tl.program_id(0)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = columns < D
    token = tl.load(token_ptr + i)
    grad = tl.load(grad_ptr + i * D + columns, mask=mask)
    tl.atomic_add(table_grad_ptr + token * D + columns, grad, mask=mask)


class Embedding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, tokens, table):
        D = table.shape[1]
        out = torch.empty(*tokens.shape, D, device=table.device)
        gather_kernel[(tokens.numel(), triton.cdiv(D, 128))](tokens, table, out, D, BLOCK=128)
        ctx.save_for_backward(tokens)
        ctx.rows = table.shape[0]
        return out

    @staticmethod
    def backward(ctx, grad):
        (tokens,) = ctx.saved_tensors
        D = grad.shape[-1]
        table_grad = torch.zeros(ctx.rows, D, device=grad.device)
        grid = (tokens.numel(), triton.cdiv(D, 128))
        scatter_kernel[grid](tokens, grad.contiguous(), table_grad, D, BLOCK=128)
        return None, table_grad


def measure(name, run, amount, unit):
    """`amount` of `unit` a launch: bytes or operations, as a rate."""
    if DEVICE != "cuda":
        return
    ms = triton.testing.do_bench(run)
    print(f"{name}: {ms:.4g} ms, {amount / ms * 1e-6:.4g} {unit}")


torch.manual_seed(0)
tokens = torch.randint(0, 50, (4, 60), device=DEVICE)
table = torch.randn(50, 200, device=DEVICE)
grad = torch.randn(4, 60, 200, device=DEVICE)
results = []
for lookup in (Embedding.apply, torch.nn.functional.embedding):
    weights = table.clone().requires_grad_()
    out = lookup(tokens, weights)
    out.backward(grad)
    results.append((out.detach(), weights.grad))
print("rows:", torch.equal(results[0][0], results[1][0]))
# The atomics of a row come in any order: sums of a dozen numbers, rounded differently each time.
print("gradient of the table:", torch.allclose(results[0][1], results[1][1], atol=1e-5, rtol=0))
measure("lookup", lambda: Embedding.apply(tokens, table), 2 * grad.numel() * 4, "GB/s")
