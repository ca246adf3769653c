"""Sorting on the last dimension by Batcher's bitonic network, and reversal."""


def _last_dim(x, dim: tl.constexpr):
    last: tl.constexpr = len(x.shape) - 1
    tl.static_assert(
        dim is None or dim == last or dim == -1, "only minor dimension is currently supported"
    )


def sort(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    _last_dim(x, dim)
    return tl._network(x, 1, _log2(x.shape[-1]), descending)


def topk(x, k: tl.constexpr, dim: tl.constexpr = None, descending: tl.constexpr = True):
    _last_dim(x, dim)
    tl.static_assert(k <= x.shape[-1], "topk of more elements than there are")
    if k == x.shape[-1]:
        return tl._network(x, 1, _log2(k), descending)
    else:
        # Halves are chosen with max and min, which give 32 bits.
        wide = _at_least_32_bits(tl._promote_bfloat16_to_float32(x))
        return tl._network(wide, 1, _log2(k), descending)


def bitonic_merge(x, dim: tl.constexpr = None, descending: tl.constexpr = False):
    _last_dim(x, dim)
    steps: tl.constexpr = _log2(x.shape[-1])
    return tl._network(x, steps, steps, descending) if steps > 0 else x


def flip(x, dim=None):
    axis: tl.constexpr = len(x.shape) - 1 if dim is None else (dim + len(x.shape) if dim < 0 else dim)
    last: tl.constexpr = x.shape[axis] - 1
    index = last - tl.arange(0, x.shape[axis])
    index = tl.reshape(index, [1] * axis + [last + 1] + [1] * (len(x.shape) - axis - 1))
    return tl.gather(x, tl.broadcast_to(index, x.shape), axis)
