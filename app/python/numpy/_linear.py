"""Matrix products."""

from torch import _core as core
from torch import _ops as torch_ops

from ._array import _converted, asarray, result, wrap
from ._dtypes import BOOL, FLOAT16, common_dtype, dtype


def matmul(x1, x2, out=None, dtype=None):
    a, b = asarray(x1), asarray(x2)
    if not a.ndim or not b.ndim:
        raise ValueError("matmul: Input operand does not have enough dimensions")
    inner = a.shape[-1], b.shape[-2 if b.ndim > 1 else 0]
    if inner[0] != inner[1]:
        raise ValueError(
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            f"(n?,k),(k,m?)->(n?,m?) (size {inner[1]} is different from {inner[0]})"
        )
    kind = common_dtype(a, b) if dtype is None else _dtype(dtype)
    made = _product(a, b, kind)
    if out is not None:
        out[...] = wrap(made)
        return out
    return result(made)


def _dtype(spec):
    return dtype(spec)


def _product(a, b, kind):
    """bool is a sum of ands; f16 is accumulated in f32, as NumPy does."""
    compute = core.int32 if kind is BOOL else core.float32 if kind is FLOAT16 else kind.torch
    x, y = (_converted(t._t, compute, copy=False) for t in (a, b))
    made = torch_ops.matmul(x, y)
    return _converted(made, kind.torch, copy=False)


def dot(a, b, out=None):
    a, b = asarray(a), asarray(b)
    if not a.ndim or not b.ndim:
        return a * b
    if b.ndim <= 2:
        return matmul(a, b, out)
    raise NotImplementedError("dot with more than two dimensions on the right; use matmul or tensordot")


def inner(a, b):
    a, b = asarray(a), asarray(b)
    return a * b if not a.ndim or not b.ndim else matmul(a, b.swapaxes(-1, -2) if b.ndim > 1 else b)


def vdot(a, b):
    return matmul(asarray(a).ravel(), asarray(b).ravel())


def outer(a, b, out=None):
    return asarray(a).ravel()[:, None] * asarray(b).ravel()[None, :]


def tensordot(a, b, axes=2):
    a, b = asarray(a), asarray(b)
    if isinstance(axes, int):
        left, right = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        left, right = ([x] if isinstance(x, int) else list(x) for x in axes)
    left, right = [x % a.ndim for x in left], [x % b.ndim for x in right]
    keep_a = [i for i in range(a.ndim) if i not in left]
    keep_b = [i for i in range(b.ndim) if i not in right]
    shape = [a.shape[i] for i in keep_a] + [b.shape[i] for i in keep_b]
    k = core.numel([a.shape[i] for i in left])
    x = a.transpose(keep_a + left).reshape(-1, k)
    y = b.transpose(right + keep_b).reshape(k, -1)
    return matmul(x, y).reshape(shape)


def einsum(subscripts, *operands):
    from ._dtypes import common_dtype as common

    xs = [asarray(x) for x in operands]
    kind = common(*xs)
    made = torch_ops.einsum(subscripts, *[_converted(x._t, kind.torch, copy=False) for x in xs])
    return result(made)


__all__ = ["dot", "einsum", "inner", "matmul", "outer", "tensordot", "vdot"]
