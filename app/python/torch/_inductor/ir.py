"""`torch._inductor.ir`: what modules that PyTorch wrote before 2.4 import of it."""

from .runtime.hints import ReductionHint, TileHint  # noqa: F401
