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
