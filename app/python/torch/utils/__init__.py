"""`torch.utils`: `checkpoint`, `data` and little else."""

from . import checkpoint, deterministic  # noqa: F401


def __getattr__(name):
    if name == "data":
        import importlib

        return importlib.import_module("torch.utils.data")
    from .._missing import missing

    raise missing("torch.utils", name, globals())
