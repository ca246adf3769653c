"""Arrays from patterns."""

from torch import _patterns as torch_patterns
from torch._core import compute_name, run

from ._array import _dtype, array, asarray, empty, new, new_like, wrap, zeros
from ._dtypes import BOOL, FLOAT64, INT64, common_dtype, generic, weak


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    if dtype is None:
        dtype = common_dtype(fill_value) if weak(fill_value) else asarray(fill_value).dtype
    made = empty(shape, dtype, order)
    made[...] = fill_value
    return made


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    return full(shape, 1, _dtype(dtype), order)


def empty_like(prototype, dtype=None, order="K", subok=True, shape=None, *, device=None):
    a, kind = _like(prototype, dtype)
    if shape is not None or order == "C":
        return empty(shape, kind)
    return wrap(new_like(a._t, kind.torch, fill=kind.torch.fill))


def zeros_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    a, kind = _like(a, dtype)
    return zeros(shape, kind) if shape is not None or order == "C" else wrap(new_like(a._t, kind.torch))


def _like(prototype, dtype):
    a = asarray(prototype)
    return a, a.dtype if dtype is None else _dtype(dtype)


def ones_like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
    return full_like(a, 1, dtype, order, subok, shape)


def full_like(a, fill_value, dtype=None, order="K", subok=True, shape=None, *, device=None):
    made = empty_like(a, dtype, order, subok, shape)
    made[...] = fill_value
    return made


def arange(start, stop=None, step=1, dtype=None, *, device=None, like=None):
    if stop is None:
        start, stop = 0, start
    kind = common_dtype(*[x for x in (start, stop, step)]) if dtype is None else _dtype(dtype)
    if kind is BOOL:
        kind = INT64
    start, stop, step = (x._value if isinstance(x, generic) else x for x in (start, stop, step))
    if all(isinstance(x, int) for x in (start, stop, step)):
        n = max(0, -((start - stop) // step))
    else:
        import math

        n = max(0, math.ceil((stop - start) / step))
    made = new((n,), kind)
    if n:
        if kind.kind in "iu":
            start, step = int(start), int(step)
        run("arange", (made,), (), c=compute_name(kind.torch), x=(start, step))
    return wrap(made)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0, *, device=None):
    start, stop = float(start), float(stop)
    parts = num - 1 if endpoint else num
    step = (stop - start) / parts if parts > 0 else float("nan")
    made = new((num,), FLOAT64)
    if num:
        last = stop if endpoint else start + step * (num - 1)
        run("linspace", (made,), (), c="float64", x=(start, last))
    out = wrap(made) if dtype is None else wrap(made).astype(dtype)
    return (out, step) if retstep else out


def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    out = base ** linspace(start, stop, num, endpoint)
    return out if dtype is None else out.astype(dtype)


def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    import math

    return logspace(math.log10(start), math.log10(stop), num, endpoint, dtype=dtype)


def eye(N, M=None, k=0, dtype=float, order="C", *, device=None, like=None):
    made = zeros((N, N if M is None else M), dtype)
    made._t.diagonal(k).fill_(1)
    return made


def identity(n, dtype=None):
    return eye(n, dtype=dtype)


def diag(v, k=0):
    v = asarray(v)
    return wrap(torch_patterns.diag(v._t, k)) if v.ndim == 1 else v.diagonal(k).copy()


def _triangle(name):
    def function(m, k=0):
        m = asarray(m)
        made = new(m.shape, m.dtype)
        if made.numel():
            run("tri", (made,), (m._t,), f=name, n=(*m.shape[-2:], k))
        return wrap(made)

    function.__name__ = name
    return function


tril, triu = _triangle("tril"), _triangle("triu")


def tri(N, M=None, k=0, dtype=float):
    return tril(ones((N, N if M is None else M), dtype), k)


def meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    xs = [asarray(x).ravel() for x in xi]
    swap = indexing == "xy" and len(xs) > 1
    order = [1, 0, *range(2, len(xs))] if swap else list(range(len(xs)))
    shape = [len(xs[i]) for i in order]
    out = []
    from ._shaping import broadcast_to

    for i, x in enumerate(xs):
        at = order.index(i)
        x = x.reshape([-1 if d == at else 1 for d in range(len(xs))])
        out.append(x if sparse else broadcast_to(x, shape).copy())
    return tuple(out)


def indices(dimensions, dtype=int):
    from ._shaping import stack

    return stack([x.astype(dtype) for x in meshgrid(*[arange(n) for n in dimensions], indexing="ij")])


def fromiter(iter, dtype, count=-1):
    return array(list(iter), dtype)


def frombuffer(buffer, dtype=float, count=-1, offset=0):
    import torch

    return wrap(torch.frombuffer(buffer, dtype=_dtype(dtype).torch, count=count, offset=offset))


def fromfunction(function, shape, *, dtype=float, **kwargs):
    return function(*indices(shape, dtype), **kwargs)


def asanyarray(a, dtype=None, order=None, **_):
    return asarray(a, dtype, order)


def ascontiguousarray(a, dtype=None, *, like=None):
    a = asarray(a, dtype)
    return a if a._t.is_contiguous() else a.copy()


def copy(a, order="K", subok=False):
    return array(a)


__all__ = [
    "arange", "asanyarray", "ascontiguousarray", "copy", "diag", "empty_like", "eye", "frombuffer",
    "fromfunction", "fromiter", "full", "full_like", "geomspace", "identity", "indices", "linspace",
    "logspace", "meshgrid", "ones", "ones_like", "tri", "tril", "triu", "zeros", "zeros_like",
]  # fmt: skip
