"""`torch._inductor.triton_heuristics`: the decorators, where PyTorch 2.1 to 2.3 has them."""

from .runtime.hints import AutotuneHint  # noqa: F401
from .runtime.triton_heuristics import *  # noqa: F403
