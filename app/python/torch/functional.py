"""`torch.functional`: functions that `torch` has, too."""

import torch
from torch import Tensor  # noqa: F401
import torch.nn.functional as F  # noqa: F401


def __getattr__(name):
    return getattr(torch, name)
