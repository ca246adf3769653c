"""`triton.runtime`."""

from .autotuner import Autotuner, Config, Heuristics, autotune, heuristics  # noqa: F401
from .driver import driver  # noqa: F401
from .errors import InterpreterError, OutOfResources  # noqa: F401
from .jit import JITFunction, KernelInterface, MockTensor, TensorWrapper, reinterpret  # noqa: F401

#: The argument of `triton.set_allocator`.
_allocator = None
