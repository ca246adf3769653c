"""Helpers that kernels written by TorchInductor call, in Triton."""

import triton
import triton.language as tl
from triton.language.extra import libdevice  # noqa: F401

math = tl.math


@triton.jit
def promote_to_tensor(x):
    return x + tl.zeros((1,), tl.int1)


@triton.jit
def div_floor_integer(a, b):
    """Rounds down, as Python does; Triton's // rounds to zero."""
    quotient = a // b
    remainder = a % b
    fixed = tl.where(remainder != 0, quotient - 1, quotient)
    return tl.where((a < 0) != (b < 0), fixed, quotient)


@triton.jit
def remainder_integer(a, b):
    remainder = a % b
    return tl.where((remainder != 0) & ((a < 0) != (b < 0)), remainder + b, remainder)


@triton.jit
def maximum(a, b):
    return tl.maximum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def minimum(a, b):
    return tl.minimum(a, b, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def max2(a, dim):
    return tl.reduce(a, dim, maximum)


@triton.jit
def min2(a, dim):
    return tl.reduce(a, dim, minimum)


@triton.jit
def any_combine(a, b):
    return a | b


@triton.jit
def any(a, dim):
    return tl.reduce(a, dim, any_combine)


@triton.jit
def welford_reduce(value, mean, m2, weight, first_iteration):
    """One value more in each running mean and sum of squares."""
    if first_iteration:
        new_weight = tl.full(weight.shape, 1, weight.dtype)
        new_mean = value
        new_m2 = tl.zeros_like(m2)
    else:
        delta = value - mean
        new_weight = weight + 1
        new_mean = mean + delta / new_weight
        new_m2 = m2 + delta * (value - new_mean)
    return new_mean, new_m2, new_weight


@triton.jit
def welford_combine(mean_1, m2_1, weight_1, mean_2, m2_2, weight_2):
    delta = mean_2 - mean_1
    weight = weight_1 + weight_2
    share = tl.where(weight == 0.0, 0.0, weight_2 / weight)
    return mean_1 + delta * share, m2_1 + m2_2 + delta * delta * weight_1 * share, weight


@triton.jit
def welford(mean, m2, weight, dim):
    return tl.reduce((mean, m2, weight), dim, welford_combine)


@triton.jit
def _prod_accumulate(a, b):
    return a * b


@triton.jit
def prod(input, axis):
    return tl.reduce(input, axis, _prod_accumulate)


@triton.jit
def _better(mask, a_value, a_index, b_value, b_index):
    """a where `mask` holds or it alone is NaN; of equals, NaN among them, the one that stands first; else b."""
    equal = a_value == b_value
    if a_value.dtype.is_floating():
        a_nan, b_nan = a_value != a_value, b_value != b_value
        mask = mask | (a_nan & (b_nan == 0))
        equal = equal | (a_nan & b_nan)
    mask = mask | (equal & (a_index < b_index))
    return tl.where(mask, a_value, b_value), tl.where(mask, a_index, b_index)


@triton.jit
def maximum_with_index(a_value, a_index, b_value, b_index):
    """The greater, NaN the greatest; of equals the one that stands first."""
    return _better(a_value > b_value, a_value, a_index, b_value, b_index)


@triton.jit
def minimum_with_index(a_value, a_index, b_value, b_index):
    """The lesser, NaN the least; of equals the one that stands first."""
    return _better(a_value < b_value, a_value, a_index, b_value, b_index)


@triton.jit
def max_with_index(value, index, dim):
    return tl.reduce((value, index), dim, maximum_with_index)


@triton.jit
def min_with_index(value, index, dim):
    return tl.reduce((value, index), dim, minimum_with_index)


@triton.jit
def select_one(x, mask, dim, keep_dims=False):
    """The one element along `dim` where `mask` holds, whatever its bits are."""
    bits: tl.constexpr = tl.core.get_int_dtype(x.dtype.primitive_bitwidth, signed=False)
    kept = tl.where(mask, x.to(bits, bitcast=True), 0)
    return tl.sum(kept, dim, keep_dims).to(bits).to(x.dtype, bitcast=True)


@triton.jit
def randint64(seed, offset, low, high):
    r0, r1, _, _ = tl.randint4x(seed, offset)
    drawn = r0.to(tl.uint64) | (r1.to(tl.uint64) << 32)
    size = high - low
    return (drawn % size.to(tl.uint64)).to(tl.int64) + low


@triton.jit
def device_assert_then(cond, msg, r):
    tl.device_assert(cond, msg)
    return r


def set_driver_to_gpu():
    """There is one driver."""


def set_driver_to_cpu():
    raise RuntimeError("Triton's CPU backend is not available: kernels run on the GPU")
