"""`torch.linalg`: norms, products, systems of equations and factorizations. What is solved or factored is
computed in float64 and rounded once.
"""

import json

from . import _core as core
from . import _ops as ops
from . import _reductions as reductions
from . import _views as views
from ._autograd import needs, record, unbroadcast
from ._complex import conj
from ._composed import chain_matmul, cross, matrix_power  # noqa: F401
from ._core import broadcast_shapes, numel, run
from ._limits import finfo
from ._ops import matmul  # noqa: F401
from ._published import publish
from ._patterns import eye, tril, triu
from ._return_types import _named
from ._tensor import contiguous_copy, empty


class LinAlgError(RuntimeError):
    pass


LinAlgError.__module__ = "torch._C"
LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"

_qr_type = _named("linalg_qr", "Q", "R")
_eigh_type = _named("linalg_eigh", "eigenvalues", "eigenvectors")
_svd_type = _named("linalg_svd", "U", "S", "Vh")
_slogdet_type = _named("linalg_slogdet", "sign", "logabsdet")
_inv_ex_type = _named("linalg_inv_ex", "inverse", "info")
_lstsq_type = _named("linalg_lstsq", "solution", "residuals", "rank", "singular_values")


# ── norms and products ──────────────────────────────────────────────────────────────────────────


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
    if ord in (2, -2, "nuc"):
        values = svdvals(views.movedim(A, tuple(dim), (-2, -1)))
        if ord == "nuc":
            out = reductions.sum(values, -1)
        else:
            out = (reductions.amax if ord > 0 else reductions.amin)(values, -1)
        for axis in sorted(d % len(A._shape) for d in dim) if keepdim else ():
            out = views.unsqueeze(out, axis)
        return out
    raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")


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


# ── systems of equations ────────────────────────────────────────────────────────────────────────


def _check(name, A, square=True):
    if len(A._shape) < 2:
        raise RuntimeError(f"linalg.{name}: The input tensor A must have at least 2 dimensions.")
    rows, columns = A._shape[-2:]
    if square and rows != columns:
        raise RuntimeError(
            f"linalg.{name}: A must be batches of square matrices, but they are {rows} by {columns} matrices"
        )
    if A.dtype not in (core.float32, core.float64):
        raise RuntimeError(
            f"linalg.{name}: Expected a floating point or complex tensor as input. Got {A.dtype.short}"
            if not (A.dtype.is_floating_point or A.dtype.is_complex)
            else f"linalg.{name}: Low precision and complex dtypes are not supported here. Got {A.dtype.short}"
        )


def _batched(name, A, shapes, second=None, extra=0, flags=0):
    """Runs one operation on every matrix of A. @returns the results, and where it failed."""
    outs = tuple(empty(shape, A.dtype, A.device) for shape in shapes)
    inputs = (A,) if second is None else (A, second)
    if not all(t.numel() for t in outs):
        return outs, None
    sizes = (numel(A._shape[:-2]), *A._shape[-2:], extra, flags)
    trouble = run("linalg", outs, inputs, f=name, n=sizes)
    return outs, json.loads(trouble) if trouble else None


def _of_batch(shape, trouble):
    return f"(Batch element {trouble[0]}): " if len(shape) > 2 else ""


def _columns(A):
    """A matrix as LAPACK leaves it in memory, column after column: kernels are given its strides."""
    return _t(contiguous_copy(_t(A)))


def _t(A):
    return views.transpose(A, -2, -1)


def _pair(A, B):
    """Both with the same batch."""
    batch = broadcast_shapes(A._shape[:-2], B._shape[:-2])
    return (views.expand(t, *batch, *t._shape[-2:]) for t in (A, B))


def _systems(name, A, B, transposed, flags=0, singular=None):
    """x of an operation with two matrices, with gradients by the transposed operation. `singular`: what to
    say of a matrix, from its place in the batch as text and the element that is zero."""
    a, b = _pair(A.detach(), B.detach())
    (x,), trouble = _batched(name, a, [b._shape], b, b._shape[-1], flags)
    if trouble:
        raise LinAlgError(singular(_of_batch(a._shape, trouble), trouble[1]))
    x = _columns(x)
    if needs(A, B):

        def for_b(g):
            return transposed(A, g)

        def for_a(g):
            return ops.neg(ops.matmul(for_b(g), _t(x)))

        masked = lambda g: g  # noqa: E731
        if name == "triangular":
            part = triu if flags & 1 else tril
            masked = lambda g: part(g, (1 if flags & 1 else -1) if flags & 2 else 0)  # noqa: E731
        record(
            x,
            "LinalgSolveBackward0",
            [A, B],
            lambda g: (unbroadcast(masked(for_a(g)), A._shape), unbroadcast(for_b(g), B._shape)),
        )
    return x


def solve(A, B, *, left=True, out=None):
    _check("solve", A)
    if not left:
        return _t(solve(_t(A), _t(B)))
    vector = len(B._shape) == 1 or tuple(B._shape) == tuple(A._shape[:-1]) and len(A._shape) > 2
    b = views.unsqueeze(B, -1) if vector else B
    if b._shape[-2] != A._shape[-1]:
        raise RuntimeError(
            f"linalg.solve: Incompatible shapes of A and B for the equation AX = B ({_size(A)} and {_size(b)})"
        )
    x = _systems("solve", A, b, lambda a, g: solve(_t(a), g), singular=_unsolved)
    return views.squeeze(x, -1) if vector else x


def _unsolved(batch, where):
    return f"torch.linalg.solve: {batch}The solver failed because the input matrix is singular."


def _size(t):
    return "x".join(str(n) for n in t._shape[-2:])


def solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None):
    _check("solve_triangular", A)
    if not left:
        return _t(solve_triangular(_t(A), _t(B), upper=not upper, unitriangular=unitriangular))
    back = lambda a, g: solve_triangular(_t(a), g, upper=not upper, unitriangular=unitriangular)  # noqa: E731
    return _systems("triangular", A, B, back, (1 if upper else 0) | (2 if unitriangular else 0))


def inv(A, *, out=None):
    _check("inv", A)
    one = eye(A._shape[-1], dtype=A.dtype, device=A.device)
    return _systems("solve", A, one, lambda a, g: solve(_t(a), g), singular=_uninverted)


def _uninverted(batch, where):
    return f"linalg.inv: {batch}The diagonal element {where} is zero, the inversion could not be completed because the input matrix is singular."


def inv_ex(A, *, check_errors=False, out=None):
    from ._create import zeros

    return _inv_ex_type((inv(A), zeros(A._shape[:-2], dtype=core.int32, device=A.device)))


def lstsq(A, B, rcond=None, *, driver=None):
    """Of full rank, by Q and R."""
    Q, R = qr(A)
    vector = len(B._shape) == 1
    b = views.unsqueeze(B, -1) if vector else B
    x = solve_triangular(R, ops.matmul(_t(Q), b), upper=True)
    none = empty((0,), A.dtype, A.device)
    return _lstsq_type((views.squeeze(x, -1) if vector else x, none, none, none))


def det(A, *, out=None):
    _check("det", A)
    (value,), _ = _batched("det", A, [A._shape[:-2]])
    if needs(A):
        record(value, "LinalgDetBackward0", [A], lambda g: _by_inverse(ops.mul(g, value), A))
    return value


def slogdet(A, *, out=None):
    _check("slogdet", A)
    (sign, log), _ = _batched("slogdet", A, [A._shape[:-2]] * 2)
    if needs(A):
        record(log, "LinalgSlogdetBackward0", [A], lambda g: _by_inverse(g, A))
    return _slogdet_type((sign, log))


def _by_inverse(g, A):
    """The gradient of a logarithm of A's determinant: of each matrix, a number times A⁻ᵀ."""
    return ops.mul(views.unsqueeze(views.unsqueeze(g, -1), -1), _t(inv(A.detach())))


def logdet(A):
    sign, log = slogdet(A)
    return ops.where(ops.lt(sign, 0), float("nan"), log)


# ── factorizations ──────────────────────────────────────────────────────────────────────────────


def _no_gradient(name, A):
    if needs(A):
        raise NotImplementedError(f"the gradient of torch.linalg.{name} is not available in Hippocamp's torch")


def cholesky(A, *, upper=False, out=None):
    _check("cholesky", A)
    (L,), trouble = _batched("cholesky", _t(A) if upper else A, [A._shape])
    if trouble:
        raise LinAlgError(
            f"linalg.cholesky: {_of_batch(A._shape, trouble)}The factorization could not be completed because the input is not positive-definite (the leading minor of order {trouble[1]} is not positive-definite)."
        )
    # An upper factor is turned at the end.
    L = L if upper else _columns(L)
    if needs(A):

        def gradient(g):
            inner = tril(ops.matmul(_t(L), g))
            inner = ops.sub(inner, ops.mul(inner, ops.mul(eye(L._shape[-1], dtype=L.dtype, device=L.device), 0.5)))
            half = solve_triangular(_t(L), inner, upper=True)
            whole = _t(solve_triangular(_t(L), _t(half), upper=True))
            return ops.mul(ops.add(whole, _t(whole)), 0.5)

        record(L, "LinalgCholeskyExBackward0", [A], gradient)
    return _t(L) if upper else L


def cholesky_solve(B, L, upper=False, *, out=None):
    lower = _t(L) if upper else L
    return solve_triangular(_t(lower), solve_triangular(lower, B, upper=False), upper=True)


def qr(A, mode="reduced", *, out=None):
    _check("qr", A, False)
    _no_gradient("qr", A)
    rows, columns = A._shape[-2:]
    wide = rows if mode == "complete" else min(rows, columns)
    batch = A._shape[:-2]
    (Q, R), _ = _batched("qr", A, [(*batch, rows, wide), (*batch, wide, columns)], extra=wide)
    return _qr_type((empty((0,), A.dtype, A.device) if mode == "r" else _columns(Q), _columns(R)))


def eigh(A, UPLO="L", *, out=None):
    _check("eigh", A)
    _no_gradient("eigh", A)
    source = A if UPLO.upper() == "L" else _t(A)
    values, vectors = _batched("eigh", source, [A._shape[:-1], A._shape])[0]
    return _eigh_type((values, _columns(vectors)))


def eigvalsh(A, UPLO="L", *, out=None):
    return eigh(A, UPLO)[0]


def svd(A, full_matrices=True, *, driver=None, out=None):
    _check("svd", A, False)
    _no_gradient("svd", A)
    rows, columns = A._shape[-2:]
    if rows < columns:
        U, S, Vh = svd(_t(A), full_matrices)
        return _svd_type((_columns(_t(Vh)), S, _columns(_t(U))))
    batch = A._shape[:-2]
    shapes = [(*batch, rows, columns), (*batch, columns), (*batch, columns, columns)]
    (U, S, V), _ = _batched("svd", A, shapes)
    if full_matrices and rows > columns:
        # The rest of an orthogonal basis is what a complete QR adds.
        from ._join import cat

        U = cat([U, views.narrow(qr(U, "complete")[0], -1, columns, rows - columns)], -1)
    return _svd_type((_columns(U), S, _t(V)))


def svdvals(A, *, driver=None, out=None):
    return svd(A, False)[1]


def _negligible(A, values, rtol):
    """The singular value up to which one counts as zero."""
    if rtol is None:
        rtol = max(A._shape[-2:]) * finfo(A.dtype).eps
    return ops.mul(reductions.amax(values, -1, True), rtol)


def matrix_rank(A, *, tol=None, rtol=None, hermitian=False):
    values = svdvals(A)
    limit = _negligible(A, values, rtol) if tol is None else tol
    return reductions.sum(ops.gt(values, limit), -1)


def pinv(A, *, rtol=None, hermitian=False):
    U, S, Vh = svd(A, False)
    inverse = ops.where(ops.gt(S, _negligible(A, S, rtol)), ops.reciprocal(S), 0.0)
    return ops.matmul(ops.mul(_t(Vh), views.unsqueeze(inverse, -2)), _t(U))


publish(
    globals(),
    """cholesky cholesky_solve cross det eigh eigvalsh inv inv_ex matmul matrix_norm matrix_power matrix_rank multi_dot norm
    pinv qr slogdet solve solve_triangular svd svdvals vecdot vector_norm""",
)


def __getattr__(name):
    from ._missing import missing

    raise missing("torch.linalg", name, globals())
