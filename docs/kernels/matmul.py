"""The product that docs/architecture.md follows through the compiler: sizes are multiples of the tiles."""

import torch
import triton
import triton.language as tl


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, N, K, TILE: tl.constexpr, K_TILE: tl.constexpr):
    rows = tl.program_id(0) * TILE + tl.arange(0, TILE)
    columns = tl.program_id(1) * TILE + tl.arange(0, TILE)
    ks = tl.arange(0, K_TILE)
    acc = tl.zeros((TILE, TILE), dtype=tl.float32)
    for k in range(0, K, K_TILE):
        a = tl.load(a_ptr + rows[:, None] * K + (k + ks)[None, :])
        b = tl.load(b_ptr + (k + ks)[:, None] * N + columns[None, :])
        acc = tl.dot(a, b, acc)
    tl.store(c_ptr + rows[:, None] * N + columns[None, :], acc)


a = torch.randn(64, 96, device="cuda")
b = torch.randn(96, 128, device="cuda")
c = torch.empty(64, 128, device="cuda")
matmul_kernel[(64 // 32, 128 // 32)](a, b, c, 128, 96, TILE=32, K_TILE=16)
print(torch.allclose(c, a @ b, atol=1e-4))
