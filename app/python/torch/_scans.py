"""Scans, and what keeps a row's length: running sums, products and extremes, softmax."""

from . import _core as core
from . import _eager
from . import _ops as ops
from . import _views as views
from ._autograd import needs, no_gradient_into, record
from ._complex import _into
from ._core import axis_of, compute_name, run
from ._join import flip
from ._reductions import int_to_long, rows_of, sum
from ._return_types import cummax_type, cummin_type
from ._tensor import empty


def _along(op, name, t, dim, dtype, out_dtype=None, n_extra=()):
    """Runs an operation of rows along `dim`, giving a tensor of the same shape."""
    rank = len(t._shape)
    axis = axis_of(dim, rank)
    target = empty(t._shape, out_dtype or dtype, t.device)
    if t.numel():
        if rank:
            source, rows, width = rows_of(t, [axis])
            window, _, _ = rows_of(target, [axis])
        else:
            source, window, rows, width = t, target, 1, 1
        run(op, (window,), (source,), f=name, c=compute_name(dtype), n=(rows, width, *n_extra))
    return target


def cumsum(input, dim, *, dtype=None, out=None):
    no_gradient_into("cumsum", out, input)
    result = _along("scan", "cumsum", input, dim, int_to_long(input, dtype))
    if needs(input):
        record(
            result, "CumsumBackward0", [input], lambda g: flip(cumsum(flip(g, dim), dim), dim)
        )
    return _into(result, out)


def cumprod(input, dim, *, dtype=None, out=None):
    no_gradient_into("cumprod", out, input)
    result = _along("scan", "cumprod", input, dim, int_to_long(input, dtype))
    if needs(input):
        record(
            result,
            "CumprodBackward0",
            [input],
            lambda g: _cumprod_gradient(g, input, result, dim),
        )
    return _into(result, out)


def _cumprod_gradient(g, input, result, dim):
    if not ops.eq(input, 0).any().item():
        return ops.div(flip(cumsum(flip(ops.mul(g, result), dim), dim), dim), input)
    # Each has the product before it, times what those behind it make of the gradients there.
    from ._join import stack

    parts, behind = [], 0
    for i in reversed(range(input._shape[dim])):
        behind = ops.add(g.select(dim, i), behind)
        parts.append(ops.mul(behind, result.select(dim, i - 1)) if i else behind)
        behind = ops.mul(behind, input.select(dim, i))
    return stack(parts[::-1], dim)


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
        from ._patterns import arange

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

        def fused(g):
            same = g.dtype is result.dtype is input.dtype
            return _eager.gradient("gradients.softmax", g, result, dim, name == "log_softmax") if same else None

        if name == "softmax":

            def composed(g):
                weighted = ops.mul(g, result)
                return ops.sub(weighted, ops.mul(result, sum(weighted, dim, True)))

        else:

            def composed(g):
                return ops.sub(g, ops.mul(ops.exp(result), sum(g, dim, True)))

        def gradient(g):
            made = fused(g)
            return composed(g) if made is None else made

        record(result, f"{name.title().replace('_', '')}Backward0", [input], gradient)
    return result


core.takes_types(globals(), "cumsum cumprod softmax log_softmax")
