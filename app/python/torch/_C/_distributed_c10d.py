"""`torch._C._distributed_c10d`: memory shared by several GPUs. Its names can be bound; calling one raises."""

from .._missing import binds

__getattr__ = binds("torch._C._distributed_c10d")
