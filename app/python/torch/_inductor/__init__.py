"""What TorchInductor's output imports: the kernels that torch.compile wrote run here as they are."""

from . import async_compile, codecache, config, hooks, runtime, select_algorithm, utils  # noqa: F401
from . import triton_helpers, triton_heuristics  # noqa: F401
