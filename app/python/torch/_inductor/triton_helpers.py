"""`torch._inductor.triton_helpers`: the helpers of kernels, where PyTorch 2.1 to 2.3 has them."""

from .runtime.triton_helpers import *  # noqa: F403
