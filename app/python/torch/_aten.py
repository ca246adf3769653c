"""Operators of `torch.ops.aten` that are no function of torch by that name: generated code calls them where Inductor
writes no kernel. Those of layers and of random numbers are in `_aten_layers.py`.
"""

import torch
from torch.nn import functional as F

from ._aten_layers import _gradients


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    rank = len(weight.shape) - 2
    options = dict(stride=tuple(stride), padding=tuple(padding), dilation=tuple(dilation), groups=groups)
    if transposed:
        function = (F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d)[rank - 1]
        return function(input, weight, bias, output_padding=tuple(output_padding), **options)
    return (F.conv1d, F.conv2d, F.conv3d)[rank - 1](input, weight, bias, **options)


def convolution_backward(grad, input, weight, bias_sizes, stride, padding, dilation, transposed, output_padding, groups, output_mask):  # fmt: skip
    settings = (stride, padding, dilation, transposed, output_padding, groups)
    by_input, by_weight = _gradients(lambda x, w: convolution(x, w, None, *settings), (input, weight), grad)
    by_bias = grad.sum([d for d in range(grad.dim()) if d != 1]) if output_mask[2] else None
    return (by_input if output_mask[0] else None, by_weight if output_mask[1] else None, by_bias)


def _int_mm(a, b):
    return (a.to(torch.float64) @ b.to(torch.float64)).to(torch.int32)


def _cdist_forward(x1, x2, p, compute_mode=None):
    return torch.cdist(x1, x2, p)


def _conj(input):
    return input.conj()


def linalg_solve_triangular(A, B, *, upper, left=True, unitriangular=False):
    """Its result's columns are contiguous."""
    made = torch.linalg.solve_triangular(A, B, upper=upper, left=left, unitriangular=unitriangular)
    return made.transpose(-1, -2).contiguous().transpose(-1, -2)


def special_ndtri(input):
    return (2 * input.double() - 1).erfinv().mul(2**0.5).to(input.dtype)


def _foreach_norm(tensors, ord=2, dtype=None):
    return [torch.linalg.vector_norm(t, ord, dtype=dtype) for t in tensors]


# ── linear algebra: matrices lie by columns, as LAPACK leaves them ──────────────────────────────


def _by_columns(matrix):
    return matrix.transpose(-1, -2).contiguous().transpose(-1, -2)


def _info(input):
    return torch.zeros(input.shape[:-2], dtype=torch.int32, device=input.device)


def linalg_inv_ex(A, *, check_errors=False):
    inverse, info = torch.linalg.inv_ex(A, check_errors=check_errors)
    return _by_columns(inverse), info


def linalg_cholesky_ex(A, *, upper=False, check_errors=False):
    return _by_columns(torch.linalg.cholesky(A, upper=upper)), _info(A)


def _linalg_check_errors(info, api_name, *, is_matrix):
    """The functions here raise where they find the error."""


def _linalg_det(A):
    """Without the factors, of which only gradients make use."""
    return torch.linalg.det(A), None, None


def _linalg_slogdet(A):
    return (*torch.linalg.slogdet(A), None, None)


def _linalg_solve_ex(A, B, *, left=True, check_errors=False):
    solved = torch.linalg.solve(A, B, left=left)
    return solved if solved.dim() == 1 else _by_columns(solved), None, None, _info(A)


def linalg_qr(A, mode="reduced"):
    Q, R = torch.linalg.qr(A, mode)
    return _by_columns(Q), _by_columns(R)


def _linalg_eigh(A, UPLO="L", compute_v=True):
    values, vectors = torch.linalg.eigh(A, UPLO)
    return values, _by_columns(vectors) if compute_v else torch.empty(0, dtype=A.dtype, device=A.device)


def _linalg_svd(A, full_matrices=False, compute_uv=True, *, driver=None):
    if not compute_uv:
        nothing = torch.empty(0, dtype=A.dtype, device=A.device)
        return nothing, torch.linalg.svdvals(A), nothing
    U, S, Vh = torch.linalg.svd(A, full_matrices)
    return _by_columns(U), S, _by_columns(Vh)


# ── Fourier transforms ──────────────────────────────────────────────────────────────────────────

#: What PyTorch's numbers mean: no scale, 1/√n, 1/n. Names of `norm` are those of the forward
#: transform.
_FORWARD, _BACKWARD = ("backward", "ortho", "forward"), ("forward", "ortho", "backward")


def _fft_r2c(input, dim, normalization, onesided):
    transform = torch.fft.rfftn if onesided else torch.fft.fftn
    return transform(input, dim=list(dim), norm=_FORWARD[normalization])


def _fft_c2c(input, dim, normalization, forward):
    transform, norms = (torch.fft.fftn, _FORWARD) if forward else (torch.fft.ifftn, _BACKWARD)
    return transform(input, dim=list(dim), norm=norms[normalization])


def _fft_c2r(input, dim, normalization, last_dim_size):
    sizes = [input.shape[d] for d in dim[:-1]] + [last_dim_size]
    return torch.fft.irfftn(input, s=sizes, dim=list(dim), norm=_BACKWARD[normalization])


# ── order and distances ─────────────────────────────────────────────────────────────────────────


def _aligned(made):
    """Copies of results that are parts of a sorted tensor: code that Inductor wrote checks their addresses."""
    return made.clone() if isinstance(made, torch.Tensor) else tuple(t.clone() for t in made)


def kthvalue(input, k, dim=-1, keepdim=False):
    return _aligned(torch.kthvalue(input, k, dim, keepdim))


def median(input, *args, **kwargs):
    return _aligned(torch.median(input, *args, **kwargs))


def nanmedian(input, *args, **kwargs):
    return _aligned(torch.nanmedian(input, *args, **kwargs))


def _pdist_forward(input, p=2.0):
    n = input.shape[0]
    rows, columns = torch.triu_indices(n, n, 1)
    return torch.cdist(input, input, p)[rows, columns]
