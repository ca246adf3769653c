"""`torch._C._dynamo`."""

from . import guards  # noqa: F401
