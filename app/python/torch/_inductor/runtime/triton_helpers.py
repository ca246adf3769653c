"""Helpers that kernels written by TorchInductor call, in Triton."""

import triton
import triton.language as tl
from triton.language.extra import libdevice  # noqa: F401

from ._searching import bucketize_binary_search, is_floating, sort_with_index  # noqa: F401

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
def exp(x, use_fast_math: tl.constexpr):
    return tl.exp(x)


@triton.jit
def _exp_below(x, greatest):
    """exp(x - greatest), 1 where both are -inf."""
    return tl.where(greatest == float("-inf"), 1.0, tl.exp(x - greatest))


@triton.jit
def online_softmax_combine_with_sum(max_1, sum_1, max_2, sum_2, use_fast_math: tl.constexpr):
    greatest = maximum(max_1, max_2)
    return greatest, sum_1 * _exp_below(max_1, greatest) + sum_2 * _exp_below(max_2, greatest)


@triton.jit
def online_softmax_combine(running_max, running_sum, value, use_fast_math: tl.constexpr):
    """One value more in each running maximum and sum of exponentials."""
    return online_softmax_combine_with_sum(running_max, running_sum, value, 1.0, use_fast_math)


@triton.jit
def online_softmax_reduce(running_max, running_sum, dim, use_fast_math: tl.constexpr):
    greatest = max2(running_max, dim)
    scale = _exp_below(running_max, tl.expand_dims(greatest, dim))
    return greatest, tl.sum(running_sum * scale, dim)


@triton.jit
def frexp(x):
    """The mantissa in [0.5, 1) and the exponent; 0, NaN and infinities as they are, with exponent 0."""
    usual = (x == x) & (tl.abs(x) != float("inf")) & (x != 0)
    exponent = tl.where(usual, libdevice.ilogb(tl.where(usual, x, 1.0)) + 1, 0)
    return tl.where(usual, libdevice.ldexp(x, -exponent), x), exponent


@triton.jit
def pow_integer(base, exponent):
    """base ** exponent, of exponents from 0 on, by squaring."""
    result, left = tl.broadcast(tl.full([1], 1, base.dtype), exponent)
    result, square = tl.broadcast(result, base)
    left = left + tl.zeros_like(result).to(left.dtype)
    for _ in range(left.dtype.primitive_bitwidth):
        result = tl.where((left & 1) == 1, result * square, result)
        square = square * square
        left = left >> 1
    return result


@triton.jit
def fp8e4m3fn_to_float32(x):
    return x.to(tl.float8e4nv, bitcast=True).to(tl.float32)


@triton.jit
def exclusive_scan_decoupled_lookback(scratch_base, block_value, index, combine_fn, DTYPE_VALUE_AS_UINT: tl.constexpr, DTYPE_PACK: tl.constexpr):  # fmt: skip
    """What all blocks before this one come to: each leaves its total, with a flag, and the next waits for it."""
    bits: tl.constexpr = DTYPE_VALUE_AS_UINT.primitive_bitwidth
    before, total = block_value, block_value
    if index > 0:
        word = tl.atomic_add(scratch_base + (index - 1), 0)
        while word == 0:
            word = tl.atomic_add(scratch_base + (index - 1), 0)
        before = (word >> bits).to(DTYPE_VALUE_AS_UINT).to(block_value.dtype, bitcast=True)
        total = combine_fn(before, block_value)
    word = total.to(DTYPE_VALUE_AS_UINT, bitcast=True).to(DTYPE_PACK) << bits
    tl.atomic_xchg(scratch_base + index, word | 1)
    return before


@triton.jit
def exclusive_scan_decoupled_lookback_64(scratch_base, block_value, index, combine_fn):
    """The same of 64 bits: a block has three words, the flag first and the total last."""
    before, total = block_value, block_value
    if index > 0:
        earlier = scratch_base + 3 * (index - 1)
        while tl.atomic_add(earlier, 0) == 0:
            pass
        before = tl.load(earlier + 2).to(block_value.dtype, bitcast=True)
        total = combine_fn(before, block_value)
    tl.store(scratch_base + 3 * index + 2, total.to(tl.uint64, bitcast=True))
    tl.debug_barrier()
    tl.atomic_xchg(scratch_base + 3 * index, tl.full([], 1, tl.uint64))
    return before


@triton.jit
def x_grid_barrier(sem):
    """`cooperative_reduction` launches one program along x, so there is nobody to wait for."""
    tl.debug_barrier()


@triton.constexpr_function
def constexpr_next_power_of_2(n):
    return triton.next_power_of_2(n)


@triton.jit
def if_mask(mask, val):
    """`val`, or None where there is no mask: a load takes no `other` then."""
    return None if mask is None else val


@triton.jit
def _one_seed(seed, offsets):
    return tl.max(seed + tl.zeros(offsets.shape, tl.int64), 0)


@triton.jit
def _in_turn(r0, r1, r2, r3):
    return tl.interleave(tl.interleave(r0, r2), tl.interleave(r1, r3))


@triton.jit
def rand4x(seed, offsets, BLOCK: tl.constexpr):
    """Random numbers in [0, 1) at consecutive offsets, four of each block of the generator."""
    offsets = offsets.to(tl.uint32)
    seed = _one_seed(seed, offsets)
    if BLOCK % 4 == 0:
        r0, r1, r2, r3 = tl.rand4x(seed, tl.min(offsets, 0) // 4 + tl.arange(0, BLOCK // 4))
        return _in_turn(r0, r1, r2, r3)
    else:
        return tl.rand(seed, offsets)


@triton.jit
def randn4x(seed, offsets, BLOCK: tl.constexpr):
    """Normal random numbers, as `rand4x`."""
    offsets = offsets.to(tl.uint32)
    seed = _one_seed(seed, offsets)
    if BLOCK % 4 == 0:
        r0, r1, r2, r3 = tl.randn4x(seed, tl.min(offsets, 0) // 4 + tl.arange(0, BLOCK // 4))
        return _in_turn(r0, r1, r2, r3)
    else:
        return tl.randn(seed, offsets)


@triton.jit
def rand_eager_kernel(seed, offset_blocks, tid, VEC: tl.constexpr):
    """Random numbers in (0, 1] as PyTorch's own CUDA kernel draws them: a thread has VEC in a row, four of each
    block of the generator."""
    place = tid.to(tl.uint64)
    thread, lane = place // VEC, place % 4
    block = offset_blocks.to(tl.uint64) + (place % VEC) // 4
    a, b, c, d = tl.philox(
        seed,
        block.to(tl.uint32),
        (block >> 32).to(tl.uint32),
        thread.to(tl.uint32),
        (thread >> 32).to(tl.uint32),
    )
    drawn = tl.where(lane < 2, tl.where(lane == 0, a, b), tl.where(lane == 2, c, d))
    return 1.0 - (drawn.to(tl.float32) * (1.0 / 4294967296.0) + 0.5 / 4294967296.0)


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
