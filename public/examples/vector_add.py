"""
Vector add
==========

A Triton kernel is written for one *program*, a piece of the work that owns a block of elements.
Many programs run at once; each reads from `tl.program_id` which block is its own.

Press Run: the sum is computed on your GPU, checked against PyTorch, and timed.
Then change BLOCK_SIZE and run it again.
"""

import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK_SIZE: tl.constexpr):
    # Program 0 owns elements 0 … BLOCK_SIZE-1, program 1 the next BLOCK_SIZE, and so on.
    pid = tl.program_id(axis=0)
    offsets = pid * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
    # The last block may reach past the end: the mask switches those elements off.
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    y = tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + y, mask=mask)


def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    n = out.numel()
    # The grid says how many programs to launch: enough to cover n elements.
    grid = lambda meta: (triton.cdiv(n, meta["BLOCK_SIZE"]),)
    add_kernel[grid](x, y, out, n, BLOCK_SIZE=1024)
    return out


torch.manual_seed(0)
x = torch.rand(98432, device=DEVICE)
y = torch.rand(98432, device=DEVICE)
out = add(x, y)
print(out)
# One addition in float32 is rounded the same way everywhere, so the two are equal bit for bit.
print("as PyTorch computes it:", torch.equal(out, x + y))


@triton.testing.perf_report(
    triton.testing.Benchmark(
        x_names=["n"],
        x_vals=[2**i for i in range(12, 23, 2)],
        x_log=True,
        line_arg="provider",
        line_vals=["triton", "torch"],
        line_names=["Triton", "PyTorch"],
        ylabel="GB/s",
        plot_name="vector-add",
        args={},
    )
)
def benchmark(n, provider):
    x = torch.rand(n, device=DEVICE)
    y = torch.rand(n, device=DEVICE)
    run = (lambda: add(x, y)) if provider == "triton" else (lambda: x + y)
    ms = triton.testing.do_bench(run)
    # Two vectors are read and one is written.
    return 3 * x.numel() * x.element_size() * 1e-9 / (ms * 1e-3)


benchmark.run(print_data=True)
