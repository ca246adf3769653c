"""
The sum and the largest of a million numbers, in blocks of 1,024 added up by atomics: prints the seconds
of the fastest of a few runs. `bench/interpreters.ts` runs it on our interpreter and on Triton's.
"""

import time

import torch
import triton
import triton.language as tl

try:
    DEVICE = triton.runtime.driver.active.get_active_torch_device()
except RuntimeError:  # Triton's interpreter on a machine without a GPU
    DEVICE = torch.device("cpu")


@triton.jit
def reduce_kernel(x_ptr, sum_ptr, max_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0)
    tl.atomic_add(sum_ptr, tl.sum(x, axis=0))
    tl.atomic_max(max_ptr, tl.max(x, axis=0))


N = 1_000_000
x = torch.arange(N, dtype=torch.int32, device=DEVICE) % 1000
fastest = float("inf")
for _ in range(4):
    total = torch.zeros(1, dtype=torch.int32, device=DEVICE)
    largest = torch.zeros(1, dtype=torch.int32, device=DEVICE)
    begin = time.perf_counter()
    reduce_kernel[(triton.cdiv(N, 1024),)](x, total, largest, N, BLOCK=1024)
    total.item()
    fastest = min(fastest, time.perf_counter() - begin)
assert total.item() == 499_500_000 and largest.item() == 999
print(f"seconds: {fastest:.6f}")
