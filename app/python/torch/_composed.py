"""Functions that are made of others, so that their gradients come of themselves."""

import math

from . import _core as core
from . import _indexing as indexing
from . import _join as join
from . import _ops as ops
from . import _reductions as reductions
from . import _views as views
from ._autograd import needs
from ._core import axis_of, numel
from ._eager import singles
from ._join import flip
from ._return_types import mode_type
from ._tensor import Tensor

# ── elementwise ─────────────────────────────────────────────────────────────────────────────────


def logaddexp(input, other):
    top = ops.maximum(input, other)
    # Two equal infinities differ by NaN, yet their sum is that infinity.
    same = ops.logical_and(ops.isinf(top), ops.eq(input, other))
    apart = ops.where(same, 0.0, ops.neg(ops.abs(ops.sub(input, other))))
    return ops.add(top, ops.log1p(ops.exp(apart)))


def logaddexp2(input, other):
    scale = math.log(2)
    return ops.div(logaddexp(ops.mul(input, scale), ops.mul(other, scale)), scale)


def heaviside(input, values):
    step = ops.where(ops.gt(input, 0), 1, 0).to(input.dtype)
    return ops.where(ops.eq(input, 0), values, step)


def deg2rad(input):
    return ops.mul(input, math.pi / 180)


def rad2deg(input):
    return ops.mul(input, 180 / math.pi)


def logit(input, eps=None):
    x = input if eps is None else ops.clamp(input, eps, 1 - eps)
    return ops.log(ops.div(x, ops.sub(1, x)))


def sinc(input):
    x = ops.mul(input, math.pi)
    return ops.where(ops.eq(input, 0), 1.0, ops.div(ops.sin(x), x))


def ldexp(input, other):
    return ops.mul(input, ops.pow(2.0, other))


def float_power(input, exponent):
    wide = lambda v: v.to(core.float64) if isinstance(v, Tensor) else float(v)  # noqa: E731
    return ops.pow(wide(input), wide(exponent))


def sgn(input):
    if input.dtype.is_complex:
        from ._complex import sgn as direction

        return direction(input)
    return ops.sign(input)


def isreal(input):
    if input.dtype.is_complex:
        return ops.eq(input.detach().imag, 0)
    return ops.eq(ops.mul(ops.isnan(input), 0), 0)


def isin(elements, test_elements, *, assume_unique=False, invert=False):
    from ._create import as_tensor

    some = elements if isinstance(elements, Tensor) else test_elements
    elements = as_tensor(elements, device=some.device)
    test = as_tensor(test_elements, device=some.device).reshape(-1)
    found = reductions.any(ops.eq(views.unsqueeze(elements, -1), test), -1)
    return ops.logical_not(found) if invert else found


def gcd(input, other):
    a, b = views.broadcast_tensors(ops.abs(input), ops.abs(other))
    a, b = a.to(core.promote_types(a.dtype, b.dtype)), b.to(core.promote_types(a.dtype, b.dtype))
    while bool(reductions.any(ops.ne(b, 0))):
        rest = ops.remainder(a, ops.where(ops.eq(b, 0), 1, b))
        a, b = ops.where(ops.eq(b, 0), a, b), ops.where(ops.eq(b, 0), 0, rest)
    return views.clone(a)


def lcm(input, other):
    divisor = gcd(input, other)
    safe = ops.where(ops.eq(divisor, 0), 1, divisor)
    return ops.abs(ops.mul(ops.floor_divide(input, safe), other))


def fill(input, value):
    from ._create import fill_

    out = fill_(views.contiguous_copy(input), value.detach() if isinstance(value, Tensor) else value)
    if needs(input, value):
        from ._autograd import record

        record(out, "FillBackward0", [input, value], lambda g: (ops.mul(g, 0), g.sum()))
    return out


# ── products ────────────────────────────────────────────────────────────────────────────────────


def addr(input, vec1, vec2, *, beta=1, alpha=1):
    return ops.scaled(input, ops.outer(vec1, vec2), beta, alpha)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    return ops.scaled(input, reductions.sum(ops.bmm(batch1, batch2), 0), beta, alpha)


def vdot(input, other):
    from ._complex import conj

    return ops.dot(conj(input), other)


def inner(input, other):
    if not input._shape or not other._shape:
        return ops.mul(input, other)
    return tensordot(input, other, dims=([-1], [-1]))


def tensordot(a, b, dims=2):
    if isinstance(dims, int):
        first, second = list(range(-dims, 0)), list(range(dims))
    else:
        first, second = dims
        first = [first] if isinstance(first, int) else list(first)
        second = [second] if isinstance(second, int) else list(second)
    first = [axis_of(d, len(a._shape)) for d in first]
    second = [axis_of(d, len(b._shape)) for d in second]
    keep_a = [d for d in range(len(a._shape)) if d not in first]
    keep_b = [d for d in range(len(b._shape)) if d not in second]
    size = numel([a._shape[d] for d in first])
    left = views.reshape(views.permute(a, *keep_a, *first), -1, size)
    right = views.reshape(views.permute(b, *second, *keep_b), size, -1)
    shape = [a._shape[d] for d in keep_a] + [b._shape[d] for d in keep_b]
    return views.reshape(ops.mm(left, right), *shape)


def kron(input, other):
    rank = max(len(input._shape), len(other._shape))
    a = views.reshape(input, *[1] * (rank - len(input._shape)), *input._shape)
    b = views.reshape(other, *[1] * (rank - len(other._shape)), *other._shape)
    apart_a = [n for s in a._shape for n in (s, 1)]
    apart_b = [n for s in b._shape for n in (1, s)]
    product = ops.mul(views.reshape(a, *apart_a), views.reshape(b, *apart_b))
    return views.reshape(product, *[s * t for s, t in zip(a._shape, b._shape)])


def cross(input, other, *, dim=-1):
    a, b = views.broadcast_tensors(input, other)
    one = lambda t, i: views.select(t, dim, i)  # noqa: E731
    parts = []
    for i, j in ((1, 2), (2, 0), (0, 1)):
        parts.append(ops.sub(ops.mul(one(a, i), one(b, j)), ops.mul(one(a, j), one(b, i))))
    return join.stack(parts, dim)


def chain_matmul(*matrices):
    out = matrices[0]
    for each in matrices[1:]:
        out = ops.matmul(out, each)
    return out


def matrix_power(input, n):
    if n < 0:
        raise NotImplementedError("matrix_power with a negative power is not available in Hippocamp's torch")
    from ._patterns import eye

    out = views.expand(eye(input._shape[-1], dtype=input.dtype, device=input.device), *input._shape)
    for _ in range(n):
        out = ops.matmul(out, input)
    return out


def cdist(x1, x2, p=2.0, compute_mode=None):
    return reductions.norm(ops.sub(views.unsqueeze(x1, -2), views.unsqueeze(x2, -3)), p, -1)


def trace(input):
    return reductions.sum(views.diagonal(input))


# ── statistics ──────────────────────────────────────────────────────────────────────────────────


def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    count = reductions.sum(ops.logical_not(ops.isnan(input)), dim, keepdim)
    return ops.div(reductions.nansum(input, dim, keepdim, dtype=dtype), count)


def cov(input, *, correction=1):
    x = views.reshape(input, 1, -1) if len(input._shape) < 2 else input
    centered = ops.sub(x, reductions.mean(x, 1, True))
    out = ops.div(ops.mm(centered, views.t(centered)), x._shape[1] - correction)
    return views.squeeze(out) if len(input._shape) < 2 else out


def corrcoef(input):
    c = cov(input)
    if not c._shape:
        return ops.div(c, c)
    scale = ops.sqrt(views.diagonal(c))
    return ops.div(ops.div(c, views.unsqueeze(scale, 1)), views.unsqueeze(scale, 0))


def mode(input, dim=-1, keepdim=False):
    """The commonest value, the smallest of equals, and the last place where it stands."""
    axis = axis_of(dim, len(input._shape))
    rows = views.movedim(input, axis, -1)
    equal = ops.eq(views.unsqueeze(rows, -1), views.unsqueeze(rows, -2))
    counts = reductions.sum(equal, -1)
    most = ops.eq(counts, reductions.amax(counts, -1, True))
    lowest = ops.where(most, rows, reductions.amax(rows, -1, True))
    value = reductions.amin(lowest, -1, True)
    from ._patterns import arange

    places = arange(rows._shape[-1], device=input.device)
    index = reductions.amax(ops.where(ops.eq(rows, value), places, -1), -1, True)
    value, index = views.movedim(value, -1, axis), views.movedim(index, -1, axis)
    if not keepdim:
        value, index = views.squeeze(value, axis), views.squeeze(index, axis)
    return mode_type((value, index))


def diff(input, n=1, dim=-1, prepend=None, append=None):
    parts = [t for t in (prepend, input, append) if t is not None]
    x = join.cat(parts, dim) if len(parts) > 1 else input
    for _ in range(n):
        size = x._shape[dim]
        later, earlier = views.narrow(x, dim, 1, size - 1), views.narrow(x, dim, 0, size - 1)
        x = ops.logical_xor(later, earlier) if x.dtype is core.bool_ else ops.sub(later, earlier)
    return x


def trapezoid(y, x=None, *, dx=None, dim=-1):
    size = y._shape[dim]
    middle = ops.div(ops.add(views.narrow(y, dim, 1, size - 1), views.narrow(y, dim, 0, size - 1)), 2)
    if x is not None:
        middle = ops.mul(middle, diff(x, dim=-1 if len(x._shape) == 1 else dim))
    elif dx is not None:
        middle = ops.mul(middle, dx)
    return reductions.sum(middle, dim)


trapz = trapezoid


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    if dim is not None:
        raise NotImplementedError("unique_consecutive(dim=...) is not available in Hippocamp's torch")
    from ._create import tensor

    values, inverse, counts = [], [], []
    for v in input.reshape(-1).tolist():
        if not values or values[-1] != v:
            values.append(v)
            counts.append(0)
        counts[-1] += 1
        inverse.append(len(values) - 1)
    whole = lambda x: tensor(x, dtype=core.int64, device=input.device)  # noqa: E731
    out = [tensor(values, dtype=input.dtype, device=input.device)]
    if return_inverse:
        out.append(whole(inverse).reshape(input._shape))
    if return_counts:
        out.append(whole(counts))
    return out[0] if len(out) == 1 else tuple(out)


# ── shape ───────────────────────────────────────────────────────────────────────────────────────

moveaxis = views.movedim


def fliplr(input):
    return flip(input, 1)


def flipud(input):
    return flip(input, 0)


def rot90(input, k=1, dims=(0, 1)):
    a, b = dims
    turns = k % 4
    if turns == 0:
        return views.clone(input)
    if turns == 2:
        return flip(input, a, b)
    turned = views.transpose(input, a, b)
    return flip(turned, a if turns == 1 else b)


def tensor_split(input, indices_or_sections, dim=0):
    size = input._shape[axis_of(dim, len(input._shape))]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = indices_or_sections.tolist()
    if isinstance(indices_or_sections, int):
        each, rest = divmod(size, indices_or_sections)
        return views.split(
            input, [each + (i < rest) for i in range(indices_or_sections)], dim
        )
    edges = [0, *[max(0, min(i + size if i < 0 else i, size)) for i in indices_or_sections], size]
    return views.split_at(input, edges, dim)


def hsplit(input, indices_or_sections=None, *, sections=None, indices=None):
    return _split_along(input, 0 if len(input._shape) == 1 else 1, indices_or_sections, sections, indices)


def vsplit(input, indices_or_sections=None, *, sections=None, indices=None):
    return _split_along(input, 0, indices_or_sections, sections, indices)


def dsplit(input, indices_or_sections=None, *, sections=None, indices=None):
    return _split_along(input, 2, indices_or_sections, sections, indices)


def _split_along(input, dim, *parts):
    return tensor_split(input, next(part for part in parts if part is not None), dim)


def column_stack(tensors):
    return join.hstack([t if len(t._shape) > 1 else views.reshape(t, -1, 1) for t in tensors])


def dstack(tensors):
    def deep(t):
        shape = {0: (1, 1, 1), 1: (1, -1, 1)}.get(len(t._shape))
        if shape:
            return views.reshape(t, *shape)
        return views.unsqueeze(t, 2) if len(t._shape) == 2 else t

    return join.cat([deep(t) for t in tensors], 2)


def atleast_3d(t):
    if len(t._shape) < 2:
        return views.reshape(t, 1, -1, 1)
    return views.unsqueeze(t, 2) if len(t._shape) == 2 else t


def cartesian_prod(*tensors):
    from ._patterns import meshgrid

    if len(tensors) == 1:
        return tensors[0]
    if any(t.dtype is not tensors[0].dtype for t in tensors):
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    return join.stack([views.reshape(t, -1) for t in meshgrid(*tensors)], 1)


def combinations(input, r=2, with_replacement=False):
    import itertools

    from ._create import tensor

    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    places = list(choose(range(input._shape[0]), r))
    index = tensor(places, dtype=core.int64, device=input.device).reshape(-1, r)
    return indexing.get(input, index)


def diagflat(input, offset=0):
    from ._patterns import diag

    return diag(views.reshape(input, -1), offset)


def unravel_index(indices, shape):
    out = []
    for size in reversed(shape):
        out.append(ops.remainder(indices, size))
        indices = ops.floor_divide(indices, size)
    return tuple(reversed(out))


def vander(x, N=None, increasing=False):
    n = x._shape[0] if N is None else N
    powers = range(n) if increasing else range(n - 1, -1, -1)
    return join.stack([ops.pow(x, p) for p in powers], 1)


# ── writing into a copy ─────────────────────────────────────────────────────────────────────────


def _into(input, place, src):
    """A copy of `input` whose window `place(copy)` holds `src`; on the tape where it must be."""
    from ._create import ones_like, zeros_like
    from ._tensor import write

    whole = zeros_like(input.detach())
    window = place(whole)
    part = views.expand(src, *window._shape) if isinstance(src, Tensor) else src
    if not needs(input, src):
        out = views.contiguous_copy(input)
        write(place(out), part.detach().to(input.dtype))
        return out
    mask = zeros_like(input.detach(), dtype=core.bool_)
    hole = place(mask)
    write(hole, ones_like(hole))
    spread = _spread(src, whole, place)
    return ops.where(mask, spread, input)


def _spread(src, whole, place):
    """`src` in its window of zeros: linear in `src`, whose gradient is the window's."""
    from ._autograd import record
    from ._tensor import write

    window = place(whole)
    write(window, views.expand(src.detach(), *window._shape).to(whole.dtype))
    if needs(src):
        record(whole, "AsStridedScatterBackward0", [src], lambda g: place(g))
    return whole


def select_scatter(input, src, dim, index):
    return _into(input, lambda t: views.select(t, dim, index), src)


def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    at = slice(start, end, step)
    return _into(input, lambda t: indexing.get(t, (slice(None),) * axis_of(dim, len(t._shape)) + (at,)), src)


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    return _into(input, lambda t: views.diagonal(t, offset, dim1, dim2), src)


def index_add(input, dim, index, source, *, alpha=1):
    out = indexing.index_add_(views.contiguous_copy(input), dim, index, source.detach(), alpha=alpha)
    if needs(input, source):
        from ._autograd import record

        record(
            out,
            "IndexAddBackward0",
            [input, source],
            lambda g: (g, ops.mul(indexing.index_select(g, dim, index), alpha)),
        )
    return out


def index_copy(input, dim, index, source):
    out = indexing.index_copy_(views.contiguous_copy(input), dim, index, source.detach())
    if needs(input, source):
        from ._autograd import record

        record(
            out,
            "IndexCopyBackward0",
            [input, source],
            lambda g: (
                indexing.index_fill_(views.clone(g), dim, index, 0),
                indexing.index_select(g, dim, index),
            ),
        )
    return out


def index_fill(input, dim, index, value):
    value = value.item() if isinstance(value, Tensor) else value
    out = indexing.index_fill_(views.contiguous_copy(input), dim, index, value)
    if needs(input):
        from ._autograd import record

        record(
            out,
            "IndexFillBackward0",
            [input],
            lambda g: indexing.index_fill_(views.clone(g), dim, index, 0),
        )
    return out


def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    """`reduce`: sum, prod, mean, amax or amin of what falls on an element."""
    if needs(input, src) and reduce != "sum":
        raise NotImplementedError(
            f"the gradient of scatter_reduce(reduce={reduce!r}) is not available in Hippocamp's torch"
        )
    if reduce == "sum" and include_self:
        return indexing.scatter_add(input, dim, index, src)
    neutral = _neutral(reduce, input.dtype)
    out = views.contiguous_copy(input)
    if not include_self:
        indexing.scatter_(out, dim, index, neutral)
    if reduce in ("sum", "mean"):
        out = indexing.scatter_add(out, dim, index, src)
        if reduce == "sum":
            return out
        from ._create import ones_like, zeros_like

        count = ones_like(out) if include_self else zeros_like(out)
        count = indexing.scatter_add_(count, dim, index, ones_like(src))
        count = ops.clamp(count, min=1)
        return ops.div(out, count) if out.dtype.is_floating_point else ops.floor_divide(out, count)
    return _fold_scattered(out, dim, index, src, reduce)


def _neutral(reduce, dtype):
    from ._limits import finfo, iinfo

    if reduce in ("sum", "mean"):
        return 0
    if reduce == "prod":
        return 1
    if reduce not in ("amax", "amin"):
        raise RuntimeError(
            f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}."
        )
    if dtype.is_floating_point:
        return float("-inf") if reduce == "amax" else float("inf")
    limits = iinfo(dtype) if dtype is not core.bool_ else finfo(core.float32)
    return limits.min if reduce == "amax" else limits.max


def _fold_scattered(out, dim, index, src, reduce):
    """One element along `dim` after the other: of different rows no two meet."""
    fold = {"prod": ops.mul, "amax": ops.maximum, "amin": ops.minimum}[reduce]
    for i in range(index._shape[dim]):
        place = views.narrow(index, dim, i, 1)
        part = views.narrow(src, dim, i, 1)
        part = indexing.get(part, tuple(slice(0, s) for s in place._shape))
        indexing.scatter_(out, dim, place, fold(indexing.gather(out, dim, place), part))
    return out


def put(input, index, source, accumulate=False):
    flat = indexing.index_put(views.reshape(input, -1), (index,), source, accumulate)
    return views.reshape(flat, *input._shape)


singles(globals(), "logaddexp logaddexp2 heaviside logit sinc gcd lcm isin cross cdist")

__all__ = [name for name in dir() if not name.startswith("_")]
