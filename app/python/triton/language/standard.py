"""The library functions that Triton writes in Triton."""

from ._stubs import LibraryFunction as _LibraryFunction
from ._stubs import define as _define

_define(
    globals(),
    "triton.language",
    """argmax argmin bitonic_merge cdiv cumprod cumsum flip interleave max min ravel reduce_or sigmoid
    softmax sort squeeze sum swizzle2d topk unsqueeze xor_sum zeros zeros_like""",
    _LibraryFunction,
)


def __getattr__(name):
    if name != "_log2":
        raise AttributeError(f"module 'triton.language.standard' has no attribute '{name}'")
    from ..runtime.jit import constexpr_function

    @constexpr_function
    def _log2(i):
        """Of a power of 2."""
        return i.bit_length() - 1

    globals()["_log2"] = _log2
    return _log2
