"""Reductions, scans, softmax and sorting. Reduced dimensions are moved to the end, so that app/numerics
sees rows.
"""

import sys

from . import _core as core
from . import _ops as ops
from . import _views as views
from ._autograd import needs, record
from ._core import axis_of, compute_name, numel, run
from ._complex import _into
from ._tensor import empty, view_of, write


class _Named(tuple):
    """`torch.return_types`: a named pair."""

    _fields = ()

    def __new__(cls, items):
        return tuple.__new__(cls, items)

    def __repr__(self):
        parts = ",\n".join(f"{f}={v!r}" for f, v in zip(self._fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{parts})"


def _named(name, *fields):
    body = {"_fields": fields, "__slots__": ()}
    for i, field in enumerate(fields):
        body[field] = property(lambda self, i=i: tuple.__getitem__(self, i))
    return type(name, (_Named,), body)


max_type = _named("max", "values", "indices")
min_type = _named("min", "values", "indices")
sort_type = _named("sort", "values", "indices")
topk_type = _named("topk", "values", "indices")
median_type = _named("median", "values", "indices")
cummax_type = _named("cummax", "values", "indices")
cummin_type = _named("cummin", "values", "indices")
kthvalue_type = _named("kthvalue", "values", "indices")
mode_type = _named("mode", "values", "indices")


def _axes(dim, rank):
    if dim is None:
        return list(range(rank))
    if isinstance(dim, (tuple, list)):
        if not dim:
            return list(range(rank))
        axes = [axis_of(d, rank) for d in dim]
        if len(set(axes)) != len(axes):
            raise RuntimeError(
                f"dim {next(a for a in axes if axes.count(a) > 1)} appears multiple times in the list of dims"
            )
        return axes if rank else []
    axis = axis_of(dim, rank)
    return [axis] if rank else []


def _rows(t, axes):
    """A view with `axes` last, the number of rows and their width."""
    keep = [i for i in range(len(t._shape)) if i not in axes]
    order = keep + list(axes)
    view = view_of(t, [t._shape[i] for i in order], [t._strides[i] for i in order], t._offset)
    return view, numel([t._shape[i] for i in keep]), numel([t._shape[i] for i in axes])


def _kept(t, axes, keepdim):
    if keepdim:
        return [1 if i in axes else s for i, s in enumerate(t._shape)]
    return [s for i, s in enumerate(t._shape) if i not in axes]


def _reduce(name, t, dim, keepdim, dtype=None, extra=0.0, result=None, out=None):
    """`dtype`: what it is computed in; `result`: what comes out."""
    axes = _axes(dim, len(t._shape))
    compute = dtype or t.dtype
    if t.dtype.is_complex:
        from ._complex import reduce

        made = reduce(name, t, axes, keepdim, compute)
        if out is not None:
            write(out, made)
        return made if out is None else out
    target = empty(_kept(t, axes, keepdim), result or compute, t.device)
    if target.numel():
        view, rows, width = _rows(t, axes)
        run("reduce", (target,), (view,), f=name, c=compute_name(compute), n=(rows, width), x=(extra,))
    if out is not None:
        write(out, target)
        return out
    return target


def _spread(g, t, dim, keepdim):
    """A reduced gradient, with the reduced dimensions back as 1s."""
    if not keepdim:
        for axis in sorted(_axes(dim, len(t._shape))):
            g = views.unsqueeze(g, axis)
    return g


def _int_to_long(t, dtype):
    if dtype is not None:
        return dtype
    return t.dtype if t.dtype.is_floating_point or t.dtype.is_complex else core.int64


def sum(input, dim=None, keepdim=False, *, dtype=None, axis=None, out=None):
    dim = axis if dim is None else dim
    if dtype is not None and dtype.is_complex and not input.dtype.is_complex:
        return sum(ops.cast(input, dtype), dim, keepdim, out=out)
    result = _reduce("sum", input, dim, keepdim, _int_to_long(input, dtype), out=out)
    if needs(input):
        shape = input._shape
        record(
            result,
            "SumBackward1",
            [input],
            lambda g: views.expand(_spread(g, input, dim, keepdim), *shape),
        )
    return result


def nansum(input, dim=None, keepdim=False, *, dtype=None):
    return sum(ops.where(ops.isnan(input), 0.0, input), dim, keepdim, dtype=dtype)


def mean(input, dim=None, keepdim=False, *, dtype=None, axis=None, out=None):
    dim = axis if dim is None else dim
    kind = dtype or input.dtype
    if kind.is_complex and not input.dtype.is_complex:
        return mean(ops.cast(input, kind), dim, keepdim, out=out)
    if not (kind.is_floating_point or kind.is_complex):
        raise RuntimeError(
            f"mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: {input.dtype.short}"
        )
    result = _reduce("mean", input, dim, keepdim, kind, out=out)
    if needs(input):
        shape = input._shape
        n = numel([shape[a] for a in _axes(dim, len(shape))])
        record(
            result,
            "MeanBackward1",
            [input],
            lambda g: ops.div(views.expand(_spread(g, input, dim, keepdim), *shape), n),
        )
    return result


def prod(input, dim=None, keepdim=False, *, dtype=None):
    result = _reduce("prod", input, dim, keepdim, _int_to_long(input, dtype))
    if needs(input):
        record(
            result,
            "ProdBackward0",
            [input],
            lambda g: ops.mul(_spread(g, input, dim, keepdim), _products_of_others(input, dim)),
        )
    return result


def _products_of_others(input, dim):
    """For each element the product of all others: from both sides, because an element may be 0."""
    flat = views.reshape(input.detach(), -1) if dim is None else input.detach()
    axis = axis_of(0 if dim is None else dim, len(flat._shape))
    n = flat._shape[axis] if flat._shape else 1
    if not flat._shape or n == 1:
        return ops.add(ops.mul(input.detach(), 0), 1)
    from ._create import ones_like
    from ._join import cat

    one = ones_like(views.narrow(flat, axis, 0, 1))
    before = cumprod(cat([one, views.narrow(flat, axis, 0, n - 1)], axis), axis)
    turned = flip(flat, axis)
    after = flip(cumprod(cat([one, views.narrow(turned, axis, 0, n - 1)], axis), axis), axis)
    return views.reshape(ops.mul(before, after), *input._shape)


def _correction(unbiased, correction, dim):
    if isinstance(dim, bool):
        return None, 1.0 if dim else 0.0
    if correction is not None:
        return dim, float(correction)
    return dim, 1.0 if unbiased is None or unbiased else 0.0


def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None):
    dim, c = _correction(unbiased, correction, axis if dim is None else dim)
    _float_only("var", input)
    result = _reduce("var", input, dim, keepdim, extra=c)
    if needs(input):
        n = numel([input._shape[a] for a in _axes(dim, len(input._shape))])

        def gradient(g):
            centered = ops.sub(input, mean(input, dim, True))
            return ops.mul(ops.mul(centered, 2.0 / (n - c)), _spread(g, input, dim, keepdim))

        record(result, "VarBackward0", [input], gradient)
    return result


def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None):
    dim, c = _correction(unbiased, correction, axis if dim is None else dim)
    _float_only("std", input)
    if needs(input):
        return ops.sqrt(var(input, dim, keepdim=keepdim, correction=c))
    return _reduce("std", input, dim, keepdim, extra=c)


def _float_only(name, t):
    if t.dtype.is_complex:
        raise NotImplementedError(f"{name} of complex tensors is not available in Hippocamp's torch")
    if not t.dtype.is_floating_point:
        raise RuntimeError("std and var only support floating point and complex dtypes")


def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return (
        var(input, dim, unbiased, keepdim, correction=correction),
        mean(input, dim, keepdim),
    )


def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    return (
        std(input, dim, unbiased, keepdim, correction=correction),
        mean(input, dim, keepdim),
    )


def _no_elements(name, t, dim):
    if t.numel() == 0 and dim is None:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument."
        )


def _extreme(name, pair_type):
    index_name = "argmax" if name == "max" else "argmin"
    fold = "a" + name

    def function(input, dim=None, keepdim=False, *, axis=None, out=None):
        dim = axis if dim is None else dim
        if isinstance(dim, ops.Tensor):
            return (ops.maximum if name == "max" else ops.minimum)(input, dim)
        _no_elements(name, input, dim)
        if dim is None:
            result = _reduce(fold, input, None, False)
            if needs(input):

                def gradient(g):
                    mask = ops.eq(input, result)
                    return ops.div(ops.mul(mask, g), sum(mask).to(g.dtype))

                record(result, f"{name.capitalize()}Backward1", [input], gradient)
            return result
        values = _reduce(fold, input, dim, keepdim)
        indices = _reduce(index_name, input, dim, keepdim, result=core.int64)
        if needs(input):
            record(
                values,
                f"{name.capitalize()}Backward0",
                [input],
                lambda g: _index_gradient(g, input, dim, keepdim, indices),
            )
        return pair_type((values, indices))

    function.__name__ = name
    return function


def _index_gradient(g, input, dim, keepdim, indices):
    from ._create import zeros_like
    from ._indexing import scatter

    if not input._shape:
        return g
    if not keepdim:
        g, indices = views.unsqueeze(g, dim), views.unsqueeze(indices, dim)
    return scatter(zeros_like(input), dim, indices, g)


max = _extreme("max", max_type)
min = _extreme("min", min_type)


def amax(input, dim=(), keepdim=False):
    return _ends("amax", input, dim, keepdim)


def amin(input, dim=(), keepdim=False):
    return _ends("amin", input, dim, keepdim)


def _ends(name, input, dim, keepdim):
    result = _reduce(name, input, dim, keepdim)
    if needs(input):

        def gradient(g):
            mask = ops.eq(input, _spread(result, input, dim, keepdim))
            count = sum(mask, dim, True)
            return ops.mul(ops.div(mask, count.to(g.dtype)), _spread(g, input, dim, keepdim))

        record(result, f"{name.capitalize()}Backward0", [input], gradient)
    return result


def aminmax(input, *, dim=None, keepdim=False):
    return amin(input, () if dim is None else dim, keepdim), amax(
        input, () if dim is None else dim, keepdim
    )


def _arg(name):
    def function(input, dim=None, keepdim=False):
        if input.dtype is core.bool_:
            raise RuntimeError(f"{name}(): does not support bool input")
        _no_elements(name, input, dim)
        if dim is None:
            flat = views.reshape(input, -1)
            out = _reduce(name, flat, 0, False, result=core.int64)
            return views.reshape(out, *[1] * len(input._shape)) if keepdim else out
        return _reduce(name, input, dim, keepdim, result=core.int64)

    function.__name__ = name
    return function


argmax, argmin = _arg("argmax"), _arg("argmin")


def any(input, dim=None, keepdim=False):
    kind = core.uint8 if input.dtype is core.uint8 else core.bool_
    return _reduce("any", input, dim, keepdim, result=kind)


def all(input, dim=None, keepdim=False):
    kind = core.uint8 if input.dtype is core.uint8 else core.bool_
    return _reduce("all", input, dim, keepdim, result=kind)


def count_nonzero(input, dim=None):
    return _reduce("count_nonzero", input, dim, False, dtype=_wide(input), result=core.int64)


def _wide(t):
    return core.float64 if t.dtype.is_floating_point else core.int64


def norm(input, p="fro", dim=None, keepdim=False, dtype=None, out=None):
    if input.dtype.is_complex:
        input = ops.abs(input)
    order = 2.0 if p in ("fro", None) else float("inf") if p == "inf" else float(p)
    _norm_dtype(input)
    result = _reduce("norm", input, dim, keepdim, dtype, extra=order)
    if needs(input):
        if order != 2.0:
            return ops.pow(sum(ops.pow(ops.abs(input), order), dim, keepdim), 1 / order)
        record(
            result,
            "LinalgVectorNormBackward0",
            [input],
            lambda g: ops.mul(
                input,
                ops.div(_spread(g, input, dim, keepdim), _spread(result, input, dim, keepdim)),
            ),
        )
    return result


def _norm_dtype(t):
    if not t.dtype.is_floating_point:
        raise RuntimeError(
            f"linalg.vector_norm: Expected a floating point or complex tensor as input. Got {t.dtype.short}"
        )


def dist(input, other, p=2):
    return norm(ops.sub(input, other), p)


def logsumexp(input, dim, keepdim=False):
    result = _reduce("logsumexp", input, dim, keepdim)
    if needs(input):
        record(
            result,
            "LogsumexpBackward0",
            [input],
            lambda g: ops.mul(
                _spread(g, input, dim, keepdim),
                ops.exp(ops.sub(input, _spread(result, input, dim, keepdim))),
            ),
        )
    return result


# ── scans ───────────────────────────────────────────────────────────────────────────────────────


def _along(op, name, t, dim, dtype, out_dtype=None, n_extra=()):
    """Runs an operation of rows along `dim`, giving a tensor of the same shape."""
    rank = len(t._shape)
    axis = axis_of(dim, rank)
    target = empty(t._shape, out_dtype or dtype, t.device)
    if t.numel():
        if rank:
            source, rows, width = _rows(t, [axis])
            window, _, _ = _rows(target, [axis])
        else:
            source, window, rows, width = t, target, 1, 1
        run(op, (window,), (source,), f=name, c=compute_name(dtype), n=(rows, width, *n_extra))
    return target


def cumsum(input, dim, *, dtype=None, out=None):
    result = _along("scan", "cumsum", input, dim, _int_to_long(input, dtype))
    if needs(input):
        record(
            result, "CumsumBackward0", [input], lambda g: flip(cumsum(flip(g, dim), dim), dim)
        )
    return _into(result, out)


def cumprod(input, dim, *, dtype=None, out=None):
    result = _along("scan", "cumprod", input, dim, _int_to_long(input, dtype))
    if needs(input):
        record(
            result,
            "CumprodBackward0",
            [input],
            lambda g: ops.div(flip(cumsum(flip(ops.mul(g, result), dim), dim), dim), input),
        )
    return _into(result, out)


def logcumsumexp(input, dim):
    result = _along("scan", "logcumsumexp", input, dim, input.dtype)
    if needs(input):
        # Element j reaches every later i with weight e^(x_j − y_i).
        def gradient(g):
            later = flip(cumsum(flip(ops.mul(g, ops.exp(ops.neg(result))), dim), dim), dim)
            return ops.mul(later, ops.exp(input))

        record(result, "LogcumsumexpBackward0", [input], gradient)
    return result


def _running(name, pair):
    def function(input, dim=None, *, axis=None):
        dim = axis if dim is None else dim
        values = _along("scan", name, input, dim, input.dtype)
        axis = axis_of(dim, len(input._shape))
        from ._create import arange

        n = input._shape[axis]
        shape = [1] * len(input._shape)
        shape[axis] = n
        places = views.reshape(arange(n, device=input.device), *shape)
        hits = ops.where(ops.eq(input, values), places, 0)
        indices = _along("scan", "cummax", hits, dim, core.int64)
        if needs(input):
            from ._create import zeros_like
            from ._indexing import scatter_add_

            record(
                values,
                f"{name.capitalize()}Backward0",
                [input],
                lambda g: scatter_add_(zeros_like(input.detach()), axis, indices, g),
            )
        return pair((values, indices))

    function.__name__ = name
    return function


cummax, cummin = _running("cummax", cummax_type), _running("cummin", cummin_type)


def softmax(input, dim=None, dtype=None, _stacklevel=3, *, axis=None):
    return _soft("softmax", input, axis if dim is None else dim, dtype)


def log_softmax(input, dim=None, dtype=None, _stacklevel=3, *, axis=None):
    return _soft("log_softmax", input, axis if dim is None else dim, dtype)


def _soft(name, input, dim, dtype):
    if dim is None:
        dim = 0 if len(input._shape) in (0, 1, 3) else 1
    kind = dtype or input.dtype
    if not kind.is_floating_point:
        raise NotImplementedError(f'"{name}_kernel_impl" not implemented for \'{kind.short}\'')
    result = _along("softmax", name, input, dim, kind)
    if needs(input):
        if name == "softmax":

            def gradient(g):
                weighted = ops.mul(g, result)
                return ops.sub(weighted, ops.mul(result, sum(weighted, dim, True)))

        else:

            def gradient(g):
                return ops.sub(g, ops.mul(ops.exp(result), sum(g, dim, True)))

        record(result, f"{name.title().replace('_', '')}Backward0", [input], gradient)
    return result


# ── order ───────────────────────────────────────────────────────────────────────────────────────


def sort(input, dim=-1, descending=False, stable=False):
    rank = len(input._shape)
    axis = axis_of(dim, rank)
    values = empty(input._shape, input.dtype, input.device)
    indices = empty(input._shape, core.int64, input.device)
    if input.numel():
        if rank:
            source, rows, width = _rows(input, [axis])
            windows = (_rows(values, [axis])[0], _rows(indices, [axis])[0])
        else:
            source, windows, rows, width = input, (values, indices), 1, 1
        run("sort", windows, (source,), n=(rows, width, 1 if descending else 0))
    if needs(input):
        record(
            values,
            "SortBackward0",
            [input],
            lambda g: _index_gradient(g, input, axis, True, indices),
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
    values, indices = sort(input, axis, largest)
    if not input._shape:
        return topk_type((values, indices))
    return topk_type(
        (
            views.contiguous(views.narrow(values, axis, 0, k)),
            views.contiguous(views.narrow(indices, axis, 0, k)),
        )
    )


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
    from ._indexing import gather

    pair = gather(values, axis, place), gather(indices, axis, place)
    return median_type(pair if keepdim else [views.squeeze(t, axis) for t in pair])


def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    from ._create import tensor

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
        out = [_spread(t, input, dim, False) for t in out]
    if not q._shape:
        return out[0]
    from ._join import stack

    return stack(out)


def flip(input, *dims):
    if len(dims) == 1 and isinstance(dims[0], (tuple, list)):
        dims = dims[0]
    from ._indexing import index_select
    from ._create import arange

    out = input
    for dim in dims:
        axis = axis_of(dim, len(input._shape))
        n = input._shape[axis]
        out = index_select(out, axis, arange(n - 1, -1, -1, device=input.device))
    return views.clone(input) if not dims else out


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    from ._create import tensor

    if dim is not None:
        return _unique_slices(input, axis_of(dim, len(input._shape)), return_inverse, return_counts)
    values = input.reshape(-1).tolist()
    found = {}
    for v in values:
        found[v] = found.get(v, 0) + 1
    order = __builtins_sorted(found)
    make = lambda x, d: tensor(x, dtype=d, device=input.device)  # noqa: E731
    out = [make(order, input.dtype)]
    if return_inverse:
        place = {v: i for i, v in enumerate(order)}
        out.append(make([place[v] for v in values], core.int64).reshape(input._shape))
    if return_counts:
        out.append(make([found[v] for v in order], core.int64))
    return out[0] if len(out) == 1 else tuple(out)


def _unique_slices(input, axis, return_inverse, return_counts):
    from ._create import tensor
    from ._indexing import index_select

    n = input._shape[axis]
    rows = [tuple(row) for row in views.reshape(views.movedim(input, axis, 0), n, -1).tolist()]
    first, counts = {}, {}
    for i, row in enumerate(rows):
        first.setdefault(row, i)
        counts[row] = counts.get(row, 0) + 1
    order = __builtins_sorted(first)
    whole = lambda x: tensor(x, dtype=core.int64, device=input.device)  # noqa: E731
    out = [index_select(input, axis, whole([first[row] for row in order]))]
    if return_inverse:
        place = {row: i for i, row in enumerate(order)}
        out.append(whole([place[row] for row in rows]))
    if return_counts:
        out.append(whole([counts[row] for row in order]))
    return out[0] if len(out) == 1 else tuple(out)


__builtins_sorted = sys.modules["builtins"].sorted
core.takes_types(globals(), "sum nansum mean prod norm cumsum cumprod softmax log_softmax")
