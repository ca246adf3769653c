"""`torch._inductor.triton_ops.autotune`: the decorators, where PyTorch 2.0 has them."""

from ..runtime.triton_heuristics import *  # noqa: F403
