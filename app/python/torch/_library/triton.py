"""`torch._library.triton`: where code that was written before `torch.library` had them imports these from."""

import contextlib

from .operators import triton_op, wrap_triton  # noqa: F401

capture_triton = wrap_triton


@contextlib.contextmanager
def set_wrap_triton_enabled(enabled):
    """Changes nothing: `wrap_triton` gives the kernel itself."""
    yield


def is_wrap_triton_enabled():
    return False
