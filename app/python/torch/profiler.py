"""`torch.profiler`: names for parts of a program. Nothing is traced, so they leave no mark."""

import contextlib


class record_function(contextlib.ContextDecorator):
    """`with record_function("forward"):`, or above a function."""

    def __init__(self, name, args=None):
        self.name, self.args = name, args

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(f"module 'torch.profiler' has no attribute '{name}'")
    raise AttributeError(
        f"torch.profiler.{name}: there is no CUDA trace to record. Timing shows each launch’s time; "
        "triton.testing.do_bench and torch.utils.benchmark measure a function"
    )
