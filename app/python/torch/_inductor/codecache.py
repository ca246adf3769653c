"""`torch._inductor.codecache`: older files import AsyncCompile from here."""

from .async_compile import AsyncCompile  # noqa: F401
