"""`numpy.linalg`: norms and products; decompositions are not available."""

from torch import _reductions as torch_reductions

from ._array import asarray, axis_of, result
from ._dtypes import FLOAT64
from ._linear import matmul, outer  # noqa: F401


class LinAlgError(ValueError):
    pass


def norm(x, ord=None, axis=None, keepdims=False):
    x = asarray(x)
    if x.dtype.kind != "f":
        x = x.astype(FLOAT64)
    if ord in ("nuc", 2, -2) and x.ndim == 2 and axis is None:
        raise NotImplementedError(f"norm(ord={ord!r}) of a matrix is not available in Hippocamp's numpy")
    dim = None if axis is None else [axis_of(a, x.ndim) for a in (axis if isinstance(axis, tuple) else (axis,))]
    return result(torch_reductions.norm(x._t, 2 if ord in (None, "fro") else ord, dim, keepdims))


def matrix_power(a, n):
    from ._creation import eye

    out = eye(len(a), dtype=asarray(a).dtype)
    for _ in range(n):
        out = matmul(out, a)
    return out


def __getattr__(name):
    from . import _missing

    raise _missing("numpy.linalg", name, globals())
