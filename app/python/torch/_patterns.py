"""Tensors of a pattern: ranges, identities, triangles, diagonals, grids."""

import math

from . import _core as core
from . import _views as views
from ._autograd import needs, record
from ._core import as_device, axis_of, compute_name, run
from ._create import fill_, finish, tensor, zeros
from ._tensor import Tensor, empty as new_empty_tensor, write


def arange(start, end=None, step=1, *, dtype=None, device=None, requires_grad=False, out=None, layout=None, pin_memory=False):  # fmt: skip
    if end is None:
        start, end = 0, start
    start, end, step = (v.item() if isinstance(v, Tensor) else v for v in (start, end, step))
    if step == 0:
        raise RuntimeError("step must be nonzero")
    if (end - start) * step < 0:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    if dtype is None:
        floats = any(isinstance(v, float) for v in (start, end, step))
        dtype = core.get_default_dtype() if floats else core.int64
    if all(isinstance(v, int) for v in (start, end, step)):
        n = -((start - end) // step)
    else:
        n = math.ceil((end - start) / step)
    t = new_empty_tensor((n,), dtype, as_device(device))
    if n:
        if not dtype.is_floating_point:
            start, step = int(start), int(step)
        run("arange", (t,), (), c=compute_name(dtype), x=(start, step))
    return finish(t, requires_grad)


def linspace(start, end, steps, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    t = new_empty_tensor((steps,), dtype or core.get_default_dtype(), as_device(device))
    if steps:
        run("linspace", (t,), (), c=compute_name(t.dtype), x=(float(start), float(end)))
    return finish(t, requires_grad)


def logspace(start, end, steps, base=10.0, **kw):
    return base ** linspace(start, end, steps, **kw)


def eye(n, m=None, *, dtype=None, layout=None, device=None, requires_grad=False, pin_memory=False):
    t = zeros(n, n if m is None else m, dtype=dtype, device=device)
    if t.numel():
        fill_(views.diagonal(t), 1)
    return finish(t, requires_grad)


def _triangle(name):
    def function(input, diagonal=0, *, out=None):
        if len(input._shape) < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        t = new_empty_tensor(input._shape, input.dtype, input.device)
        if t.numel():
            run("tri", (t,), (input,), f=name, n=(*input._shape[-2:], diagonal))
        if needs(input):
            record(t, f"{name.capitalize()}Backward0", [input], lambda g: function(g, diagonal))
        return t

    function.__name__ = name
    return function


tril, triu = _triangle("tril"), _triangle("triu")


def _triangle_indices(lower):
    def function(row, col, offset=0, *, dtype=None, device=None, layout=None, pin_memory=False):
        keep = [
            (r, c)
            for r in range(row)
            for c in range(col)
            if (c - r <= offset if lower else c - r >= offset)
        ]
        data = [[r for r, _ in keep], [c for _, c in keep]]
        return tensor(data, dtype=dtype or core.int64, device=device)

    return function


tril_indices, triu_indices = _triangle_indices(True), _triangle_indices(False)


def diag(input, diagonal=0):
    if len(input._shape) == 2:
        return views.clone(views.diagonal(input, diagonal))
    return diag_embed(input, diagonal)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    rank = len(input._shape) + 1
    a, b = axis_of(dim1, rank), axis_of(dim2, rank)
    if a == b:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    n = input._shape[-1] + (offset if offset >= 0 else -offset)
    shape = list(input._shape[:-1])
    for axis in sorted((a, b)):
        shape.insert(axis, n)
    t = new_empty_tensor(shape, input.dtype, input.device)
    write(views.diagonal(t, offset, a, b), input)
    if needs(input):
        record(t, "DiagEmbedBackward0", [input], lambda g: views.diagonal(g, offset, a, b))
    return t


def meshgrid(*tensors, indexing="ij"):
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tuple(tensors[0])
    if indexing == "xy" and len(tensors) > 1:
        tensors = (tensors[1], tensors[0], *tensors[2:])
    shape = [t.numel() for t in tensors]
    out = []
    for i, t in enumerate(tensors):
        ones_shape = [1] * len(shape)
        ones_shape[i] = shape[i]
        out.append(views.expand(views.reshape(t, *ones_shape), *shape))
    if indexing == "xy" and len(out) > 1:
        out = [views.transpose(t, 0, 1) for t in (out[1], out[0], *out[2:])]
    return tuple(out)


core.takes_types(globals(), "arange linspace logspace eye")
