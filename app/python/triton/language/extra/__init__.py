"""`tl.extra`: libdevice under all the paths that programs import it from."""

from . import cuda, hip, libdevice  # noqa: F401
