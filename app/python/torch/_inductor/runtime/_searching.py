"""Helpers of TorchInductor's kernels that sort and search, in Triton."""

import triton
import triton.language as tl


@triton.jit
def is_floating(x):
    return x.dtype.is_floating()


@triton.jit
def _stands_before(a, a_index, b, b_index, size, descending: tl.constexpr):
    """Whether a comes before b: of equals the one that stood first; what is padding comes last; NaN is greatest."""
    if descending:
        before = a > b
    else:
        before = a < b
    equal = a == b
    if a.dtype.is_floating():
        a_nan, b_nan = a != a, b != b
        if descending:
            before = before | (a_nan & (b_nan == 0))
        else:
            before = before | (b_nan & (a_nan == 0))
        equal = equal | (a_nan & b_nan)
    before = before | (equal & (a_index < b_index))
    if size is not None:
        a_in, b_in = a_index < size, b_index < size
        before = (before & (a_in == b_in)) | (a_in & (b_in == 0))
    return before


@triton.jit
def sort_with_index(x, idxs, rnumel, dim: tl.constexpr = None, stable: tl.constexpr = False, descending: tl.constexpr = False):  # fmt: skip
    """x along its last dimension, and where each element stood, by a bitonic network. Always stable."""
    last: tl.constexpr = len(x.shape) - 1
    tl.static_assert(dim is None or dim == last or dim == -1, "sort_with_index sorts the last dimension")
    x, idxs = tl.broadcast(x, idxs)
    size: tl.constexpr = x.shape[last]
    place = tl.reshape(tl.arange(0, size), [1] * last + [size])
    place = tl.broadcast_to(place, x.shape)
    for step in tl.static_range(1, 17):
        if (1 << step) <= size:
            for half in tl.static_range(step):
                there = place ^ (1 << (step - 1 - half))
                y, y_index = tl.gather(x, there, last), tl.gather(idxs, there, last)
                before = _stands_before(x, idxs, y, y_index, rnumel, descending)
                rises = ((place >> step) & 1) == 0
                keep = before == (rises == (place < there))
                x, idxs = tl.where(keep, x, y), tl.where(keep, idxs, y_index)
    return x, idxs


@triton.jit
def bucketize_binary_search(values, boundaries_ptr, size, numel, stride, first, dtype: tl.constexpr, right: tl.constexpr, sorter_ptr, sorter_stride, sorter_first):  # fmt: skip
    """How many boundaries lie below each value, and with `right` those equal to it."""
    low = tl.zeros(values.shape, dtype)
    high = tl.full(values.shape, size, dtype)
    left = size
    while left > 0:
        middle = (low + high) // 2
        inside = (low < high) & (middle * stride + first < numel)
        where = middle
        if sorter_ptr is not None:
            where = tl.load(sorter_ptr + sorter_first + sorter_stride * middle, mask=inside, other=0).to(dtype)
        boundary = tl.load(boundaries_ptr + first + stride * where, mask=inside, other=0)
        above = values >= boundary if right else values > boundary
        if values.dtype.is_floating():
            above = above | (values != values)
        low = tl.where(inside & above, middle + 1, low)
        high = tl.where(inside & (above == 0), middle, high)
        left = left // 2
    return low
