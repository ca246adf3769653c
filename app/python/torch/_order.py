"""Functions of the order of elements: sorting, the largest k, medians, quantiles, distinct values."""

import builtins

from . import _core as core
from . import _ops as ops
from . import _views as views
from ._autograd import needs, record
from ._core import axis_of, run
from ._create import tensor
from ._indexing import gather, index_select
from ._join import stack
from ._reductions import any, argmax, index_gradient, rows_of, spread, sum
from ._return_types import kthvalue_type, median_type, sort_type, topk_type
from ._tensor import empty, empty_strided


def sort(input, dim=-1, descending=False, stable=False):
    rank = len(input._shape)
    axis = axis_of(dim, rank)
    strides = views.result_strides(input._shape, input)
    values = empty_strided(input._shape, strides, input.dtype, input.device)
    indices = empty_strided(input._shape, strides, core.int64, input.device)
    if input.numel():
        if rank:
            source, rows, width = rows_of(input, [axis])
            windows = (rows_of(values, [axis])[0], rows_of(indices, [axis])[0])
        else:
            source, windows, rows, width = input, (values, indices), 1, 1
        run("sort", windows, (source,), n=(rows, width, 1 if descending else 0))
    if needs(input):
        record(
            values,
            "SortBackward0",
            [input],
            lambda g: index_gradient(g, input, axis, True, indices),
        )
    return sort_type((values, indices))


def msort(input):
    return sort(input, 0)[0]


def argsort(input, dim=-1, descending=False, stable=False):
    return sort(input, dim, descending)[1]


def topk(input, k, dim=-1, largest=True, sorted=True):
    axis = axis_of(dim, len(input._shape))
    if input._shape and k > input._shape[axis]:
        raise RuntimeError("selected index k out of range")
    if 0 < k <= _INSERTED and input.numel():
        return _first(input, k, axis, largest)
    values, indices = sort(input, axis, largest)
    if not input._shape:
        return topk_type((values, indices))
    return topk_type(
        (
            views.contiguous(views.narrow(values, axis, 0, k)),
            views.contiguous(views.narrow(indices, axis, 0, k)),
        )
    )


#: The most elements that insertion finds faster than a sort.
_INSERTED = 32


def _first(input, k, axis, largest):
    shape = list(input._shape)
    if shape:
        shape[axis] = k
    values = empty(shape, input.dtype, input.device)
    indices = empty(shape, core.int64, input.device)
    if shape:
        source, rows, width = rows_of(input, [axis])
        windows = (rows_of(values, [axis])[0], rows_of(indices, [axis])[0])
    else:
        source, windows, rows, width = input, (values, indices), 1, 1
    run("topk", windows, (source,), n=(rows, width, k, 1 if largest else 0))
    if needs(input):
        record(
            values, "TopkBackward0", [input], lambda g: index_gradient(g, input, axis, True, indices)
        )
    return topk_type((values, indices))


def kthvalue(input, k, dim=-1, keepdim=False):
    values, indices = sort(input, dim)
    axis = axis_of(dim, len(input._shape))
    pick = lambda t: views.narrow(t, axis, k - 1, 1) if keepdim else views.select(t, axis, k - 1)  # noqa: E731
    return kthvalue_type((views.contiguous(pick(values)), views.contiguous(pick(indices))))


def median(input, dim=None, keepdim=False):
    if dim is None:
        flat = views.reshape(input, -1)
        if bool(any(ops.isnan(flat))):
            return views.select(flat, 0, int(argmax(ops.isnan(flat).to(core.int32))))
        values = sort(flat)[0]
        return views.clone(views.select(values, 0, (flat.numel() - 1) // 2))
    axis = axis_of(dim, len(input._shape))
    return median_type(kthvalue(input, (input._shape[axis] + 1) // 2, dim, keepdim))


def nanmedian(input, dim=None, keepdim=False):
    if dim is None:
        flat = views.reshape(input, -1)
        return median(flat[ops.logical_not(ops.isnan(flat))])
    # NaN sorts last, so the middle of the numbers is at half their count.
    axis = axis_of(dim, len(input._shape))
    values, indices = sort(input, axis)
    count = sum(ops.logical_not(ops.isnan(input)), axis, True)
    place = ops.clamp(ops.floor_divide(ops.sub(count, 1), 2), min=0)
    pair = gather(values, axis, place), gather(indices, axis, place)
    return median_type(pair if keepdim else [views.squeeze(t, axis) for t in pair])


def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    q = q if isinstance(q, ops.Tensor) else tensor(q, dtype=input.dtype, device=input.device)
    flat = views.reshape(input, -1) if dim is None else views.movedim(input, dim, -1)
    ordered = sort(flat)[0]
    n = ordered._shape[-1]
    out = []
    for value in q.reshape(-1).tolist():
        point = value * (n - 1)
        low = int(point // 1)
        high = low + 1 if low + 1 < n else low
        a, b = views.select(ordered, -1, low), views.select(ordered, -1, high)
        if interpolation == "lower":
            out.append(a)
        elif interpolation == "higher":
            out.append(b if point > low else a)
        elif interpolation == "nearest":
            out.append(views.select(ordered, -1, round(point)))
        elif interpolation == "midpoint":
            out.append(ops.div(ops.add(a, b), 2) if point > low else a)
        else:
            out.append(ops.lerp(a, b, point - low))
    if keepdim:
        out = [spread(t, input, dim, False) for t in out]
    if not q._shape:
        return out[0]
    return stack(out)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    if dim is not None:
        return _unique_slices(input, axis_of(dim, len(input._shape)), return_inverse, return_counts)
    values = input.reshape(-1).tolist()
    found = {}
    for v in values:
        found[v] = found.get(v, 0) + 1
    order = builtins.sorted(found)
    make = lambda x, d: tensor(x, dtype=d, device=input.device)  # noqa: E731
    out = [make(order, input.dtype)]
    if return_inverse:
        place = {v: i for i, v in enumerate(order)}
        out.append(make([place[v] for v in values], core.int64).reshape(input._shape))
    if return_counts:
        out.append(make([found[v] for v in order], core.int64))
    return out[0] if len(out) == 1 else tuple(out)


def _unique_slices(input, axis, return_inverse, return_counts):
    n = input._shape[axis]
    rows = [tuple(row) for row in views.reshape(views.movedim(input, axis, 0), n, -1).tolist()]
    first, counts = {}, {}
    for i, row in enumerate(rows):
        first.setdefault(row, i)
        counts[row] = counts.get(row, 0) + 1
    order = builtins.sorted(first)
    whole = lambda x: tensor(x, dtype=core.int64, device=input.device)  # noqa: E731
    out = [index_select(input, axis, whole([first[row] for row in order]))]
    if return_inverse:
        place = {row: i for i, row in enumerate(order)}
        out.append(whole([place[row] for row in rows]))
    if return_counts:
        out.append(whole([counts[row] for row in order]))
    return out[0] if len(out) == 1 else tuple(out)
