"""Sorting networks (Batcher's bitonic sort) on the last dimension, and reversal. A tile of 2 ** n
elements in a row is viewed as a hypercube of n dimensions of size 2."""


def _swap_dtype(x):
    return tl.get_int_dtype(x.dtype.primitive_bitwidth, True)


def _partner(x, dim: tl.constexpr):
    """Each element's neighbour along a dimension of size 2: the xor of both, without itself."""
    bits = x.to(_swap_dtype(x), bitcast=True)
    other = bits ^ xor_sum(bits, dim, True)
    return other.to(x.dtype, bitcast=True)


def _position(rank: tl.constexpr, dim: tl.constexpr):
    """0 and 1 along `dim`, shaped to broadcast over a hypercube."""
    return tl.reshape(tl.arange(0, 2), [1] * dim + [2] + [1] * (rank - dim - 1))


def _compare_exchange(x, descending, dim: tl.constexpr):
    other = _partner(x, dim)
    upper = _position(len(x.shape), dim)
    return tl.where((x > other) != (descending ^ upper), other, x)


def _merge(x, stage: tl.constexpr, order: tl.constexpr):
    """Sorts bitonic runs of 2 ** stage elements; order 0 up, 1 down, 2 up and down in turn."""
    rank: tl.constexpr = len(x.shape)
    if order == 2:
        descending = _position(rank, rank - 1 - stage)
    else:
        descending = order
    for i in tl.static_range(stage):
        x = _compare_exchange(x, descending, rank - stage + i)
    return x


def _sort_impl(x, k: tl.constexpr, dim: tl.constexpr, descending: tl.constexpr):
    last: tl.constexpr = len(x.shape) - 1
    tl.static_assert(dim is None or dim == last or dim == -1, "only the last dimension can be sorted")
    steps: tl.constexpr = _log2(x.shape[last])
    kept: tl.constexpr = steps if k is None else _log2(k)
    rank: tl.constexpr = _log2(x.numel)
    order: tl.constexpr = 1 if descending else 0
    cube = tl.reshape(x, [2] * rank if rank > 0 else [1])
    for stage in tl.static_range(1, kept + 1):
        cube = _merge(cube, stage, 2 if stage < steps else order)
    # Of two neighbouring sorted runs only the better half can be in the result.
    for stage in tl.static_range(kept + 1, steps + 1):
        cube = _better_half(cube, len(cube.shape) - 1 - kept, order)
        cube = _merge(cube, kept, 2 if stage < steps else order)
    return tl.reshape(cube, x.shape[:-1] + [2**kept])


def _better_half(cube, axis: tl.constexpr, order: tl.constexpr):
    if order == 1:
        return max(cube, axis)
    else:
        return min(cube, axis)


def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    return _sort_impl(x, None, dim, descending)


def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True):
    return _sort_impl(x, k, dim, descending)


def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    last: tl.constexpr = len(x.shape) - 1
    tl.static_assert(dim is None or dim == last or dim == -1, "only the last dimension can be merged")
    cube = tl.reshape(x, [2] * _log2(x.numel))
    cube = _merge(cube, _log2(x.shape[last]), 1 if descending else 0)
    return tl.reshape(cube, x.shape)


def flip(x, dim=None):
    axis: tl.constexpr = len(x.shape) - 1 if dim is None else (dim + len(x.shape) if dim < 0 else dim)
    steps: tl.constexpr = _log2(x.shape[axis])
    cube = tl.reshape(x, x.shape[:axis] + [2] * steps + x.shape[axis + 1 :])
    for i in tl.static_range(steps):
        cube = _partner(cube, axis + i)
    return tl.reshape(cube, x.shape)
