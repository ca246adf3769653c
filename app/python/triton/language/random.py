"""`tl.random`."""

from ._stubs import LibraryFunction as _LibraryFunction
from ._stubs import define as _define

_define(
    globals(),
    "triton.language",
    """philox philox_impl rand rand4x randint randint4x randn randn4x uint_to_uniform_float
    pair_uniform_to_normal""",
    _LibraryFunction,
)
