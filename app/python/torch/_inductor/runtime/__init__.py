"""`torch._inductor.runtime`."""

from . import hints, triton_helpers, triton_heuristics  # noqa: F401
