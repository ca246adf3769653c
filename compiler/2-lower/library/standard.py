"""The functions of triton.language that are themselves Triton. `tl` is the language; every function
of the library can be called by name. Result dtypes are those of Triton 3.8."""


# Small helpers on compile-time values.


def _log2(n: tl.constexpr):
    # n is a power of two: 2 ** k has k + 1 binary digits.
    log: tl.constexpr = 0 if n == 1 else 1 + _log2(n // 2)
    return log


def cdiv(x, div):
    return (x + (div - 1)) // div


def zeros(shape, dtype):
    return tl.full(shape, 0, dtype)


def zeros_like(input):
    return tl.full(input.shape, 0, input.dtype)


def sigmoid(x):
    return 1 / (1 + tl.exp(-x))


def softmax(x, dim=None, keep_dims=False, ieee_rounding=False):
    axis: tl.constexpr = 0 if dim is None else dim
    shifted = x - max(x, axis, keep_dims=keep_dims)
    numerator = tl.exp(shifted)
    denominator = sum(numerator, axis, keep_dims=keep_dims)
    return tl.fdiv(numerator, denominator, ieee_rounding)


def ravel(x, can_reorder=False):
    return tl.reshape(x, [x.numel], can_reorder=can_reorder)


def squeeze(x, dim: tl.constexpr):
    axis: tl.constexpr = dim + len(x.shape) if dim < 0 else dim
    tl.static_assert(axis >= 0 and axis < len(x.shape), "squeeze of a dimension that is not there")
    tl.static_assert(x.shape[axis] == 1, "squeeze takes a dimension of size 1")
    return tl.reshape(x, x.shape[:axis] + x.shape[axis + 1 :])


def unsqueeze(x, dim: tl.constexpr):
    axis: tl.constexpr = dim + len(x.shape) + 1 if dim < 0 else dim
    tl.static_assert(axis >= 0 and axis <= len(x.shape), "unsqueeze beyond the dimensions")
    return tl.reshape(x, x.shape[:axis] + (1,) + x.shape[axis:])


def interleave(a, b):
    pairs = tl.join(a, b)
    if len(pairs.shape) == 1:
        return pairs
    else:
        return tl.reshape(pairs, pairs.shape[:-2] + [2 * pairs.shape[-2]])


def swizzle2d(i, j, size_i, size_j, size_g):
    """Walks a size_i × size_j grid column by column within groups of size_g rows."""
    linear = i * size_j + j
    group_size = size_g * size_j
    group = linear // group_size
    first_row = group * size_g
    rows = tl.minimum(size_i - first_row, size_g)
    inside = linear % group_size
    return first_row + inside % rows, inside // rows


# Reductions.


def _sum_dtype(input, dtype):
    if dtype is not None:
        return dtype
    elif input.dtype.is_int_signed() and input.dtype.int_bitwidth < 32:
        return tl.int32
    elif input.dtype.is_int_unsigned() and input.dtype.int_bitwidth < 32:
        return tl.uint32
    else:
        return input.dtype


def _add(a, b):
    return a + b


def _multiply(a, b):
    return a * b


def _xor(a, b):
    return a ^ b


def _or(a, b):
    return a | b


def _larger(a, b):
    return tl.maximum(a, b)


def _smaller(a, b):
    return tl.minimum(a, b)


def sum(input, axis=None, keep_dims=False, dtype: tl.constexpr = None):
    return tl.reduce(input.to(_sum_dtype(input, dtype)), axis, _add, keep_dims=keep_dims)


def xor_sum(input, axis=None, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "xor_sum only supported for integers")
    return tl.reduce(input, axis, _xor, keep_dims=keep_dims)


def reduce_or(input, axis, keep_dims=False):
    tl.static_assert(input.dtype.is_int(), "reduce_or only supported for integers")
    return tl.reduce(input, axis, _or, keep_dims=keep_dims)


def _at_least_32_bits(input):
    if input.dtype.primitive_bitwidth >= 32:
        return input
    elif input.dtype.is_floating():
        return input.to(tl.float32)
    else:
        return input.to(tl.int32)


def _keeps_first(better, value2):
    """NaN loses against a number, on either side, so that no order of combining decides."""
    if value2.dtype.is_floating():
        return better | (value2 != value2)
    else:
        return better


def _greater_first(value1, index1, value2, index2):
    """The greater value; of equal ones, the one that stands further left."""
    better = (value1 > value2) | ((value1 == value2) & (index1 < index2))
    first = _keeps_first(better, value2)
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


def _greater_any(value1, index1, value2, index2):
    first = _keeps_first(value1 > value2, value2)
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


def _less_first(value1, index1, value2, index2):
    better = (value1 < value2) | ((value1 == value2) & (index1 < index2))
    first = _keeps_first(better, value2)
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


def _less_any(value1, index1, value2, index2):
    first = _keeps_first(value1 < value2, value2)
    return tl.where(first, value1, value2), tl.where(first, index1, index2)


def _with_indices(input, axis, combine, keep_dims):
    dim: tl.constexpr = axis if axis >= 0 else axis + len(input.shape)
    index = tl.arange(0, input.shape[dim])
    for _ in tl.static_range(dim):
        index = tl.expand_dims(index, 0)
    for _ in tl.static_range(len(input.shape) - dim - 1):
        index = tl.expand_dims(index, -1)
    index = tl.broadcast_to(index, input.shape)
    return tl.reduce((input, index), dim, combine, keep_dims=keep_dims)


def max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    input = tl._promote_bfloat16_to_float32(input)
    if return_indices:
        if return_indices_tie_break_left:
            return _with_indices(input, axis, _greater_first, keep_dims)
        else:
            return _with_indices(input, axis, _greater_any, keep_dims)
    else:
        return tl.reduce(_at_least_32_bits(input), axis, _larger, keep_dims=keep_dims)


def min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False):
    input = tl._promote_bfloat16_to_float32(input)
    if return_indices:
        if return_indices_tie_break_left:
            return _with_indices(input, axis, _less_first, keep_dims)
        else:
            return _with_indices(input, axis, _less_any, keep_dims)
    else:
        return tl.reduce(_at_least_32_bits(input), axis, _smaller, keep_dims=keep_dims)


def argmax(input, axis, tie_break_left=True, keep_dims=False):
    _, index = max(input, axis, True, tie_break_left, keep_dims)
    return index


def argmin(input, axis, tie_break_left=True, keep_dims=False):
    _, index = min(input, axis, True, tie_break_left, keep_dims)
    return index


# Scans.


def cumsum(input, axis=0, reverse=False, dtype: tl.constexpr = None):
    input = tl._promote_bfloat16_to_float32(input)
    return tl.associative_scan(input.to(_sum_dtype(input, dtype)), axis, _add, reverse)


def cumprod(input, axis=0, reverse=False):
    return tl.associative_scan(tl._promote_bfloat16_to_float32(input), axis, _multiply, reverse)
