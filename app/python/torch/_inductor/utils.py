"""`torch._inductor.utils`: what the host code that TorchInductor writes imports of it."""

import contextlib

from .runtime.hints import instance_descriptor  # noqa: F401
from .wrapper_benchmark import compiled_module_main  # noqa: F401


def maybe_profile(should_profile, *args, **kwargs):
    return contextlib.nullcontext()


def do_bench(fn, **options):
    from triton.testing import do_bench as measure

    return measure(fn, **options)


def print_performance(fn, args=(), times=10, repeat=10, baseline=1.0, device="cuda"):
    """Seconds a call, as measured on the GPU; printed, as PyTorch prints it."""
    seconds = do_bench(lambda: fn(*args)) / 1000
    print(f"{seconds / baseline:.6f}")
    return seconds
