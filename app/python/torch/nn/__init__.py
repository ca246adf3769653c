"""`torch.nn`: modules, enough for the layers that kernels are compared with."""

from . import functional, grad, init, modules, parameter, utils  # noqa: F401
from .containers import (  # noqa: F401
    ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential,
)  # fmt: skip
from .layers import *  # noqa: F403
from .multihead import MultiheadAttention  # noqa: F401
from .module import Module  # noqa: F401
from .recurrent import GRU, GRUCell, LSTM, LSTMCell, RNN, RNNCell  # noqa: F401
from .parameter import Buffer, Parameter  # noqa: F401
from .padding import *  # noqa: F403
from .transformer import (  # noqa: F401
    TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer,
)  # fmt: skip


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.nn", name, globals())
