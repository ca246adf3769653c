"""`helion.runtime`: how printed Triton launches its kernels, and what its kernels call."""

import torch
import triton

from .._absent import absent
from .triton_helpers import (  # noqa: F401
    triton_send_signal,
    triton_wait_multiple_signal,
    triton_wait_signal,
)


def default_launcher(
    triton_kernel, grid, *args, num_warps, num_stages, launch_cooperative_grid=False, **kwargs
):
    """Launches the kernel at once."""
    return triton_kernel.run(
        *args,
        grid=grid,
        warmup=False,
        num_warps=num_warps,
        num_stages=num_stages,
        launch_cooperative_grid=launch_cooperative_grid,
        **kwargs,
    )


def get_num_sm(device, *, reserved_sms=0):
    """Multiprocessors of the device, at least 1: how many programs a persistent kernel has."""
    if device.type == "cpu":
        available = torch.get_num_threads()
    else:
        available = torch.cuda.get_device_properties(device.index).multi_processor_count
    return max(available - max(reserved_sms, 0), 1)


def set_triton_allocator():
    """Gives Triton an allocator of scratch memory, unless the program has set one."""
    if triton.runtime._allocator is None:
        triton.set_allocator(
            lambda size, alignment, stream: torch.empty(size, device="cuda", dtype=torch.int8)
        )


__getattr__ = absent("helion.runtime")
