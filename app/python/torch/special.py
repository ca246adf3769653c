"""`torch.special`: the functions that have other names elsewhere."""

from ._composed import logit, sinc  # noqa: F401
from ._ops import (  # noqa: F401
    digamma, digamma as psi, erf, erfc, erfinv, exp2, expm1, lgamma as gammaln, log1p, round,
    sigmoid as expit, xlogy,
)  # fmt: skip
from ._scans import log_softmax, softmax  # noqa: F401
from ._reductions import logsumexp  # noqa: F401


def entr(input):
    from . import _ops as ops

    inside = ops.neg(xlogy(input, input))
    return ops.where(ops.lt(input, 0), float("-inf"), inside)


def __getattr__(name):
    from ._missing import missing

    raise missing("torch.special", name, globals())
