"""Cross entropy of rows of logits: a program walks along a row once, with a running maximum and sum."""

import torch
import triton
import triton.language as tl

from measure import measure, sizes

CONFIGS = [
    triton.Config({"BLOCK": block}, num_warps=warps)
    for block, warps in [(1024, 4), (2048, 4), (2048, 8), (4096, 8), (8192, 8), (8192, 16)]
]


@triton.jit
def cross_entropy_kernel(logits_ptr, target_ptr, loss_ptr, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    logits_ptr += row.to(tl.int64) * columns
    offsets = tl.arange(0, BLOCK)
    highest = tl.full((BLOCK,), -float("inf"), dtype=tl.float32)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        x = tl.load(logits_ptr + start + offsets, mask=start + offsets < columns, other=-1.0e30)
        new = tl.maximum(highest, x)
        total = total * tl.exp(highest - new) + tl.exp(x - new)
        highest = new
    high = tl.max(highest, axis=0)
    sum = tl.sum(total * tl.exp(highest - high), axis=0)
    right = tl.load(logits_ptr + tl.load(target_ptr + row))
    tl.store(loss_ptr + row, tl.log(sum) + high - right)


tuned = triton.autotune(configs=CONFIGS, key=["columns"])(cross_entropy_kernel)


if __name__ == "__main__":
    for rows, columns in sizes(quick=[(64, 8192)], full=[(4096, 32000)]):
        logits = torch.randn(rows, columns, device="cuda") * 3
        target = torch.randint(0, columns, (rows,), device="cuda", dtype=torch.int32)
        loss = torch.full((rows,), float("nan"), device="cuda")

        def ours():
            tuned[(rows,)](logits, target, loss, columns)

        def library(t):
            return torch.nn.functional.cross_entropy(t, target[: len(t)].long(), reduction="none")

        measure(
            f"cross entropy {rows}×{columns}",
            ours,
            lambda: library(logits),
            loss,
            lambda: library(logits[:64].double()),
            1e-4,
            rows=64,
        )
