"""`torch.autograd`."""

from .._autograd import (  # noqa: F401
    Function, FunctionCtx, backward as _backward, enable_grad, grad, inference_mode, no_grad, set_grad_enabled,
)  # fmt: skip
from . import function  # noqa: F401


def backward(tensors, grad_tensors=None, retain_graph=None, create_graph=False, inputs=None):
    tensors = list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]
    if grad_tensors is None:
        grad_tensors = [None] * len(tensors)
    elif not isinstance(grad_tensors, (list, tuple)):
        grad_tensors = [grad_tensors]
    _backward(tensors, list(grad_tensors), create_graph, inputs)


def Variable(data, requires_grad=False):
    return data.requires_grad_() if requires_grad else data


def gradcheck(function, inputs, eps=1e-6, atol=1e-5, rtol=1e-3, raise_exception=True, **_):
    """Compares gradients with central differences, in float64."""
    from .._tensor import Tensor

    inputs = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    out = function(*inputs)
    total = out.sum()
    wanted = [t for t in inputs if isinstance(t, Tensor) and t.requires_grad]
    analytic = grad(total, wanted)
    with no_grad():
        for t, g in zip(wanted, analytic):
            flat, slopes = t.detach().reshape(-1), g.reshape(-1).tolist()
            for i, slope in enumerate(slopes):
                old = flat[i].item()
                flat[i] = old + eps
                high = function(*inputs).sum().item()
                flat[i] = old - eps
                low = function(*inputs).sum().item()
                flat[i] = old
                numeric = (high - low) / (2 * eps)
                if abs(numeric - slope) > atol + rtol * abs(numeric):
                    if raise_exception:
                        raise RuntimeError(
                            f"Jacobian mismatch: numerical {numeric}, analytical {slope} at {i}"
                        )
                    return False
    return True
