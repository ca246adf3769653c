"""`torch.autograd`."""

from .._autograd import (  # noqa: F401
    Function, FunctionCtx, backward as _backward, detect_anomaly, enable_grad, grad, inference_mode, no_grad,
    set_detect_anomaly, set_grad_enabled,
)  # fmt: skip
from . import function  # noqa: F401
from .gradcheck import gradcheck, gradgradcheck  # noqa: F401


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    if grad_tensors is None:
        grad_tensors = [None] * len(tensors)
    elif not isinstance(grad_tensors, (list, tuple)):
        grad_tensors = [grad_tensors]
    _backward(tensors, list(grad_tensors), create_graph, inputs)


def Variable(data, requires_grad=False):
    return data.requires_grad_() if requires_grad else data
