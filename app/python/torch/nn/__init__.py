"""`torch.nn`: modules, enough for the layers that kernels are compared with."""

from . import functional, grad, init, modules, parameter, utils  # noqa: F401
from .containers import (  # noqa: F401
    ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential,
)  # fmt: skip
from .layers import *  # noqa: F403
from .multihead import MultiheadAttention  # noqa: F401
from .module import Module  # noqa: F401
from .recurrent import GRU, LSTM, RNN  # noqa: F401
from .parameter import Buffer, Parameter  # noqa: F401


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.nn", name, globals())
