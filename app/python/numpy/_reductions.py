"""Reductions, running sums, sorting and searching."""

from torch import _indexing as torch_indexing
from torch._core import compute_name, numel, run
from torch._tensor import view_of

from ._array import _converted, _dtype, asarray, axis_of, ndarray, new, result, wrap
from ._dtypes import BOOL, FLOAT64, INT64, common_dtype
from ._ufuncs import UFUNCS, broadcast_shapes, operand, wide

_NONE = object()


def _axes(axis, rank):
    if axis is None:
        return list(range(rank))
    return [axis_of(a, rank) for a in (axis if isinstance(axis, (tuple, list)) else (axis,))]


def _rows(a, axes):
    """A view with `axes` last, the kept axes, the number of rows and their width."""
    t = a._t
    keep = [i for i in range(a.ndim) if i not in axes]
    order = keep + axes
    view = view_of(t, [t._shape[i] for i in order], [t._strides[i] for i in order], t._offset)
    return view, keep, numel([t._shape[i] for i in keep]), numel([t._shape[i] for i in axes])


def _reduce(name, a, axis, keepdims, compute, final=None, extra=0.0):
    axes = _axes(axis, a.ndim)
    view, keep, rows, width = _rows(a, axes)
    shape = [1 if i in axes else a.shape[i] for i in range(a.ndim)] if keepdims else [a.shape[i] for i in keep]
    made = new(shape, final or compute)
    if made.numel():
        run("reduce", (made,), (view,), f=name, c=compute_name(compute.torch), n=(rows, width), x=(extra,))
    return made


def _finish(made, out):
    if out is None:
        return result(made)
    out[...] = wrap(made)
    return out


def _masked(a, where, fill):
    if where is True:
        return a
    return asarray(_where(where, a, fill)).astype(a.dtype, copy=False)


def sum(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = _masked(asarray(a), where, 0)
    kind = _dtype(dtype) if dtype is not None else wide(a.dtype)
    made = _reduce("sum", a, axis, keepdims, kind)
    return _finish(made, out) if initial is None else result(made) + initial


def prod(a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
    a = _masked(asarray(a), where, 1)
    kind = _dtype(dtype) if dtype is not None else wide(a.dtype)
    made = _reduce("prod", a, axis, keepdims, kind)
    return _finish(made, out) if initial is None else result(made) * initial


def _mean_dtype(a, dtype):
    return _dtype(dtype) if dtype is not None else a.dtype if a.dtype.kind == "f" else FLOAT64


def mean(a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
    a = asarray(a)
    if where is not True:
        return sum(a, axis, dtype, keepdims=keepdims, where=where) / sum(
            _where(where, 1, 0) + a * 0, axis, keepdims=keepdims
        )
    return _finish(_reduce("mean", a, axis, keepdims, _mean_dtype(a, dtype)), out)


def var(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None):
    a = asarray(a)
    extra = float(ddof if correction is None else correction)
    return _finish(_reduce("var", a, axis, keepdims, _mean_dtype(a, dtype), None, extra), out)


def std(a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, correction=None):
    a = asarray(a)
    extra = float(ddof if correction is None else correction)
    return _finish(_reduce("std", a, axis, keepdims, _mean_dtype(a, dtype), None, extra), out)


def _extreme(name):
    def function(a, axis=None, out=None, keepdims=False, initial=None, where=True):
        a = asarray(a)
        if where is not True:
            if initial is None:
                raise ValueError("reduction operation with where= needs initial=")
            a = _masked(a, where, initial)
        if not a.size and initial is None and 0 in [a.shape[x] for x in _axes(axis, a.ndim)]:
            raise ValueError(f"zero-size array to reduction operation {name[1:]}imum which has no identity")
        made = _reduce(name, a, axis, keepdims, a.dtype)
        if initial is not None:
            return UFUNCS["maximum" if name == "amax" else "minimum"](result(made), initial)
        return _finish(made, out)

    function.__name__ = name[1:]
    return function


max, min = _extreme("amax"), _extreme("amin")
amax, amin = max, min


def ptp(a, axis=None, keepdims=False):
    return max(a, axis, keepdims=keepdims) - min(a, axis, keepdims=keepdims)


def _truth(name):
    def function(a, axis=None, out=None, keepdims=False, *, where=True):
        a = _masked(asarray(a), where, name == "all")
        return _finish(_reduce(name, a.astype(BOOL, copy=False), axis, keepdims, BOOL), out)

    function.__name__ = name
    return function


any, all = _truth("any"), _truth("all")


def count_nonzero(a, axis=None, *, keepdims=False):
    return sum(asarray(a) != 0, axis, keepdims=keepdims)


def _arg(name):
    def function(a, axis=None, out=None, *, keepdims=False):
        a = asarray(a)
        if not a.size:
            raise ValueError(f"attempt to get {name} of an empty sequence")
        if axis is None:
            made = _reduce(name, a.ravel(), 0, False, a.dtype, INT64)
            return result(made.reshape([1] * a.ndim) if keepdims else made)
        return _finish(_reduce(name, a, axis, keepdims, a.dtype, INT64), out)

    function.__name__ = name
    return function


argmax, argmin = _arg("argmax"), _arg("argmin")


def _without_nan(fold, fill):
    def function(a, axis=None, **kw):
        a = asarray(a)
        if a.dtype.kind == "f":
            a = asarray(_where(UFUNCS["isnan"](a), fill, a)).astype(a.dtype, copy=False)
        return fold(a, axis, **kw)

    return function


nansum, nanprod = _without_nan(sum, 0), _without_nan(prod, 1)
nanmax, nanmin = _without_nan(max, float("-inf")), _without_nan(min, float("inf"))
nanargmax, nanargmin = _without_nan(argmax, float("-inf")), _without_nan(argmin, float("inf"))


def nanmean(a, axis=None, **kw):
    a = asarray(a)
    count = sum(UFUNCS["logical_not"](UFUNCS["isnan"](a)), axis, **kw)
    return nansum(a, axis, **kw) / count


def average(a, axis=None, weights=None):
    if weights is None:
        return mean(a, axis)
    return sum(asarray(a) * weights, axis) / sum(asarray(weights) + asarray(a) * 0, axis)


# ── running ─────────────────────────────────────────────────────────────────────────────────────


def _scan(name):
    def function(a, axis=None, dtype=None, out=None):
        a = asarray(a)
        if axis is None:
            a, axis = a.ravel(), 0
        kind = _dtype(dtype) if dtype is not None else wide(a.dtype)
        axis = axis_of(axis, a.ndim)
        view, keep, rows, width = _rows(a, [axis])
        made = new([a.shape[i] for i in keep] + [a.shape[axis]], kind)
        if made.numel():
            run("scan", (made,), (view,), f=name, c=compute_name(kind.torch), n=(rows, width))
        moved = wrap(made)
        order = list(range(a.ndim - 1))
        order.insert(axis, a.ndim - 1)
        return _finish(moved.transpose(order)._t, out)

    function.__name__ = name
    return function


cumsum, cumprod = _scan("cumsum"), _scan("cumprod")


def diff(a, n=1, axis=-1):
    a = asarray(a)
    head = (slice(None),) * axis_of(axis, a.ndim)
    for _ in range(n):
        high, low = a[(*head, slice(1, None))], a[(*head, slice(None, -1))]
        a = high ^ low if a.dtype is BOOL else high - low
    return a


# ── sorting and searching ───────────────────────────────────────────────────────────────────────


def _sorted(a, axis):
    view, keep, rows, width = _rows(a, [axis_of(axis, a.ndim)])
    shape = [a.shape[i] for i in keep] + [a.shape[axis]]
    values, places = new(shape, a.dtype), new(shape, INT64)
    if values.numel():
        run("sort", (values, places), (view,), n=(rows, width, 0))
    order = list(range(a.ndim - 1))
    order.insert(axis_of(axis, a.ndim), a.ndim - 1)
    return wrap(values).transpose(order), wrap(places).transpose(order)


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    a = asarray(a)
    return _sorted(a.ravel() if axis is None else a, 0 if axis is None else axis)[0].copy()


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    a = asarray(a)
    return _sorted(a.ravel() if axis is None else a, 0 if axis is None else axis)[1].copy()


def partition(a, kth, axis=-1):
    """Sorted, which every partition may be."""
    return sort(a, axis)


def argpartition(a, kth, axis=-1):
    return argsort(a, axis)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    if axis is not None:
        raise NotImplementedError("unique(axis=) is not available in Hippocamp's numpy")
    flat = asarray(ar).ravel()
    values, places = _sorted(flat, 0)
    from ._creation import arange, ones
    from ._shaping import append, concatenate

    first = concatenate([ones(1, BOOL)[: flat.size], values[1:] != values[:-1]])
    out = [values[first]]
    starts = arange(flat.size)[first]
    if return_index:
        out.append(places[starts])
    if return_inverse:
        inverse = new(flat.shape, INT64)
        wrap(inverse)[places] = cumsum(first) - 1
        out.append(wrap(inverse).reshape(asarray(ar).shape))
    if return_counts:
        out.append(diff(append(starts, flat.size)))
    return out[0] if len(out) == 1 else tuple(out)


def searchsorted(a, v, side="left", sorter=None):
    import bisect

    rows = asarray(a).tolist()
    find = bisect.bisect_left if side == "left" else bisect.bisect_right
    v = asarray(v)
    made = asarray([find(rows, x) for x in v.ravel().tolist()], INT64).reshape(v.shape)
    return result(made._t)


def nonzero(a):
    a = asarray(a)
    return tuple(wrap(t.contiguous()) for t in torch_indexing.nonzero(a._t, as_tuple=True))


def argwhere(a):
    return wrap(torch_indexing.nonzero(asarray(a)._t).contiguous())


def flatnonzero(a):
    return nonzero(asarray(a).ravel())[0]


def where(condition, x=_NONE, y=_NONE, /):
    if x is _NONE and y is _NONE:
        return nonzero(condition)
    if x is _NONE or y is _NONE:
        raise ValueError("either both or neither of x and y should be given")
    return _where(condition, x, y)


def _where(condition, x, y):
    from ._ufuncs import known

    c = asarray(condition)
    x, y = known(x), known(y)
    kind = common_dtype(x, y)
    shape = broadcast_shapes(c.shape, *[v.shape if isinstance(v, ndarray) else () for v in (x, y)])
    made = new(shape, kind)
    if made.numel():
        flags = operand(c.astype(BOOL, copy=False), shape, BOOL)
        run(
            "where",
            (made,),
            (flags, operand(x, shape, kind), operand(y, shape, kind)),
            c=compute_name(kind.torch),
        )
    return result(made) if shape else wrap(made)


def select(condlist, choicelist, default=0):
    out = default
    for c, x in zip(reversed(condlist), reversed(choicelist)):
        out = _where(c, x, out)
    return out


def clip(a, a_min=None, a_max=None, out=None, *, min=None, max=None, **kw):
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    a = asarray(a)
    if low is not None:
        a = UFUNCS["maximum"](a, low)
    if high is not None:
        a = UFUNCS["minimum"](a, high)
    if out is not None:
        out[...] = a
        return out
    return a if isinstance(a, ndarray) and a.ndim else result(asarray(a)._t)


def round(a, decimals=0, out=None):
    a = asarray(a)
    if decimals == 0 or a.dtype.kind != "f":
        return UFUNCS["rint"](a, out=out) if a.dtype.kind == "f" else result(a._t)
    scale = 10.0**decimals
    return UFUNCS["divide"](UFUNCS["rint"](UFUNCS["multiply"](a, scale)), scale, out=out)


around = round


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    from ._dtypes import finfo

    x = asarray(x)
    if x.dtype.kind != "f":
        return x.copy()
    top = float(finfo(x.dtype).max)
    x = _where(UFUNCS["isnan"](x), nan, x)
    x = _where(UFUNCS["equal"](x, float("inf")), top if posinf is None else posinf, x)
    return _where(UFUNCS["equal"](x, float("-inf")), -top if neginf is None else neginf, x)


def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    a, b = asarray(a), asarray(b)
    kind = FLOAT64
    x, y = a.astype(kind), b.astype(kind)
    near = UFUNCS["less_equal"](abs(x - y), abs(y) * rtol + atol)
    near = UFUNCS["logical_and"](near, UFUNCS["isfinite"](y))
    near = UFUNCS["logical_or"](near, UFUNCS["equal"](x, y))
    if equal_nan:
        near = UFUNCS["logical_or"](near, UFUNCS["logical_and"](UFUNCS["isnan"](x), UFUNCS["isnan"](y)))
    return near


def allclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    return bool(all(isclose(a, b, rtol, atol, equal_nan)))


def array_equal(a1, a2, equal_nan=False):
    a, b = asarray(a1), asarray(a2)
    if a.shape != b.shape:
        return False
    same = UFUNCS["equal"](a, b)
    if equal_nan and a.dtype.kind == b.dtype.kind == "f":
        same = UFUNCS["logical_or"](same, UFUNCS["logical_and"](UFUNCS["isnan"](a), UFUNCS["isnan"](b)))
    return bool(all(same))


def median(a, axis=None, keepdims=False):
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    rows = sort(a, axis)
    n = rows.shape[axis]
    head = (slice(None),) * axis_of(axis, a.ndim)
    return mean(rows[(*head, slice((n - 1) // 2, n // 2 + 1))], axis, keepdims=keepdims)


def percentile(a, q, axis=None, method="linear"):
    return quantile(a, asarray(q) / 100.0, axis, method)


def quantile(a, q, axis=None, method="linear"):
    if method != "linear":
        raise NotImplementedError(f"quantile(method={method!r}) is not available in Hippocamp's numpy")
    a = asarray(a)
    if axis is None:
        a, axis = a.ravel(), 0
    rows = sort(a.astype(FLOAT64), axis)
    n = rows.shape[axis]
    head = (slice(None),) * axis_of(axis, a.ndim)
    out = []
    qs = asarray(q, FLOAT64)
    for each in qs.ravel().tolist():
        at = each * (n - 1)
        low = int(at)
        a0, a1 = rows[(*head, low)], rows[(*head, low + 1 if low + 1 < n else low)]
        out.append(a0 + (a1 - a0) * (at - low))
    return out[0] if not qs.ndim else asarray([asarray(o) for o in out])


def bincount(x, weights=None, minlength=0):
    x = asarray(x)
    n = int(max(x)) + 1 if x.size else 0
    out = new((n if n > minlength else minlength,), INT64 if weights is None else FLOAT64)
    from ._creation import ones

    values = ones(x.shape, INT64) if weights is None else asarray(weights, FLOAT64)
    torch_indexing.index_put_(out, [_converted(x._t, INT64.torch, copy=False)], values._t, True)
    return wrap(out)


def histogram(a, bins=10, range=None, density=None, weights=None):
    from ._creation import linspace

    a = asarray(a).ravel()
    values = a.astype(FLOAT64)
    if isinstance(bins, int):
        low, high = (float(min(values)), float(max(values))) if range is None else map(float, range)
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = linspace(low, high, bins + 1)
    else:
        edges = asarray(bins)
    inside = (values >= edges[0]) & (values <= edges[-1])
    kept = values[inside]
    place = clip(searchsorted(edges, kept, "right") - 1, 0, len(edges) - 2)
    counts = bincount(place, None if weights is None else asarray(weights)[inside], len(edges) - 1)
    if density:
        return counts / (diff(edges) * sum(counts)), edges
    return counts, edges


def isin(element, test_elements):
    values = asarray(test_elements).ravel().tolist()
    a = asarray(element)
    found = set(values)
    return asarray([v in found for v in a.ravel().tolist()], BOOL).reshape(a.shape)


def trace(a, offset=0):
    return sum(asarray(a).diagonal(offset), -1)


__all__ = [
    "all", "allclose", "amax", "amin", "any", "argmax", "argmin", "argpartition", "argsort", "argwhere",
    "around", "array_equal", "average", "bincount", "clip", "count_nonzero", "cumprod", "cumsum", "diff",
    "flatnonzero", "histogram", "isclose", "isin", "max", "mean", "median", "min", "nan_to_num",
    "nanargmax", "nanargmin", "nanmax", "nanmean", "nanmin", "nanprod", "nansum", "nonzero", "partition",
    "percentile", "prod", "ptp", "quantile", "round", "searchsorted", "select", "sort", "std", "sum",
    "trace", "unique", "var", "where",
]  # fmt: skip
