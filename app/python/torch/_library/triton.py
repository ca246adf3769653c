"""`torch._library.triton`: where code that was written before `torch.library` had them imports these from."""

from .operators import triton_op, wrap_triton  # noqa: F401

capture_triton = wrap_triton
