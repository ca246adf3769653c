"""`torch.special`: the functions that have other names elsewhere."""

from ._composed import logit, sinc  # noqa: F401
from ._ops import (  # noqa: F401
    digamma, digamma as psi, erf, erfc, erfinv, exp2, expm1, i0, i0e, i1, i1e, lgamma as gammaln,
    log1p, round, sigmoid as expit, xlogy,
)  # fmt: skip
from ._functions import _pointwise
from ._published import publish
from ._scans import log_softmax, softmax  # noqa: F401
from ._reductions import logsumexp  # noqa: F401

# These have no gradient in PyTorch either.
bessel_j0 = _pointwise("bessel_j0")
bessel_j1 = _pointwise("bessel_j1")
bessel_y0 = _pointwise("bessel_y0")
bessel_y1 = _pointwise("bessel_y1")
modified_bessel_i0, modified_bessel_i1 = i0, i1
modified_bessel_k0 = _pointwise("modified_bessel_k0")
modified_bessel_k1 = _pointwise("modified_bessel_k1")
scaled_modified_bessel_k0 = _pointwise("scaled_modified_bessel_k0")
scaled_modified_bessel_k1 = _pointwise("scaled_modified_bessel_k1")
spherical_bessel_j0 = _pointwise("spherical_bessel_j0")


def entr(input):
    from . import _ops as ops

    inside = ops.neg(xlogy(input, input))
    return ops.where(ops.lt(input, 0), float("-inf"), inside)


publish(
    globals(),
    """bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erf erfc erfinv exp2 expit expm1 gammaln i0 i0e i1 i1e log1p
    logit logsumexp modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 psi round
    scaled_modified_bessel_k0 scaled_modified_bessel_k1 sinc spherical_bessel_j0 xlogy""",
)


def __getattr__(name):
    from ._missing import missing

    raise missing("torch.special", name, globals())
