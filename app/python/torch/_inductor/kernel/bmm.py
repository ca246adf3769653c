"""`torch._inductor.kernel.bmm`: the grid of batched matrix products."""

from .mm_common import mm_grid


def bmm_grid(b, m, n, meta):
    return mm_grid(m, n, meta)[0], b, 1
