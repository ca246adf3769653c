"""`torch._inductor.kernel.mm_common`: the grids of matrix products."""

from triton import cdiv


def mm_grid(m, n, meta):
    return cdiv(m, meta["BLOCK_M"]) * cdiv(n, meta["BLOCK_N"]), 1, 1


def persistent_mm_grid(m, n, meta):
    return min(meta["NUM_SMS"], mm_grid(m, n, meta)[0]), 1, 1
