"""Reductions: sums, means, extremes, norms. Reduced dimensions are moved to the end, so that app/numerics
sees rows.
"""

from . import _core as core
from . import _ops as ops
from . import _views as views
from ._autograd import needs, no_gradient_into, record
from ._core import axis_of, compute_name, numel, run
from ._eager import singles
from ._return_types import max_type, min_type
from ._tensor import empty, view_of, write


def axes_of(dim, rank):
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


def rows_of(t, axes):
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
    no_gradient_into(name, out, t)
    axes = axes_of(dim, len(t._shape))
    compute = dtype or t.dtype
    if t.dtype.is_complex:
        from ._complex import reduce

        made = reduce(name, t, axes, keepdim, compute)
        if out is not None:
            write(out, made)
        return made if out is None else out
    target = empty(_kept(t, axes, keepdim), result or compute, t.device)
    if target.numel():
        view, rows, width = rows_of(t, axes)
        run("reduce", (target,), (view,), f=name, c=compute_name(compute), n=(rows, width), x=(extra,))
    if out is not None:
        write(out, target)
        return out
    return target


def spread(g, t, dim, keepdim):
    """A reduced gradient, with the reduced dimensions back as 1s."""
    if not keepdim:
        for axis in sorted(axes_of(dim, len(t._shape))):
            g = views.unsqueeze(g, axis)
    return g


def int_to_long(t, dtype):
    if dtype is not None:
        return dtype
    return t.dtype if t.dtype.is_floating_point or t.dtype.is_complex else core.int64


def sum(input, dim=None, keepdim=False, *, dtype=None, axis=None, out=None):
    dim = axis if dim is None else dim
    if dtype is not None and dtype.is_complex and not input.dtype.is_complex:
        return sum(ops.cast(input, dtype), dim, keepdim, out=out)
    result = _reduce("sum", input, dim, keepdim, int_to_long(input, dtype), out=out)
    if needs(input):
        shape = input._shape
        record(
            result,
            "SumBackward1",
            [input],
            lambda g: views.expand(spread(g, input, dim, keepdim), *shape),
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
        n = numel([shape[a] for a in axes_of(dim, len(shape))])
        record(
            result,
            "MeanBackward1",
            [input],
            lambda g: ops.div(views.expand(spread(g, input, dim, keepdim), *shape), n),
        )
    return result


def prod(input, dim=None, keepdim=False, *, dtype=None):
    result = _reduce("prod", input, dim, keepdim, int_to_long(input, dtype))
    if needs(input):
        record(
            result,
            "ProdBackward0",
            [input],
            lambda g: ops.mul(spread(g, input, dim, keepdim), _products_of_others(input, dim)),
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
    from ._join import cat, flip
    from ._scans import cumprod

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
        n = numel([input._shape[a] for a in axes_of(dim, len(input._shape))])

        def gradient(g):
            centered = ops.sub(input, mean(input, dim, True))
            scale = 2.0 / (n - c) if n != c else float("inf")
            return ops.mul(ops.mul(centered, scale), spread(g, input, dim, keepdim))

        record(result, "VarBackward0", [input], gradient)
    return result


def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None, axis=None):
    dim, c = _correction(unbiased, correction, axis if dim is None else dim)
    _float_only("std", input)
    result = _reduce("std", input, dim, keepdim, extra=c)
    if needs(input):
        n = numel([input._shape[a] for a in axes_of(dim, len(input._shape))])

        def gradient(g):
            scale = ops.div(g, ops.mul(result, n - c if n > c else 0))
            scale = ops.where(ops.eq(result, 0), 0.0, scale)
            return ops.mul(ops.sub(input, mean(input, dim, True)), spread(scale, input, dim, keepdim))

        record(result, "StdBackward0", [input], gradient)
    return result


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
                lambda g: index_gradient(g, input, dim, keepdim, indices),
            )
        return pair_type((values, indices))

    function.__name__ = name
    return function


def index_gradient(g, input, dim, keepdim, indices):
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
            mask = ops.eq(input, spread(result, input, dim, keepdim))
            count = sum(mask, dim, True)
            return ops.mul(ops.div(mask, count.to(g.dtype)), spread(g, input, dim, keepdim))

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
        record(
            result,
            "LinalgVectorNormBackward0",
            [input],
            lambda g: _norm_gradient(
                spread(g, input, dim, keepdim), input, spread(result, input, dim, keepdim), order
            ),
        )
    return result


def _norm_gradient(g, x, size, order):
    """PyTorch's: 0 where the norm is 0, and the largest of the norm "inf" share."""
    if order == 0:
        return ops.mul(g, ops.mul(x, 0))
    if order == 1:
        return ops.mul(g, ops.sign(x))
    if order in (float("inf"), -float("inf")):
        largest = ops.eq(ops.abs(x), size)
        axes = tuple(i for i, s in enumerate(size._shape) if s == 1) if size._shape else None
        return ops.mul(ops.mul(ops.sign(x), largest), ops.div(g, sum(largest, axes, bool(size._shape))))
    if order < 1:
        powers = ops.where(ops.eq(x, 0), 0.0, ops.pow(ops.abs(x), order - 1))
        return ops.mul(ops.mul(ops.sign(x), powers), ops.mul(g, ops.pow(size, 1 - order)))
    scale = ops.where(ops.eq(size, 0), 0.0, ops.div(g, ops.pow(size, order - 1)))
    if order == 2:
        return ops.mul(x, scale)
    if order < 2:
        return ops.mul(ops.mul(ops.sign(x), ops.pow(ops.abs(x), order - 1)), scale)
    return ops.mul(ops.mul(x, ops.pow(ops.abs(x), order - 2)), scale)


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
                spread(g, input, dim, keepdim),
                ops.exp(ops.sub(input, spread(result, input, dim, keepdim))),
            ),
        )
    return result


core.takes_types(globals(), "sum nansum mean prod norm")
singles(globals(), "max min std_mean var_mean aminmax nansum")
