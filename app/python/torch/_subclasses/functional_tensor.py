"""`torch._subclasses.functional_tensor`: names that registrations for PyTorch's compiler bind."""

from .._missing import binds

__getattr__ = binds("torch._subclasses.functional_tensor")
