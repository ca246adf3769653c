"""`triton.backends.compiler`."""

from ..runtime.driver import GPUTarget  # noqa: F401


class BaseBackend:
    pass


def __getattr__(name):
    raise AttributeError(
        f"module 'triton.backends.compiler' has no attribute '{name}' (not available in Hippocamp)"
    )
