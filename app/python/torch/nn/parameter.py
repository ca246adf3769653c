"""`torch.nn.parameter`."""

from .. import _create as create
from .._tensor import Tensor, make


class Parameter(Tensor):
    """A tensor that a module owns and that requires a gradient."""

    __slots__ = ()

    def __new__(cls, data=None, requires_grad=True):
        data = create.empty(0) if data is None else data.detach()
        out = make(data._storage, data.dtype, data.device, data._shape, data._strides, data._offset, cls)
        if requires_grad and not (data.dtype.is_floating_point or data.dtype.is_complex):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        out.requires_grad = requires_grad
        return out

    def __init__(self, data=None, requires_grad=True):
        pass

    def __repr__(self, *, tensor_contents=None):
        return "Parameter containing:\n" + Tensor.__repr__(self)


class Buffer(Tensor):
    """A tensor that a module keeps and that is no parameter."""

    __slots__ = ("persistent",)

    def __new__(cls, data=None, *, persistent=True):
        data = create.empty(0) if data is None else data.detach()
        out = make(data._storage, data.dtype, data.device, data._shape, data._strides, data._offset, cls)
        out.persistent = persistent
        return out

    def __init__(self, data=None, *, persistent=True):
        pass
