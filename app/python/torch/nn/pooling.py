"""Pooling over windows of one to three dimensions, and to a given size."""

from .. import _core as core
from .. import _ops as ops
from .. import _reductions as reductions
from .. import _views as views
from .windows import many, pad, windows


def _sizes(x, kernel, stride, padding, dilation, ceil_mode):
    """How many windows there are along each dimension, and how far they reach beyond the padding."""
    counts, beyond = [], []
    for s, k, t, p, d in zip(x._shape[2:], kernel, stride, padding, dilation):
        reach = d * (k - 1) + 1
        if p > reach // 2:
            raise RuntimeError(
                f"pad should be at most half of effective kernel size, but got pad={p}, kernel_size={k} and dilation={d}"
            )
        n = (s + 2 * p - reach + (t - 1 if ceil_mode else 0)) // t + 1
        # A window that would start in the padding at the end is left out.
        if ceil_mode and (n - 1) * t >= s + p:
            n -= 1
        counts.append(n)
        beyond.append(max(0, (n - 1) * t + reach - s - 2 * p))
    return counts, beyond


def _pooled(rank, input, kernel_size, stride, padding, dilation, ceil_mode, fill, fold):
    """`fold` gets [n, c, *windows, kernel] and (counts, kernel, stride, padding, dilation, sizes)."""
    batched = len(input._shape) == rank + 2
    x = input if batched else views.unsqueeze(input, 0)
    kernel, dilation, padding = many(kernel_size, rank), many(dilation, rank), many(padding, rank)
    stride = kernel if stride is None or stride == () else many(stride, rank)
    counts, beyond = _sizes(x, kernel, stride, padding, dilation, ceil_mode)
    sizes = x._shape[2:]
    if any(padding) or any(beyond):
        x = pad(x, [n for p, b in reversed(list(zip(padding, beyond))) for n in (p, p + b)], value=fill)
    spread, out = windows(x, kernel, stride, dilation)
    spread = views.reshape(spread, *x._shape[:2], *out, core.numel(kernel))
    for i, count in enumerate(counts):
        spread = views.narrow(spread, 2 + i, 0, count)
    result = fold(spread, (counts, kernel, stride, padding, dilation, sizes))
    if batched:
        return result
    if isinstance(result, tuple):
        return tuple(views.squeeze(t, 0) for t in result)
    return views.squeeze(result, 0)


def _places(chosen, geometry):
    """Which element of the input's dimensions, counted together, each window's maximum is."""
    from .._patterns import arange

    counts, kernel, stride, padding, dilation, sizes = geometry
    rank, rest, total = len(kernel), chosen, None
    inner = 1
    for i in reversed(range(rank)):
        step = rest % kernel[i]
        rest = rest // kernel[i]
        shape = [1] * (2 + rank)
        shape[2 + i] = counts[i]
        first = views.reshape(arange(counts[i], device=chosen.device) * stride[i] - padding[i], *shape)
        term = (first + step * dilation[i]) * inner
        total = term if total is None else total + term
        inner *= sizes[i]
    return total


def _max_pool(rank):
    def function(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
        def fold(spread, geometry):
            values, chosen = reductions.max(spread, -1)
            return (values, _places(chosen, geometry)) if return_indices else values

        return _pooled(rank, input, kernel_size, stride, padding, dilation, ceil_mode, float("-inf"), fold)

    return function


def _shares(geometry, count_include_pad):
    """How many elements each window averages: along each dimension, then multiplied."""
    from .._create import tensor

    counts, kernel, stride, padding, _, sizes = geometry
    product = None
    for i, (n, k, t, p, s) in enumerate(zip(counts, kernel, stride, padding, sizes)):
        each = []
        for w in range(n):
            start = w * t - p
            end = min(start + k, s + p)
            each.append(end - start if count_include_pad else min(end, s) - max(start, 0))
        shape = [1] * (2 + len(kernel))
        shape[2 + i] = n
        part = views.reshape(tensor([float(e) for e in each]), *shape)
        product = part if product is None else ops.mul(product, part)
    return product


def _avg_pool(rank):
    def function(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):  # fmt: skip
        def fold(spread, geometry):
            if divisor_override is not None:
                return ops.div(reductions.sum(spread, -1), divisor_override)
            if not ceil_mode and (count_include_pad or not any(geometry[3])):
                return reductions.mean(spread, -1)
            shares = _shares(geometry, count_include_pad).to(spread.device, spread.dtype)
            return ops.div(reductions.sum(spread, -1), shares)

        return _pooled(rank, input, kernel_size, stride, padding, 1, ceil_mode, 0.0, fold)

    return function


max_pool1d, max_pool2d, max_pool3d = (_max_pool(rank) for rank in (1, 2, 3))
avg_pool1d, avg_pool2d, avg_pool3d = (_avg_pool(rank) for rank in (1, 2, 3))


# ── to a given size ─────────────────────────────────────────────────────────────────────────────


def along(x, dim, matrix):
    """Every line of `x` along `dim`, multiplied with `matrix` [size, new size]."""
    last = views.movedim(x, dim, -1)
    return views.movedim(ops.matmul(last, matrix.to(x.device, x.dtype)), -1, dim)


def _targets(input, output_size, rank):
    sizes = input._shape[-rank:]
    wanted = (output_size,) * rank if isinstance(output_size, int) or output_size is None else output_size
    return [s if w is None else w for s, w in zip(sizes, wanted)]


def _span(i, size, target):
    return i * size // target, -(-(i + 1) * size // target)


def _adaptive_avg(rank):
    def function(input, output_size):
        from .._create import tensor

        out = input
        for i, target in enumerate(_targets(input, output_size, rank)):
            dim = len(input._shape) - rank + i
            size = input._shape[dim]
            spans = [_span(j, size, target) for j in range(target)]
            rows = [[1 / (b - a) if a <= k < b else 0.0 for a, b in spans] for k in range(size)]
            out = along(out, dim, tensor(rows))
        return out

    return function


def _adaptive_max(rank):
    def function(input, output_size, return_indices=False):
        from .._create import tensor
        from .._indexing import index_select

        if return_indices:
            raise NotImplementedError(
                f"adaptive_max_pool{rank}d(return_indices=True) is not available in Hippocamp's torch"
            )
        out = input
        for i, target in enumerate(_targets(input, output_size, rank)):
            dim = len(input._shape) - rank + i
            spans = [_span(j, input._shape[dim], target) for j in range(target)]
            width = max(b - a for a, b in spans)
            # Spans differ by an element: the shorter ones repeat their last.
            places = [min(a + k, b - 1) for a, b in spans for k in range(width)]
            index = tensor(places, dtype=core.int64, device=input.device)
            out = views.unflatten(index_select(out, dim, index), dim, (target, width))
            out = reductions.max(out, dim + 1)[0]
        return out

    return function


adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d = map(_adaptive_avg, (1, 2, 3))
adaptive_max_pool1d, adaptive_max_pool2d, adaptive_max_pool3d = map(_adaptive_max, (1, 2, 3))

__all__ = [name for name in globals() if "_pool" in name and not name.startswith("_")]
