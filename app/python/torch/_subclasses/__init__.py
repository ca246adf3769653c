"""`torch._subclasses`: modes of PyTorch's compiler. Their names can be bound; none of them is entered here."""

from .._missing import binds

__getattr__ = binds("torch._subclasses")
