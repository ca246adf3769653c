"""`triton.backends`: there is one, WebGPU, under CUDA's name."""

from . import compiler  # noqa: F401


class _Backend:
    def __init__(self):
        from ..runtime.driver import Driver

        self.driver = Driver


backends = {"nvidia": _Backend()}
