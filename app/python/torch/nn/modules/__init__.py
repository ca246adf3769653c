"""`torch.nn.modules`: the names of `torch.nn`, where they are defined in PyTorch."""

from ..containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential  # noqa: F401
from ..layers import *  # noqa: F403
from ..module import Module  # noqa: F401


def __getattr__(name):
    import torch.nn as nn

    if isinstance(vars(nn).get(name), type):
        return vars(nn)[name]
    from ..._missing import missing

    raise missing("torch.nn.modules", name, globals())
