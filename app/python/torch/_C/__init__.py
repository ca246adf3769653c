"""The few names of PyTorch's native module that generated code (TorchInductor's) imports."""

import importlib


def _cuda_getCurrentRawStream(device):
    """WebGPU has one queue, and it has no handle."""
    return 0


def _cuda_getDeviceCount():
    return 1


def __getattr__(name):
    if name in ("_dynamo", "_distributed_c10d"):
        return importlib.import_module(f"torch._C.{name}")
    from .._missing import missing

    raise missing("torch._C", name, globals())
