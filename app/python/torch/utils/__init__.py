"""`torch.utils`: `checkpoint` and little else."""

from . import checkpoint, deterministic  # noqa: F401


def __getattr__(name):
    from .._missing import missing

    raise missing("torch.utils", name, globals())
