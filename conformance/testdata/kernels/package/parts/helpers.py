"""In a folder without `__init__.py`, and under a package that cannot be imported."""

import absent_package
import triton
import triton.language as tl
from absent_package import decorated

from .._ops import add_op_namespace_prefix

NAME = add_op_namespace_prefix("scale")


@triton.jit
def activation(x):
    return tl.maximum(x, 0.0)


@decorated
def host(x: absent_package.Tensor[int]):
    return scale[(1,)](x)


@triton.autotune(configs=[triton.Config({"BLOCK": 32})], key=[])
@triton.heuristics({"EVEN": lambda args: True})
@triton.jit
def scale(x, y, factor, ACTIVATION: tl.constexpr, DTYPE: tl.constexpr, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    i = tl.arange(0, BLOCK)
    value = tl.load(x + i).to(DTYPE) * factor
    if EVEN:
        tl.store(y + i, ACTIVATION(value))


@triton.jit
def wrong(x):
    tl.store(x + tl.arange(0, 5), 0)


@triton.jit
def unknown(x):
    tl.store(x, 0)
