"""Triton's host side, for kernels that run on WebGPU. The names, signatures and errors are those of
Triton 3.8; a program that runs on CUDA runs here unchanged.
"""

__version__ = "3.8.0"

from . import language
from .runtime import (
    Config,
    InterpreterError,
    JITFunction,
    KernelInterface,
    MockTensor,
    OutOfResources,
    TensorWrapper,
    autotune,
    heuristics,
    reinterpret,
)
from .runtime.jit import constexpr_function, jit
from .compiler import CompilationError, compile
from .errors import TritonError
from . import knobs, runtime, testing, tools

must_use_result = language.core.must_use_result

__all__ = [
    "CompilationError", "Config", "InterpreterError", "JITFunction", "KernelInterface", "MockTensor",
    "OutOfResources", "TensorWrapper", "TritonError", "autotune", "cdiv", "compile",
    "constexpr_function", "heuristics", "jit", "knobs", "language", "must_use_result",
    "next_power_of_2", "reinterpret", "runtime", "set_allocator", "testing", "tools",
]  # fmt: skip


class _HostFunction:
    """`cdiv` and `next_power_of_2`: called on the host, and known to the compiler by path."""

    def __init__(self, fn):
        self.fn = fn
        self.__name__ = fn.__name__
        self.__doc__ = fn.__doc__
        self.hippocamp_path = f"triton.{fn.__name__}"

    def __call__(self, *args, **kwargs):
        unwrap = lambda v: v.value if isinstance(v, language.constexpr) else v  # noqa: E731
        return self.fn(*map(unwrap, args), **{k: unwrap(v) for k, v in kwargs.items()})


@_HostFunction
def cdiv(x, y):
    """x / y, rounded up."""
    return (x + y - 1) // y


@_HostFunction
def next_power_of_2(n):
    """The smallest power of 2 that is at least n."""
    n -= 1
    for shift in (1, 2, 4, 8, 16, 32):
        n |= n >> shift
    return n + 1


def set_allocator(allocator):
    """Kernels here need no scratch memory from the host: the allocator is checked and kept."""
    if not callable(allocator):
        raise TypeError("the allocator must be callable: fn(size, alignment, stream)")
    runtime._allocator = allocator


aggregate = language.core._aggregate


def __getattr__(name):
    raise AttributeError(f"module 'triton' has no attribute '{name}'")
