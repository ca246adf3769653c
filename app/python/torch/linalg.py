"""`torch.linalg`: norms and products."""

from . import _ops as ops
from . import _reductions as reductions
from . import _views as views
from ._complex import conj
from ._composed import chain_matmul, cross, matrix_power  # noqa: F401
from ._ops import matmul  # noqa: F401


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    return reductions.norm(x, ord, dim, keepdim, dtype)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    if ord == "fro":
        return reductions.norm(A, 2, dim, keepdim, dtype)
    if ord in (1, -1, float("inf"), float("-inf")):
        rows, columns = dim if abs(ord) == 1 else (dim[1], dim[0])
        sums = reductions.sum(ops.abs(A), rows, True)
        out = (reductions.amax if ord > 0 else reductions.amin)(sums, columns, True)
        return out if keepdim else views.squeeze(out, tuple(dim))
    raise NotImplementedError(
        f"torch.linalg.matrix_norm(ord={ord!r}) needs singular values, which are not available in Hippocamp's torch"
    )


def norm(A, ord=None, dim=None, keepdim=False, *, out=None, dtype=None):
    pair = isinstance(dim, (tuple, list)) and len(dim) == 2 or dim is None and len(A._shape) == 2
    if ord is None:
        return vector_norm(A, 2, dim, keepdim, dtype=dtype)
    if pair:
        return matrix_norm(A, ord, (-2, -1) if dim is None else dim, keepdim, dtype=dtype)
    return vector_norm(A, ord, dim, keepdim, dtype=dtype)


def multi_dot(tensors):
    return chain_matmul(*tensors)


def vecdot(x, y, *, dim=-1):
    return reductions.sum(ops.mul(conj(x), y), dim)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    return views.diagonal(A, offset, dim1, dim2)


def __getattr__(name):
    from ._missing import missing

    raise missing("torch.linalg", name, globals())
